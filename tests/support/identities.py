# SPDX-License-Identifier: Apache-2.0
"""Certificates of the three services and of their clients."""

from support.pki import make_ca, run_openssl

TRUST = "spiffe://test.local/"
NAMES = "DNS:localhost,IP:127.0.0.1"
_CA_CONFIG = """[ca]
default_ca = it
[it]
database = {folder}/index.txt
new_certs_dir = {folder}
rand_serial = yes
default_md = sha256
unique_subject = no
policy = any
[any]
commonName = supplied
"""


def uri(name):
    return name if "://" in name else TRUST + name


class Identities:
    """A CA with its own folder. Certificates are issued and renewed in place."""

    def __init__(self, folder, ca="ca"):
        folder.mkdir(exist_ok=True)
        self.folder, self.ca = folder, ca
        (folder / "index.txt").touch()
        (folder / "ca.conf").write_text(_CA_CONFIG.format(folder=folder))
        make_ca(folder, ca)

    def issue(self, name, names=NAMES, begin="20200101000000Z", end="20990101000000Z", identity=None):
        """NAME.crt and NAME.key, of the identity of that name unless another is given."""
        (self.folder / f"{name}.ext").write_text(f"subjectAltName=URI:{uri(identity or name)}{',' + names if names else ''}\n")
        run_openssl(self.folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key.new",
                    "-out", f"{name}.csr", "-subj", f"/CN={name}")
        run_openssl(self.folder, "ca", "-batch", "-notext", "-config", "ca.conf", "-cert", f"{self.ca}.crt",
                    "-keyfile", f"{self.ca}.key", "-in", f"{name}.csr", "-out", f"{name}.crt.new", "-startdate", begin,
                    "-enddate", end, "-extfile", f"{name}.ext")
        for kind in ("key", "crt"):
            (self.folder / f"{name}.{kind}.new").rename(self.folder / f"{name}.{kind}")
        return self

    def files(self, name, ca=None):
        """(certificate, key, ca)"""
        return tuple(str(self.folder / file) for file in (f"{name}.crt", f"{name}.key", f"{ca or self.ca}.crt"))

    def service_flags(self, name, ca=None):
        certificate, key, ca = self.files(name, ca)
        return ["--tls-certificate", certificate, "--tls-key", key, "--tls-ca", ca,
                "--tls-watchers", uri("watcher"), "--tls-clients", uri("person")]

    def person_flags(self, name="person", ca=None):
        """For grpcurl."""
        certificate, key, ca = self.files(name, ca)
        return ["-cert", certificate, "-key", key, "-cacert", ca]
