# SPDX-License-Identifier: Apache-2.0
"""Two releases in one cluster watch the same objects, each with its own Lease, by mistake: nothing is done twice."""

import pytest

import burst
from parents import DATABASE, IMMORTAL, IRIS, POD_SET, parent
from support import manifests, paths
from support.audit import APPLIER, SECOND_NS
from support.eventually import eventually
from support.quiescence import assert_quiescent, wait_for_quiescence
from support.services import Service, Services, arguments

PARENTS = {IRIS: {"replicas": 1}, POD_SET: {"replicas": 2}, IMMORTAL: {"image": "busybox"}, DATABASE: {"image": "image"}}
NAMESPACE, LEASE = "xebec-system", "xebec-watcher-"
OF_ANOTHER_NAME, OF_ONE_NAME = (NAMESPACE, "xebec-second-"), (SECOND_NS, LEASE)  # where the second release has its Leases


@pytest.fixture
def second(request, folder, cluster, services, kube):
    """Another release of the same kinds as the services's; not started. Its parameter: namespace and prefix of its
    Leases."""
    ns, prefix = getattr(request, "param", OF_ANOTHER_NAME)
    if ns != NAMESPACE:
        kube.create_namespace(ns)
        rights = [each for each in manifests.read(paths.RBAC) if each["metadata"].get("namespace") == NAMESPACE]
        manifests.apply_all(kube, [each | {"metadata": each["metadata"] | {"namespace": ns}} for each in rights])
    leases = ["--lease-namespace", ns, "--lease-prefix", prefix]
    more = {"watcher": [*leases, "--kinds", ",".join(PARENTS)], "applier": leases}
    release = Services(folder, {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig}, more, "second-")
    yield release
    release.stop()


@pytest.fixture
def next_planner(folder, second):
    """That of a later version, at the second release's address."""
    addresses = second.addresses["planner"], second.addresses["planner metrics"]
    service = Service("planner-next", folder, arguments("planner", second.addresses, {}), *addresses, "second-planner-next")
    yield service
    if service.running():
        service.stop()


def create(here, number):
    for resource, spec in PARENTS.items():
        here.create(parent(resource, f"{number}-{resource.partition('.')[0]}", **spec))


def ready(here, number):
    for resource in PARENTS:
        here.is_ready(resource, f"{number}-{resource.partition('.')[0]}")


@pytest.mark.parametrize("second, leases", [(OF_ANOTHER_NAME, OF_ANOTHER_NAME), (OF_ONE_NAME, OF_ONE_NAME)], indirect=["second"])
def test_two_releases_with_the_same_view_double_nothing_converge_and_are_found(here, services, second, leases, audit, kube):
    second.start()
    mark = audit.mark()
    create(here, "first")
    ready(here, "first")
    wait_for_quiescence(audit)
    for plural in ("deployments", "pods", "services", "statefulsets", "jobs", "secrets"):
        assert set(burst.creations(audit, mark, here, plural).values()) <= {1}, plural
    assert [e for e in audit.writes(mark, APPLIER) if (e.verb, e.ns) == ("delete", here.name)] == []
    for release in (services, second):
        assert release.watcher.metric("leader_election_master_status") == 1
        assert release.watcher.metric("xebec_parents") >= len(PARENTS)

    # What docs/install.md says to look for.
    found = kube.list("leases.coordination.k8s.io", selector="app.kubernetes.io/part-of=xebec")
    held = {(lease["metadata"]["namespace"], lease["metadata"]["name"]) for lease in found if lease["spec"].get("holderIdentity")}
    assert {(ns, f"{prefix}assignment") for ns, prefix in ((NAMESPACE, LEASE), leases)} <= held

    second.stop()
    create(here, "later")
    ready(here, "later")
    assert_quiescent(audit, 2)


def test_two_releases_of_different_versions_slow_down_are_told_and_end_when_one_goes(here, services, second, next_planner, audit):
    slowed = services.watcher.metric("xebec_writes_slowed_total", controller=IRIS)
    here.create(parent(IRIS, "fought-over", replicas=0))
    here.is_ready(IRIS, "fought-over")  # a Deployment of the later version keeps its variable, and nobody fights
    next_planner.start()
    for service in (second.applier, second.watcher):
        service.start()
    second.watcher.wait_ready()
    eventually(lambda: services.watcher.metric("xebec_writes_slowed_total", controller=IRIS) > slowed, what="the fight is counted")
    told = [record for record in services.watcher.log_records() if record.get("msg") == "Write loop detected"]
    assert "fought-over" in told[-1]["object"] and "a second release" in told[-1]["detail"], told

    second.watcher.stop()
    here.is_ready(IRIS, "fought-over")
    assert_quiescent(audit, 2)
