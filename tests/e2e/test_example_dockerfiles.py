# SPDX-License-Identifier: Apache-2.0
"""A Docker daemon builds the images of the example operators from their Dockerfiles. Stand-ins made of this machine's
Python and Go take the place of the official base images, because no registry is needed for the tests."""

import shutil
import subprocess

import pytest

from support import debian_base, grpcurl, paths
from support.eventually import eventually
from support.processes import free_port

OPERATORS = paths.EXAMPLES / "operators"
OFFLINE_PIP = ["ENV PIP_BREAK_SYSTEM_PACKAGES=1", "ENV PIP_NO_INDEX=1"]
OFFLINE_GO = ["ENV PATH=/usr/local/go/bin:/usr/bin:/bin", "ENV GOMODCACHE=/modules", "ENV GOSUMDB=off", "ENV GOTOOLCHAIN=local"]


def stand_in(docker, folder, name, packages, changes, more=None):
    base = debian_base.write(folder / "base.tar", packages, more)
    docker.run("import", *(word for change in changes for word in ("--change", change)), base, name)
    base.unlink()


@pytest.fixture(scope="module")
def python_base(docker, tmp_path_factory):
    folder = tmp_path_factory.mktemp("python")
    (folder / "python").symlink_to("python3")
    stand_in(docker, folder, "python:3.13-slim", ["python3-pip", "python3-grpcio", "python3-protobuf"], OFFLINE_PIP, {"usr/bin/python": folder / "python"})


@pytest.fixture(scope="module")
def go_base(docker, tmp_path_factory):
    stand_in(docker, tmp_path_factory.mktemp("go"), "golang:1.26", ["ca-certificates", "dash"], OFFLINE_GO,
             {"usr/local/go": (paths.CACHE / "node/go-root").resolve(), "modules": paths.CACHE / "node/go-modules"})


@pytest.fixture(scope="module")
def wheel():
    subprocess.run([paths.ROOT / "scripts/sdk-python", "--dist"], check=True, stdout=subprocess.DEVNULL)
    [wheel] = (paths.ROOT / "build/sdk/dist").glob("xebec_operator-*.whl")
    return wheel


def describe(address):
    return grpcurl.run("-import-path", paths.PROTO, "-proto", "xebec/hooks/v1/hook.proto", address, "xebec.hooks.v1.HookService/Describe", data={})


def answers(docker, image):
    """The program of the image answers as a hook."""
    address = f"127.0.0.1:{free_port()}"
    name = image.partition(":")[0]
    docker.run("run", "--detach", "--rm", "--name", name, "--network", "host", "--read-only", "--env", f"XEBEC_HOOK_LISTEN={address}", image)
    try:
        eventually(lambda: describe(address).returncode == 0, 60, what=f"{image} answers")
    finally:
        docker.run("stop", "--time", "10", name)


@pytest.mark.parametrize("example", ["python-website", "python-iris"])
def test_the_image_of_an_example_in_python(docker, python_base, wheel, example, tmp_path):
    context = tmp_path / example
    shutil.copytree(OPERATORS / example, context)
    shutil.copy(wheel, context)
    docker.run("build", "--network", "none", "--tag", f"{example}:built", context, minutes=10, DOCKER_BUILDKIT="0")
    answers(docker, f"{example}:built")


def test_the_image_of_the_example_in_go(docker, go_base):
    docker.run("build", "--network", "none", "--tag", "go-website:built", "-f", OPERATORS / "go-website/Dockerfile", paths.ROOT, minutes=10,
               DOCKER_BUILDKIT="0")
    [user] = docker.run("image", "inspect", "--format", "{{.Config.User}}", "go-website:built").splitlines()
    assert user == "65532:65532"
    answers(docker, "go-website:built")
