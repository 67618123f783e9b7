# SPDX-License-Identifier: Apache-2.0
"""Certificates and kubeconfigs of a local control plane."""

import base64
import json
import subprocess

_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
_SERVER_NAMES = ("DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,"
                 "DNS:kubernetes.default.svc.cluster.local,DNS:localhost,IP:10.96.0.1")


def run_openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def make_ca(folder, name="ca"):
    """ca.key and ca.crt."""
    run_openssl(folder, "req", "-x509", *_KEY, "-keyout", f"{name}.key", "-out", f"{name}.crt", "-days", "3650", "-subj",
             f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign,cRLSign,digitalSignature")


def make_certificate(folder, name, subject, usage, names="", ca="ca"):
    """name.key and name.crt, signed by the CA. `usage`: serverAuth or clientAuth."""
    extensions = f"extendedKeyUsage={usage}\nkeyUsage=critical,digitalSignature\n"
    if names:
        extensions += f"subjectAltName={names}\n"
    (folder / f"{name}.ext").write_text(extensions)
    run_openssl(folder, "req", *_KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", subject)
    run_openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-CA", f"{ca}.crt", "-CAkey", f"{ca}.key",
             "-CAcreateserial", "-out", f"{name}.crt", "-days", "3650", "-extfile", f"{name}.ext")


def make_pki(folder, address):
    """Everything that the API server at that address needs, and the watcher's client certificate."""
    folder.mkdir()
    make_ca(folder)
    make_certificate(folder, "apiserver", "/CN=kube-apiserver", "serverAuth", f"{_SERVER_NAMES},IP:{address}")
    make_certificate(folder, "xebec-watcher", "/CN=xebec-watcher", "clientAuth")
    run_openssl(folder, "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "sa.key")
    run_openssl(folder, "ec", "-in", "sa.key", "-pubout", "-out", "sa.pub")


def _encoded(path):
    return base64.b64encode(path.read_bytes()).decode()


def write_kubeconfig(path, server, ca, user):
    """`user`: the user entry of a kubeconfig, a dict. JSON is YAML."""
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "xebec",
        "clusters": [{"name": "xebec", "cluster": {"server": server, "certificate-authority-data": _encoded(ca)}}],
        "users": [{"name": "user", "user": user}],
        "contexts": [{"name": "xebec", "context": {"cluster": "xebec", "user": "user"}}],
    }, indent=1))
    path.chmod(0o600)


def certificate_user(folder, name):
    return {"client-certificate-data": _encoded(folder / f"{name}.crt"), "client-key-data": _encoded(folder / f"{name}.key")}
