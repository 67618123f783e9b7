# SPDX-License-Identifier: Apache-2.0
"""One real node for all tests, and the chart installed on it; a namespace of its own for each test."""

import itertools
import re
import shutil

import pytest

from support import images, paths
from support import node as nodes
from support.audit import AuditLog
from support.namespace import Namespace
from support.processes import SharedFolder
from support.release import NS, Release

LOGS = paths.ROOT / "build/e2e-logs"
STAND_INS = {"busybox": "busybox", "nginx:latest": "service", "store/intersystems/iris-community:2020.4.0.524.0": "service"}
DATABASES = ("postgres:16", "super-great-docker-image")
APPLIER = f"system:serviceaccount:{NS}:xebec-applier"
_numbers = itertools.count(1)


class Audit(AuditLog):
    def writes(self, mark, user=APPLIER):
        return super().writes(mark, user)


@pytest.fixture(scope="session")
def folder():
    shared = SharedFolder(nodes.folder())
    yield shared
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    for log in shared.path.glob("*.log"):
        if log.name != "audit.log":
            shutil.copy(log, LOGS)
    if (shared.path / "pod-logs").exists():
        shutil.copytree(shared.path / "pod-logs", LOGS / "pods", dirs_exist_ok=True, symlinks=True)


@pytest.fixture(scope="session")
def node(folder):
    """With the images that the examples name, and the product's under its own name and as if it were the next version."""
    node = nodes.Node(folder)
    for name, recipe in STAND_INS.items():
        node.offer(name, images.made(recipe))
    [archive] = paths.image_folder().glob("xebec-*.tar")
    product = images.unpack(archive, folder.path / "product")
    node.offer(archive.stem.replace("-", ":", 1), product)
    node.offer("xebec:next", images.relabelled(product, folder.path / "next"))
    node.start()
    node.make_volumes(node.client(), 12)
    return node


@pytest.fixture(scope="session")
def postgres(node):
    """With the images of the examples' databases, too."""
    for name in DATABASES:
        node.offer(name, images.made("postgres"))


@pytest.fixture(scope="session")
def kube(node):
    return node.client()


@pytest.fixture(scope="session")
def audit(node):
    return Audit(node.audit_file)


@pytest.fixture(scope="session")
def installed(node):
    release = Release(node)
    release.install()
    return release


@pytest.fixture
def release(installed):
    """Whole, whatever an earlier test did to it."""
    installed.wait_whole()
    return installed


@pytest.fixture
def here(request, kube, release):
    words = re.sub(r"[^a-z0-9]+", "-", request.node.originalname.removeprefix("test_").lower())
    name = f"{words[:40].strip('-')}-{next(_numbers)}"
    kube.create_namespace(name)
    namespace = Namespace(kube, name)
    yield namespace
    namespace.delete_parents()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Shows with a failure what the cluster has to say."""
    report = (yield).get_result()
    installed = getattr(item, "funcargs", {}).get("installed")
    if report.failed and installed:
        report.sections.append(("the release", installed.troubles()))
