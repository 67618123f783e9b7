# SPDX-License-Identifier: Apache-2.0
"""One control plane and one trio for all tests of a worker (pytest-xdist starts several); a namespace of its own for each test."""

import itertools
import os
import pathlib
import re
import shutil

import pytest

from parents import PROBE
from support import manifests, paths, rights, sanitizers
from support.audit import AuditLog, violations
from support.cluster import start_cluster
from support.eventually import eventually
from support.fake_node import FakeNode
from support.namespace import Namespace
from support.narrator import tail
from support.processes import RunFolder
from support.trio import Trio

LOGS = paths.ROOT / "build/integration-logs" / os.environ.get("PYTEST_XDIST_WORKER", "all")
# A file is one worker's: the longest first, so that none is still running when the other workers have ended.
LONGEST_FIRST = ("test_faults", "test_chart", "test_inherited", "test_scaling", "test_revisions", "test_tls", "test_namespace_goes", "test_dev_run")
# A control plane has memory, not time: its garbage is collected seldom, which is a sixth of its processor time.
os.environ.setdefault("GOGC", "400")
USED_RIGHTS = set()  # by the tests of this worker; those of all workers where they end
_numbers = itertools.count(1)


def pytest_collection_modifyitems(items):
    rank = {name: number for number, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))


@pytest.fixture(scope="session")
def folder():
    """Where processes and data of this run are; their logs are kept in build/integration-logs."""
    run = RunFolder("test")
    yield run
    run.close(keep=True)
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    for log in run.path.glob("*.log"):
        shutil.copy(log, LOGS)
    found = sanitizers.reports(run.path)
    run.close()
    assert not found, "\n".join([f"In {LOGS}:", *found])


@pytest.fixture(scope="session")
def cluster(folder):
    """With the kind of the project's own tests besides the built-in ones."""
    controlplane = start_cluster(folder)
    client = controlplane.client()
    manifests.apply_all(client, manifests.read(paths.ROOT / "tests/controlplane/rbac-test-kinds.yaml"))
    manifests.install(client, manifests.read(paths.PROBE_CRD))
    yield controlplane
    USED_RIGHTS.update(rights.used(AuditLog(controlplane.audit_file).of_services()))


@pytest.fixture(scope="session")
def kube(cluster):
    return cluster.client()


@pytest.fixture(scope="session")
def audit(cluster):
    return AuditLog(cluster.audit_file)


@pytest.fixture(scope="session")
def node(cluster):
    node = FakeNode(cluster.client()).start()
    yield node
    node.stop()


@pytest.fixture(scope="session")
def only_trio(folder, cluster, node):
    trio = Trio(folder, {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig})
    yield trio
    trio.stop()


@pytest.fixture(scope="session")
def probe_trio(folder, cluster, node):
    """Plans nothing but Probes, beside the other: one watcher finds claims by one label alone, and theirs is not that of Databases. Its
    plans live shortly, since what deletes waits for the longest of them whenever a watcher begins."""
    watcher = ["--kinds", PROBE, "--lease-prefix", "xebec-probe-", "--plan-life", "4s", "--request-timeout", "4s"]
    trio = Trio(folder, {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig},
                {"planner": ["--test-kinds"], "watcher": watcher, "applier": ["--parent-labels", "test.xebec.dev/probe"]}, "probe-")
    yield trio
    trio.stop()


@pytest.fixture
def nobody_plans_probes(probe_trio):
    """For tests that make plans for Probes by hand. The next test of Probes starts what is stopped here."""
    if probe_trio.watcher.running():
        probe_trio.watcher.stop()


@pytest.fixture
def trio(request, only_trio):
    """The three services, all running and ready when the test begins, whatever an earlier one did to them. For a test of Probes, which has
    PROBE as a parameter or `of_probes` as a mark, those that plan them."""
    only_trio.make_whole()
    parameters = request.node.callspec.params.values() if hasattr(request.node, "callspec") else []
    if PROBE not in parameters and not request.node.get_closest_marker("of_probes"):
        return only_trio
    trio = request.getfixturevalue("probe_trio")
    trio.make_whole()
    return trio


@pytest.fixture
def here(request, trio, kube):
    """A fresh namespace in which the trio works. Its parents go with the test, so that others find the trio at rest."""
    words = re.sub(r"[^a-z0-9]+", "-", request.node.originalname.removeprefix("test_").lower())
    name = f"{words[:40].strip('-')}-{next(_numbers)}"
    kube.create_namespace(name)
    namespace = Namespace(kube, name)
    yield namespace
    namespace.delete_parents()
    if manifests.served(kube, PROBE) and namespace.names(PROBE):  # they have a finalizer
        trio.make_whole()
        eventually(lambda: namespace.names(PROBE) == [], what="the Probes are gone")


@pytest.fixture(autouse=True)
def nobody_goes_beyond_their_rights(request):
    """Fails any test in which a service asked for what it has no right to."""
    if "cluster" not in request.fixturenames and "trio" not in request.fixturenames:
        yield
        return
    audit = request.getfixturevalue("audit")
    mark = audit.mark()
    yield
    found = violations(audit.since(mark), request.node.get_closest_marker("expects_forbidden") is not None)
    assert not found, "\n".join(found)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Shows the end of the services' logs with a failure."""
    report = (yield).get_result()
    trio = getattr(item, "funcargs", {}).get("trio") or getattr(item, "funcargs", {}).get("only_trio")
    if report.failed and trio:
        for service in trio.services:
            if service.process:
                report.sections.append((f"log of {service.name}", tail(service.process, 12)))


# ---- the end of a whole run: is every right used? ----------------------------------------------------------------


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """A worker has ended."""
    USED_RIGHTS.update(map(tuple, getattr(node, "workeroutput", {}).get("used rights", [])))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    config = session.config
    if hasattr(config, "workeroutput"):
        config.workeroutput["used rights"] = sorted(USED_RIGHTS)
    elif exitstatus == 0 and is_whole(config):
        config.surplus_rights = rights.surplus(USED_RIGHTS)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED if config.surplus_rights else exitstatus


def is_whole(config):
    """Every test of this folder and no choice among them."""
    here = pathlib.Path(__file__).parent
    return not (config.option.keyword or config.option.markexpr or config.option.collectonly) and \
        [(config.invocation_params.dir / argument).resolve() for argument in config.args] == [here]


def pytest_terminal_summary(terminalreporter, config):
    if getattr(config, "surplus_rights", None):
        terminalreporter.section("ERROR: rights that no test has used", red=True)
        terminalreporter.write_line("Take them from charts/xebec (kinds.yaml, _rights.tpl), or test what needs them:")
        terminalreporter.write_line("\n".join(config.surplus_rights))
