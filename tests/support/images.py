# SPDX-License-Identifier: Apache-2.0
"""Images for the Pods of a node: from Debian packages, from single programs, and the image of the product.

An image is a folder: `blobs/<sha256>` and `manifest`, which names the blob that is its manifest.
"""

import hashlib
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from support import paths

_OCI = "application/vnd.oci.image"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_RECIPES = pathlib.Path(__file__).resolve().parents[1] / "node"
_PATH = "/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def unpack(archive, folder):
    """The image in an archive that ./dev image has written."""
    (folder / "blobs").mkdir(parents=True)
    with tarfile.open(archive) as tar:
        for member in tar:
            if member.isfile() and member.name.startswith("blobs/sha256/"):
                with open(folder / "blobs" / os.path.basename(member.name), "wb") as out:
                    shutil.copyfileobj(tar.extractfile(member), out)
        [manifest] = json.load(tar.extractfile("index.json"))["manifests"]
    (folder / "manifest").write_text(manifest["digest"].partition(":")[2])
    return folder


def with_program(image, folder, path, program):
    """The same image with one more layer, which contains a program at that path."""
    shutil.copytree(image, folder)
    blobs = folder / "blobs"
    draft = folder / "layer.tar"
    with tarfile.open(draft, "w", format=tarfile.GNU_FORMAT) as tar:
        info = _anonymous(tar.gettarinfo(program, path))
        info.mode = 0o755
        with open(program, "rb") as file:
            tar.addfile(info, file)
    layer = _keep_layer(folder, draft)
    manifest = json.loads((blobs / (folder / "manifest").read_text()).read_text())
    config = json.loads((blobs / manifest["config"]["digest"].partition(":")[2]).read_text())
    config["rootfs"]["diff_ids"].append(layer["digest"])
    manifest["layers"].append(layer)
    name, manifest["config"]["size"] = _keep(folder, config)
    manifest["config"]["digest"] = f"sha256:{name}"
    (folder / "manifest").write_text(_keep(folder, manifest)[0])
    return folder


def _anonymous(info):
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def _keep_layer(folder, draft):
    """Adds a tar archive as a blob of the image. Returns its descriptor."""
    digest, size = _digest(draft), draft.stat().st_size
    draft.rename(folder / "blobs" / digest)
    return {"mediaType": f"{_OCI}.layer.v1.tar", "digest": f"sha256:{digest}", "size": size}


def _digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _keep(folder, value):
    data = json.dumps(value, sort_keys=True).encode()
    name = hashlib.sha256(data).hexdigest()
    (folder / "blobs" / name).write_bytes(data)
    return name, len(data)


def wrap(tree, folder, entrypoint):
    """Makes the image `folder` of a file tree."""
    (folder / "blobs").mkdir(parents=True)
    draft = folder / "layer.tar"
    with tarfile.open(draft, "w", format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(os.listdir(tree)):
            tar.add(tree / path, path, filter=_anonymous)
    layer = _keep_layer(folder, draft)
    config, length = _keep(folder, {
        "architecture": _ARCHITECTURES[platform.machine()], "os": "linux",
        "config": {"Entrypoint": entrypoint, "Env": [f"PATH={_PATH}"], "WorkingDir": "/"},
        "rootfs": {"type": "layers", "diff_ids": [layer["digest"]]}})
    manifest, _ = _keep(folder, {
        "schemaVersion": 2, "mediaType": f"{_OCI}.manifest.v1+json",
        "config": {"mediaType": f"{_OCI}.config.v1+json", "digest": f"sha256:{config}", "size": length},
        "layers": [layer]})
    (folder / "manifest").write_text(manifest)
    return folder


# ---- of Debian packages -----------------------------------------------------------------------------------------


def _libraries(packages):
    """Packages with shared libraries that these need, themselves included."""
    listed = subprocess.run(["apt-cache", "depends", "--recurse", "--no-recommends", "--no-suggests", "--no-conflicts", "--no-breaks",
                             "--no-replaces", "--no-enhances", *packages], check=True, capture_output=True, text=True).stdout
    names = set(re.findall(r"^([a-z0-9][a-z0-9+.-]*)$", listed, re.M))
    unwanted = re.compile(r"-perl$|^libperl|^libllvm|-cil$|-dev$|^libdebconf|-bin$|^lib[a-z0-9]*locale")
    return sorted(set(packages) | {name for name in names if name.startswith(("lib", "zlib")) and not unwanted.search(name)})


def _unpack_packages(packages, tree):
    with tempfile.TemporaryDirectory() as downloads:
        subprocess.run(["apt-get", "-q", "-o", "APT::Sandbox::User=root", "download", *packages], cwd=downloads, check=True,
                       stdout=subprocess.DEVNULL)
        for package in sorted(pathlib.Path(downloads).glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", package, tree], check=True)


def _tree(recipe, tree):
    """`recipe`: {"packages": [...], "script": a file of tests/node that becomes /entrypoint, or None}"""
    tree.mkdir()
    _unpack_packages(_libraries(["busybox", *recipe["packages"]]), tree)
    for folder in ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/lib/postgresql/15/lib/bitcode"):
        shutil.rmtree(tree / folder, ignore_errors=True)
    for applet in subprocess.run([tree / "bin/busybox", "--list"], check=True, capture_output=True, text=True).stdout.split():
        if not (tree / "bin" / applet).exists():
            (tree / "bin" / applet).symlink_to("busybox")
    (tree / "tmp").mkdir(exist_ok=True)
    (tree / "tmp").chmod(0o1777)
    (tree / "etc").mkdir(exist_ok=True)
    (tree / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\npostgres:x:999:999:postgres:/tmp:/bin/sh\n")
    (tree / "etc/group").write_text("root:x:0:\npostgres:x:999:\n")
    if recipe["script"]:
        shutil.copy(_RECIPES / recipe["script"], tree / "entrypoint")
        (tree / "entrypoint").chmod(0o755)


# Substitutes for the images that the examples name, and the images that a node needs.
RECIPES = {
    "sandbox": {"packages": [], "script": "sandbox.sh"},
    "busybox": {"packages": [], "script": None},
    "service": {"packages": [], "script": "service.sh"},
    "web": {"packages": [], "script": "web.sh"},
    "postgres": {"packages": ["postgresql-15", "postgresql-client-15", "util-linux", "tzdata"], "script": "postgres.sh"},
}


def made(name):
    """The folder of the image of that recipe, made when it is not there yet."""
    recipe = RECIPES[name]
    sources = [pathlib.Path(__file__), *([_RECIPES / recipe["script"]] if recipe["script"] else [])]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    final = paths.CACHE / "node/images" / f"{name}-{key}"
    if not final.exists():
        final.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=final.parent) as draft:
            draft = pathlib.Path(draft)
            _tree(recipe, draft / "tree")
            wrap(draft / "tree", draft / "image", ["/entrypoint"] if recipe["script"] else None)
            (draft / "image").rename(final)
    return final


def of_program(program, folder):
    """An image with one static program."""
    with tempfile.TemporaryDirectory() as draft:
        tree = pathlib.Path(draft)
        shutil.copy(program, tree / "program")
        return wrap(tree, folder, ["/program"])


if __name__ == "__main__":
    for each in sys.argv[1:] or RECIPES:
        print(made(each))
