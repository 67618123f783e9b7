# SPDX-License-Identifier: Apache-2.0
"""./dev release: writes the artifacts of a release into build/dist/VERSION.

install.yaml                       the namespace, and the objects of the chart with its default values
crds.yaml                          the CustomResourceDefinitions alone
xebec-VERSION.tgz                  the chart
xebec-VERSION-linux-ARCH.tar       the container image, for the architecture of this machine
xebec-VERSION-linux-ARCH.spdx.json its SBOM
xebec_operator-VERSION-py3-none-any.whl the Python SDK
SHA256SUMS                         the checksums of all other files
"""

import argparse
import gzip
import hashlib
import io
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import yaml

from image import make
from support import chart, manifests, paths

NAMESPACE = {"apiVersion": "v1", "kind": "Namespace",
             "metadata": {"name": chart.NAMESPACE, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}


# The version in each file that docs/versions.md tells a maintainer to change.
VERSION_IN = {"charts/xebec/Chart.yaml": r'^version: "?([^"\n]+)"?$',
              "docker-compose.yml": r"XEBEC_IMAGE:-xebec:([^}]+)}",
              "sdk/python/pyproject.toml": r'^version = "(.+)"$',
              "sdk/python/src/xebec_operator/_version.py": r'^__version__ = "(.+)"$',
              "sdk/go/doc.go": r'^const Version = "(.+)"$'}
APP_VERSION = r'^appVersion: "?([^"\n]+)"?$'


def version_in(root, file, pattern):
    found = re.search(pattern, (root / file).read_text(encoding="utf-8"), re.M)
    if not found:
        raise SystemExit(f"./dev release: {file} names no version")
    return found[1]


def versions(root=paths.ROOT):
    """{file: version} of every file that names the version of the project."""
    return ({"CMakeLists.txt": make.version()} | {file: version_in(root, file, pattern) for file, pattern in VERSION_IN.items()} |
            {"charts/xebec/Chart.yaml, appVersion": version_in(root, "charts/xebec/Chart.yaml", APP_VERSION)})


def one_version(root=paths.ROOT):
    found = versions(root)
    if len(set(found.values())) != 1:
        raise SystemExit("./dev release: the versions differ: " + ", ".join(f"{file} has {version}" for file, version in found.items()))
    return make.version()


def chart_archive():
    """The chart as `helm package` writes it. Equal contents give equal bytes."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for file in sorted(path for path in paths.CHART.rglob("*") if path.is_file() and path.name != ".helmignore"):
            info = tarfile.TarInfo(f"xebec/{file.relative_to(paths.CHART)}")
            info.size = file.stat().st_size
            with open(file, "rb") as content:
                tar.addfile(info, content)
    return gzip.compress(plain.getvalue(), 9, mtime=0)


def install_manifest(values):
    """The chart's objects without its tests."""
    rendered = chart.helm("template", "xebec", paths.CHART, "--namespace", chart.NAMESPACE, "--skip-tests", values=values)
    if rendered.returncode:
        raise SystemExit(f"./dev release: helm template failed: {rendered.stderr}")
    return f"---\n{yaml.safe_dump(NAMESPACE, sort_keys=False)}{rendered.stdout}"


def write_image(folder, version, binaries, name):
    """The image and its SBOM."""
    architecture = make.ARCHITECTURES[platform.machine()]
    subprocess.run([sys.executable, "-B", "-m", "image.make", "--binaries", binaries, "--output", folder, "--name", name], cwd=paths.ROOT,
                   check=True, stdout=subprocess.DEVNULL)
    for suffix in ("tar", "spdx.json"):
        (folder / f"xebec-{version}.{suffix}").rename(folder / f"xebec-{version}-linux-{architecture}.{suffix}")


def write_sdk(folder):
    """The wheel of the Python SDK."""
    with tempfile.TemporaryDirectory() as built:
        subprocess.run([paths.ROOT / "scripts/sdk-python", "--dist", built], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for wheel in pathlib.Path(built).glob("*.whl"):
            shutil.copy(wheel, folder)


def checksums(folder):
    """The text of SHA256SUMS, as sha256sum writes it."""
    files = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    return "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)


def parse(version):
    parser = argparse.ArgumentParser(prog="./dev release", description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=paths.ROOT / "build/dist" / version, help="folder of the artifacts")
    parser.add_argument("--binaries", type=pathlib.Path, default=paths.ROOT / "build/release/bin", help="folder of the programs")
    parser.add_argument("--registry", default="", help="registry of the image in install.yaml and in the image archive")
    parser.add_argument("--add", type=pathlib.Path, action="append", default=[],
                        help="a file to add, such as the image of another architecture; can be repeated")
    return parser.parse_args()


def main():
    version = one_version()
    options = parse(version)
    shutil.rmtree(options.output, ignore_errors=True)
    options.output.mkdir(parents=True)
    prefix = f"{options.registry}/" if options.registry else ""
    (options.output / "install.yaml").write_text(install_manifest({"image": {"registry": options.registry}}), encoding="utf-8")
    (options.output / "crds.yaml").write_text(yaml.safe_dump_all(manifests.crds(), sort_keys=False), encoding="utf-8")
    (options.output / f"xebec-{version}.tgz").write_bytes(chart_archive())
    write_image(options.output, version, options.binaries, f"{prefix}xebec:{version}")
    write_sdk(options.output)
    for file in options.add:
        shutil.copy(file, options.output)
    (options.output / "SHA256SUMS").write_text(checksums(options.output), encoding="utf-8")
    for file in sorted(options.output.iterdir()):
        print(f"{file.stat().st_size:>12,}  {file.relative_to(options.output.parent)}")


if __name__ == "__main__":
    main()
