# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the e2e tests: one real node with the chart for all tests, and a namespace for each test."""

import shutil

import pytest

from support import images, paths
from support import node as nodes
from support.audit import Accounts, AuditLog
from support.docker import Docker
from support.fixtures import forbidden_requests, keep_logs, new_namespace
from support.processes import SharedFolder
from support.release import NS, Release
from support.terminal import Terminal

LOGS = paths.ROOT / "build/e2e-logs"
STAND_INS = {"busybox": "busybox", "nginx:latest": "service", "store/intersystems/iris-community:2020.4.0.524.0": "service",
             "nginx:1.27-alpine": "web"}
DATABASES = ("postgres:16", "super-great-docker-image")
ACCOUNT = f"system:serviceaccount:{NS}:"


class Audit(AuditLog):
    accounts = Accounts(f"{ACCOUNT}xebec-watcher", f"{ACCOUNT}xebec-applier", NS)


@pytest.fixture(scope="session")
def folder():
    shared = SharedFolder(nodes.folder())
    yield shared
    keep_logs(shared.path, LOGS, skip={"audit.log"})
    if (shared.path / "pod-logs").exists():
        shutil.copytree(shared.path / "pod-logs", LOGS / "pods", dirs_exist_ok=True, symlinks=True)


@pytest.fixture(scope="session")
def node(folder):
    """With the images that the examples name, the example of an operator in Go, and the product's under its own name
    and as the next version, with another planner."""
    node = nodes.Node(folder)
    for name, recipe in STAND_INS.items():
        node.offer(name, images.made(recipe))
    node.offer("website-operator:0.1.0", images.of_program(paths.example_program("go-website"), folder.path / "website-operator"))
    [archive] = paths.image_folder().glob("xebec-*.tar")
    product = images.unpack(archive, folder.path / "product")
    node.offer(archive.stem.replace("-", ":", 1), product)
    node.offer("xebec:next", images.with_program(product, folder.path / "next", "usr/bin/xebec-planner", paths.service_binary("xebec-planner-next")))
    node.start()
    node.make_volumes(node.client(), 14)
    return node


@pytest.fixture(scope="session")
def postgres(node):
    """With the images of the examples' databases, too."""
    for name in DATABASES:
        node.offer(name, images.made("postgres"))


@pytest.fixture(scope="session")
def docker(folder):
    daemon = Docker(folder)
    yield daemon
    daemon.stop()


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
    """The release, with all Pods ready again after an earlier test."""
    installed.wait_whole()
    return installed


@pytest.fixture
def here(request, kube, release):
    namespace = new_namespace(request, kube)
    yield namespace
    namespace.delete_parents()


@pytest.fixture
def terminal(node, tmp_path):
    return Terminal(node, tmp_path)


@pytest.fixture(autouse=True)
def services_stay_within_their_rights(request):
    """Fails a test in which a service made a request without the right to, or the planner made any request."""
    if "release" not in request.fixturenames:
        yield
        return
    audit = request.getfixturevalue("audit")
    mark = audit.mark()
    yield
    ours = [entry for entry in audit.since(mark) if entry.user.startswith(ACCOUNT)]
    named = [entry._replace(user=entry.user.rpartition(":")[2]) for entry in ours]
    found = forbidden_requests(request, named)
    found += [f"{entry.user}: {entry.verb} {entry.uri}" for entry in named if entry.user == "xebec-planner"]
    assert not found, "\n".join(found)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Adds the state of the release to the report of a failure."""
    report = (yield).get_result()
    installed = getattr(item, "funcargs", {}).get("installed")
    if report.failed and installed:
        report.sections.append(("the release", installed.state()))
