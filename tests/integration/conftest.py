# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the integration tests. Each pytest-xdist worker has one control plane and one set of services; each test
has its own namespace."""

import os
import pathlib

import pytest

from parents import PROBE
from support import manifests, paths, rights, sanitizers
from support.audit import AuditLog
from support.cluster import start_cluster
from support.eventually import eventually
from support.fake_node import FakeNode
from support.fixtures import forbidden_requests, keep_logs, new_namespace
from support.processes import RunFolder, tail
from support.services import Services

LOGS = paths.ROOT / "build/integration-logs" / os.environ.get("PYTEST_XDIST_WORKER", "all")
# Each file runs on one worker. The longest files start first, so that all workers end at about the same time.
LONGEST_FIRST = ("test_bad_watchers", "test_faults", "test_inherited", "test_operators", "test_chart", "test_watchers_die",
                 "test_watchers_come_and_go", "test_watchers_delete", "test_leadership", "test_tls", "test_invalid", "test_crds")
# Rare garbage collection saves a sixth of the control plane's CPU time; memory is plentiful.
os.environ.setdefault("GOGC", "400")
USED_RIGHTS = set()  # rights that the tests of this worker used; in the main process, of all workers


def pytest_collection_modifyitems(items):
    rank = {name: number for number, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: rank.get(item.path.stem, len(rank)))


@pytest.fixture(scope="session")
def folder():
    """The processes and data of this run. Their logs are kept in build/integration-logs."""
    run = RunFolder("test")
    yield run
    run.close(keep=True)
    keep_logs(run.path, LOGS)
    found = sanitizers.reports(run.path)
    run.close()
    assert not found, "\n".join([f"In {LOGS}:", *found])


@pytest.fixture(scope="session")
def cluster(folder):
    """Has the CRD of the tests' own kind besides the built-in ones."""
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
def shared_services(folder, cluster, node):
    services = Services(folder, {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig})
    yield services
    services.stop()


@pytest.fixture(scope="session")
def probe_services(folder, cluster, node):
    """Plans nothing but Probes, beside the other: one watcher finds claims by one label alone, and theirs is not that
    of Databases. Its plans live shortly, since what deletes waits for the longest of them whenever a watcher begins."""
    watcher = ["--kinds", PROBE, "--lease-prefix", "xebec-probe-", "--plan-life", "4s", "--request-timeout", "4s"]
    services = Services(folder, {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig},
                {"watcher": watcher, "applier": ["--parent-labels", "test.xebec.dev/probe"]}, "probe-", {"planner": "planner-test"})
    yield services
    services.stop()


@pytest.fixture
def nobody_plans_probes(probe_services):
    """For tests that make plans for Probes by hand. The next test of Probes starts what is stopped here."""
    if probe_services.watcher.running():
        probe_services.watcher.stop()


@pytest.fixture
def services(request, shared_services):
    """The three services, all running and ready when the test begins, whatever an earlier one did to them. For a test
    of Probes, which has PROBE as a parameter or `of_probes` as a mark, those that plan them."""
    shared_services.make_whole()
    parameters = request.node.callspec.params.values() if hasattr(request.node, "callspec") else []
    if PROBE not in parameters and not request.node.get_closest_marker("of_probes"):
        return shared_services
    services = request.getfixturevalue("probe_services")
    services.make_whole()
    return services


@pytest.fixture
def here(request, services, kube):
    """A new namespace that the services watch. Its parents are deleted after the test, so that the next test finds the
    services idle."""
    namespace = new_namespace(request, kube)
    yield namespace
    namespace.delete_parents()
    if manifests.served(kube, PROBE) and namespace.names(PROBE):  # they have a finalizer
        services.make_whole()
        eventually(lambda: namespace.names(PROBE) == [], what="the Probes are gone")


@pytest.fixture(autouse=True)
def services_stay_within_their_rights(request):
    """Fails a test in which a service made a request without the right to."""
    if "cluster" not in request.fixturenames and "services" not in request.fixturenames:
        yield
        return
    audit = request.getfixturevalue("audit")
    mark = audit.mark()
    yield
    found = forbidden_requests(request, audit.since(mark))
    assert not found, "\n".join(found)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """Shows the end of the services' logs with a failure."""
    report = (yield).get_result()
    services = getattr(item, "funcargs", {}).get("services") or getattr(item, "funcargs", {}).get("shared_services")
    if report.failed and services:
        for service in services.all:
            if service.process:
                report.sections.append((f"log of {service.name}", tail(service.process, 12)))


# ---- the end of a complete run: is every right used? ----------------------------------------------------------------


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
    """True if all tests of this folder run."""
    here = pathlib.Path(__file__).parent
    return not (config.option.keyword or config.option.markexpr or config.option.collectonly) and \
        [(config.invocation_params.dir / argument).resolve() for argument in config.args] == [here]


def pytest_terminal_summary(terminalreporter, config):
    if getattr(config, "surplus_rights", None):
        terminalreporter.section("ERROR: rights that no test used", red=True)
        terminalreporter.write_line("Remove them from charts/xebec (kinds.yaml, _rights.tpl), or add a test that needs them:")
        terminalreporter.write_line("\n".join(config.surplus_rights))
