# SPDX-License-Identifier: Apache-2.0
"""./dev image: builds the container image from the release build and from Debian packages, without a container
engine."""

import argparse
import datetime
import os
import pathlib
import platform
import re
import subprocess

from image import archive, reference, root, sbom

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def version():
    return re.search(r"project\(xebec VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False).stdout.strip()


def created():
    """SOURCE_DATE_EPOCH, else the time of the commit, so that equal sources give equal bytes."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or git("show", "-s", "--format=%ct", "HEAD") or "0"
    return datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def labels():
    return {"org.opencontainers.image.title": "xebec", "org.opencontainers.image.version": version(),
            "org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.created": created(),
            "org.opencontainers.image.revision": git("rev-parse", "HEAD"),
            "org.opencontainers.image.description": "Xebec: a Kubernetes operator runtime; watcher, planner, applier and hook gateway"}


def name_of_image(text):
    try:
        reference.complete(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return text


def arguments():
    parser = argparse.ArgumentParser(prog="./dev image", description=__doc__)
    parser.add_argument("--name", type=name_of_image, default=f"xebec:{version()}", help="name of the image: [REGISTRY/]REPOSITORY:TAG")
    parser.add_argument("--binaries", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of the programs")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "build/image", help="folder for the archive and the SBOM")
    parser.add_argument("--root", type=pathlib.Path, help="write the files of the image to this folder and no archive (for the Dockerfile)")
    return parser.parse_args()


def write_tree(files, folder):
    for path, (mode, data) in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
        (folder / path).chmod(mode)


def main():
    options = arguments()
    files, packages = root.contents(ROOT, options.binaries)
    if options.root:
        return write_tree(files, options.root)
    options.output.mkdir(parents=True, exist_ok=True)
    out = options.output / f"xebec-{version()}.tar"
    digest, packed, plain = archive.write(out, options.name, files, created(), ARCHITECTURES[platform.machine()], labels(), root.USER)
    (options.output / f"xebec-{version()}.spdx.json").write_text(sbom.document("xebec", version(), created(), digest, packages))
    print(f"{out}: {options.name}, {digest}\n{packed / 1e6:.1f} MB packed, {plain / 1e6:.1f} MB unpacked, {len(files)} files "
          f"from {len(packages)} Debian packages; the SBOM is beside it")
    return None


if __name__ == "__main__":
    main()
