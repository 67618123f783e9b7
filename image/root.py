# SPDX-License-Identifier: Apache-2.0
"""What is in the image: our binaries, exactly the shared libraries they need, and the few files those need."""

import os
import pathlib
import re
import subprocess
import tempfile

# Compiled in from their headers and protos, so that the dynamic linker does not know of them.
HEADERS = ("grpc-proto", "libcli11-dev", "nlohmann-json3-dev")
BINARIES = ("xebec", "xebec-watcher", "xebec-planner", "xebec-applier", "xebec-hooks", "xebec-certs")
USER = 65532
TEXTS = {
    "etc/passwd": f"root:x:0:0:root:/:/nonexistent\nxebec:x:{USER}:{USER}:xebec:/:/nonexistent\n",
    "etc/group": f"root:x:0:\nxebec:x:{USER}:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}
CA_BUNDLE = "/etc/ssl/certs/ca-certificates.crt"


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries(binaries):
    """Where the dynamic linker finds each shared library that they need, itself included."""
    found = set()
    for binary in binaries:
        for line in run("ldd", binary).splitlines():
            match = re.match(r"\s*(?:\S+ => )?(/\S+) \(0x", line)
            if match:
                found.add(match[1])
            elif "not found" in line:
                raise SystemExit(f"{binary}: {line.strip()}")
    return sorted(found)


def packages_of(paths):
    """{(Debian package, version)} that these files belong to. dpkg knows a file by the path it was installed under,
    which may go through a link."""
    names = {path: {path, os.path.realpath(path), "/usr" + path} for path in paths}
    found = subprocess.run(["dpkg-query", "-S", *set().union(*names.values())], capture_output=True, text=True, check=False).stdout
    owners = {}
    for line in found.splitlines():
        owner, _, path = line.rpartition(": ")
        owners[path] = owner.split(",")[0]
    packages = set()
    for path, candidates in names.items():
        owner = [owners[name] for name in candidates if name in owners]
        if not owner:
            raise SystemExit(f"{path} belongs to no Debian package")
        packages.add(owner[0])
    return versions(packages)


def versions(packages):
    listed = run("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *packages)
    return {tuple(line.split(" ")) for line in listed.splitlines()}


def descriptors(root):
    """The contract with its comments, for grpcurl -protoset."""
    protos = sorted(str(path.relative_to(root / "proto")) for path in (root / "proto").rglob("*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "set"
        run("protoc", "-I", str(root / "proto"), "--include_imports", "--include_source_info", f"--descriptor_set_out={out}", *protos)
        return out.read_bytes()


def stripped(binary):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "binary"
        run("strip", "--strip-all", "-o", str(out), str(binary))
        return out.read_bytes()


def contents(root, binaries):
    """({path in the image: (mode, bytes)}, [(package, version)]) for the binaries in that folder."""
    paths = [binaries / name for name in BINARIES]
    files = {f"usr/bin/{path.name}": (0o755, stripped(path)) for path in paths}
    needed = libraries(paths)
    for library in needed:
        files[library.lstrip("/")] = (0o755, pathlib.Path(library).read_bytes())
    for path, text in TEXTS.items():
        files[path] = (0o644, text.encode())
    files[CA_BUNDLE.lstrip("/")] = (0o644, pathlib.Path(CA_BUNDLE).read_bytes())
    packages = packages_of([*needed, "/usr/sbin/update-ca-certificates"]) | versions(HEADERS)
    for package, _ in packages:
        notice = pathlib.Path(f"/usr/share/doc/{package}/copyright")
        if notice.exists():
            files[str(notice).lstrip("/")] = (0o644, notice.read_bytes())
    files["usr/share/doc/xebec/copyright"] = (0o644, (root / "LICENSE").read_bytes())
    files["usr/share/xebec/xebec.protoset"] = (0o644, descriptors(root))
    return dict(sorted(files.items())), sorted(packages)
