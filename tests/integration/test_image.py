# SPDX-License-Identifier: Apache-2.0
"""The container image that `./dev image` builds."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile

import pytest

from image import archive as packer
from image import reference
from image.root import packages_of
from support import paths

# Binaries with a sanitizer in them are not what ships: too large, and they look for /proc.
pytestmark = pytest.mark.skipif(os.environ.get("XEBEC_PRESET", "dev") not in ("dev", "release"), reason="made as what ships is, by gcc and without instruments")
BINARIES = ("xebec", "xebec-watcher", "xebec-planner", "xebec-applier", "xebec-hooks", "xebec-certs")
LIMIT = 60_000_000


def make(*arguments):
    command = [sys.executable, "-B", "-m", "image.make", "--binaries", os.path.dirname(paths.service_binary("xebec-planner")), *arguments]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("image")
    make("--output", made)
    return made


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    made = tmp_path_factory.mktemp("tree")
    make("--root", made)
    return made


def archive(folder):
    [path] = folder.glob("xebec-*.tar")
    return path


def read(folder, name):
    with tarfile.open(archive(folder)) as tar:
        return json.load(tar.extractfile(name))


def test_two_builds_are_equal_to_the_byte(folder, tmp_path):
    make("--output", tmp_path)
    assert archive(folder).read_bytes() == archive(tmp_path).read_bytes()


@pytest.mark.parametrize("name, full, familiar", [
    ("xebec:0.1.0", "docker.io/library/xebec:0.1.0", "xebec:0.1.0"), ("xebec", "docker.io/library/xebec:latest", "xebec:latest"),
    ("team/xebec:1", "docker.io/team/xebec:1", "team/xebec:1"), ("docker.io/xebec:1", "docker.io/library/xebec:1", "xebec:1"),
    ("registry.example:5000/team/xebec:1", "registry.example:5000/team/xebec:1", "registry.example:5000/team/xebec:1"),
    ("registry.example:5000/xebec", "registry.example:5000/xebec:latest", "registry.example:5000/xebec:latest"),
    ("localhost/xebec:1", "localhost/xebec:1", "localhost/xebec:1")])
def test_an_image_has_the_name_that_it_was_given_as_docker_completes_it(tmp_path, name, full, familiar):
    out = tmp_path / "tiny.tar"
    packer.write(out, name, {"etc/motd": (0o644, b"hello")}, "2026-11-22T00:00:00Z", "amd64", {}, 65532)
    with tarfile.open(out) as tar:
        [listed] = json.load(tar.extractfile("index.json"))["manifests"]
        [loaded] = json.load(tar.extractfile("manifest.json"))
    assert listed["annotations"] == {"io.containerd.image.name": full, "org.opencontainers.image.ref.name": full.rpartition(":")[2]}
    assert loaded["RepoTags"] == [familiar]


@pytest.mark.parametrize("name, words", [("xebec@sha256:" + "0" * 64, "digest"), ("Team/xebec:1", "lower case"), ("xebec:", "REPOSITORY:TAG"), ("", "REPOSITORY:TAG"),
                                         ("registry.example:5000/", "REPOSITORY:TAG"), ("xebec:a b", "REPOSITORY:TAG")])
def test_a_name_that_no_image_can_have_is_refused(name, words):
    with pytest.raises(ValueError, match=words):
        reference.complete(name)


def test_there_is_no_library_that_none_of_them_needs(tree):
    needed = "".join(subprocess.run(["ldd", paths.service_binary(binary)], capture_output=True, text=True, check=True).stdout for binary in BINARIES)
    packed = {path.name for path in tree.rglob("*.so*")}
    assert packed and packed == set(re.findall(r"([^\s/]+\.so[.\d]*) (?:=>|\()", needed)) - {"linux-vdso.so.1"}


@pytest.mark.parametrize("binary", BINARIES)
def test_every_binary_runs_with_nothing_but_the_image(tree, binary):
    done = subprocess.run(["unshare", "--map-root-user", "chroot", tree, f"/usr/bin/{binary}", "--version"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and binary in done.stdout, done.stderr


@pytest.mark.skipif(os.environ.get("XEBEC_PRESET") != "release", reason="asked of what ships")
@pytest.mark.parametrize("binary", BINARIES)
def test_where_it_was_built_is_not_in_it(tree, binary):
    assert str(paths.ROOT).encode() not in (tree / "usr/bin" / binary).read_bytes()


def test_it_has_neither_shell_nor_package_manager_and_is_small(tree):
    files = [path for path in tree.rglob("*") if path.is_file()]
    names = {path.name for path in files}
    assert not names & {"sh", "bash", "dash", "busybox", "apt", "dpkg", "apt-get"}
    assert {path.name for path in (tree / "usr/bin").iterdir()} == set(BINARIES)
    assert sum(path.stat().st_size for path in files) <= LIMIT


def test_it_runs_as_nobody_and_says_what_it_is(folder):
    [manifest] = read(folder, "manifest.json")
    config = read(folder, manifest["Config"])["config"]
    assert config["User"] == "65532:65532"
    assert config["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0"
    assert set(config["Labels"]) == set(re.findall(r"org\.opencontainers\.image\.\w+", (paths.ROOT / "Dockerfile").read_text()))
    assert manifest["RepoTags"] == [f"xebec:{config['Labels']['org.opencontainers.image.version']}"]


def test_the_bill_of_materials_names_every_package_with_its_version(folder, tree):
    [path] = folder.glob("*.spdx.json")
    bill = json.loads(path.read_text())
    assert bill["spdxVersion"] == "SPDX-2.3"
    listed = {package["name"]: package["versionInfo"] for package in bill["packages"]}
    assert {"xebec", "libc6", "libgrpc29", "libssl3"} <= set(listed)
    assert {"nlohmann-json3-dev", "libcli11-dev", "grpc-proto"} <= set(listed)  # headers and protos that are compiled in
    assert all(listed.values())
    assert {path.parent.name for path in (tree / "usr/share/doc").glob("*/copyright")} == set(listed)


def headers_of(binaries):
    """Those outside the project that were read when these were compiled, as ninja has noted."""
    build = pathlib.Path(paths.service_binary(binaries[0])).parents[1]

    def ninja(*arguments):
        return subprocess.run(["ninja", "-C", build, "-t", *arguments], capture_output=True, text=True, check=True).stdout.splitlines()
    objects = [line for line in ninja("inputs", *(f"bin/{name}" for name in binaries)) if line.endswith(".o")]
    return {line.strip() for line in ninja("deps", *objects) if line.startswith("    /usr/")}


def sources(packages):
    """The Debian source packages that these were built from."""
    return set(subprocess.run(["dpkg-query", "-W", "-f", "${source:Package}\\n", *packages], capture_output=True, text=True, check=True).stdout.split())


def test_the_bill_of_materials_names_every_library_that_is_compiled_in_from_its_headers(folder):
    [path] = folder.glob("*.spdx.json")
    listed = {package["name"] for package in json.loads(path.read_text())["packages"]}
    used = {name for name, _ in packages_of(headers_of(BINARIES))}
    assert {"libcli11-dev", "libgrpc++-dev"} <= used
    of_the_kernel = {"linux"}  # numbers and structures of its interface
    assert sources(used) - of_the_kernel <= sources(listed - {"xebec"})
