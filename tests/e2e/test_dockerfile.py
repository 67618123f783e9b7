# SPDX-License-Identifier: Apache-2.0
"""A Docker daemon builds the Dockerfile: a second compilation gives the same bytes."""

import hashlib
import json
import os
import subprocess
import sys
import tarfile

import pytest

from support import debian_base, paths

VERSION = "9.8.7"
REVISION = "0123456789abcdef"


def packages():
    """Those that the project names."""
    script = '. "$1/scripts/lib/packages.sh"; echo "${packages[@]}"'
    return subprocess.run(["bash", "-c", script, "-", paths.ROOT], capture_output=True, text=True, check=True).stdout.split()


@pytest.fixture(scope="module")
def built(docker, tmp_path_factory):
    """Name of the image."""
    base = debian_base.write(tmp_path_factory.mktemp("base") / "debian.tar", packages())
    docker.run("import", base, "debian:12")
    base.unlink()
    docker.run("build", "--network", "host", "--build-arg", f"VERSION={VERSION}", "--build-arg", f"REVISION={REVISION}", "--tag", "xebec:built",
               paths.ROOT, minutes=40, DOCKER_BUILDKIT="0")
    yield "xebec:built"
    docker.run("image", "rm", "xebec:built")


@pytest.fixture(scope="module")
def saved(docker, built, tmp_path_factory):
    out = tmp_path_factory.mktemp("saved") / "image.tar"
    docker.run("save", "-o", out, built)
    return out


def files(saved):
    """[(path, mode, content)]"""
    with tarfile.open(saved) as tar:
        [manifest] = json.load(tar.extractfile("manifest.json"))
        [name] = manifest["Layers"]
        with tarfile.open(fileobj=tar.extractfile(name)) as layer:
            return [(each.name, each.mode & 0o7777, layer.extractfile(each).read()) for each in layer if each.isfile()]


def contents(saved):
    """{path: (mode, SHA-256)} of the files."""
    return {name: (mode, hashlib.sha256(content).hexdigest()) for name, mode, content in files(saved)}


BUILT_HERE = os.path.dirname(paths.service_binary("xebec-planner"))


def make(*arguments):
    subprocess.run([sys.executable, "-B", "-m", "image.make", *arguments], cwd=paths.ROOT, check=True)


def digest(folder):
    [archive] = folder.glob("xebec-*.tar")
    with tarfile.open(archive) as tar:
        return json.load(tar.extractfile("index.json"))["manifests"][0]["digest"]


def test_two_compilations_in_two_places_make_one_digest(saved, tmp_path):
    for name, mode, content in files(saved):
        if name.startswith("usr/bin/"):
            (tmp_path / "bin").mkdir(exist_ok=True)
            (tmp_path / name.removeprefix("usr/")).write_bytes(content)
            (tmp_path / name.removeprefix("usr/")).chmod(mode)
    make("--binaries", tmp_path / "bin", "--output", tmp_path / "theirs")
    make("--binaries", BUILT_HERE, "--output", tmp_path / "ours")
    assert digest(tmp_path / "theirs") == digest(tmp_path / "ours")


def test_it_holds_to_the_byte_what_dev_image_makes(saved, tmp_path):
    make("--binaries", BUILT_HERE, "--root", tmp_path)
    ours = {str(path.relative_to(tmp_path)): (path.stat().st_mode & 0o7777, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in tmp_path.rglob("*") if path.is_file()}
    assert contents(saved) == ours


def test_it_says_what_it_is_and_runs(docker, built):
    [image] = json.loads(docker.run("image", "inspect", built))
    labels = image["Config"]["Labels"]
    assert labels["org.opencontainers.image.version"] == VERSION and labels["org.opencontainers.image.revision"] == REVISION
    assert image["Config"]["User"] == "65532:65532" and image["Size"] <= 60_000_000
    assert "xebec-planner" in docker.run("run", "--rm", "--network", "host", "--read-only", built, "xebec-planner", "--version")
