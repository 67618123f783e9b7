# SPDX-License-Identifier: Apache-2.0
"""Leader election between two watchers."""

import collections
import concurrent.futures

import pytest

import burst
from parents import IRIS, PROBE, iris, parent
from support.eventually import eventually
from support.quiescence import wait_for_quiescence

MANY = 60
LEASES = {IRIS: "xebec-watcher-0", PROBE: "xebec-probe-0"}


def lease(kube, resource=IRIS):
    return kube.get("leases.coordination.k8s.io", LEASES[resource], "xebec-system")["spec"]


@pytest.fixture
def second(services):
    """Another watcher beside the services's."""
    service = services.another("watcher", "watcher-2").start()
    yield service
    if service.running():
        service.stop()


@pytest.mark.parametrize("resource,plural", [(IRIS, "deployments"), (PROBE, "statefulsets")])
def test_a_killed_leader_is_followed_by_the_other_and_nothing_is_doubled(here, kube, services, second, audit, resource, plural):
    here.create(parent(resource, "before", replicas=1))
    here.is_ready(resource, "before")
    if resource == PROBE:
        burst.create(here, 10, 1, "goes", PROBE)
        burst.all_ready(here, 11, resource=PROBE)
    held = lease(kube, resource)
    mark = audit.mark()

    if resource == PROBE:
        burst.delete_probes(here, [f"goes-{number:03}" for number in range(10)])
    services.watcher.kill()
    burst.create(here, 20, prefix="many", resource=resource)
    burst.all_ready(here, 21, resource=resource)

    now = lease(kube, resource)
    assert now["holderIdentity"] != held["holderIdentity"]
    assert now["leaseTransitions"] > held["leaseTransitions"]
    assert set(burst.creations(audit, mark, here, plural).values()) == {1}
    if resource == PROBE:
        burst.only_these_probes_are_left(here, ["before"] + [f"many-{number:03}" for number in range(20)])


def test_a_watcher_that_restarts_in_its_own_instance_does_not_wait_for_its_lease_to_expire(here, kube, services):
    flags = ["--lease-instance=pod-1", "--lease-duration=1h"]
    services.watcher.stop()
    try:
        services.watcher.start(*flags).wait_ready()
        here.create(iris("before"))
        here.is_ready(IRIS, "before")
        held = lease(kube)
        services.watcher.kill()

        services.watcher.start(*flags)
        here.create(iris("after"))
        here.is_ready(IRIS, "after")
        now = lease(kube)
        assert now["holderIdentity"] != held["holderIdentity"]
        assert now["leaseTransitions"] > held["leaseTransitions"]
        services.watcher.restart()
    finally:
        if lease(kube)["leaseDurationSeconds"] == 3600:
            kube.delete("leases.coordination.k8s.io", LEASES[IRIS], "xebec-system")


def test_a_leader_that_is_asked_to_stop_hands_over_at_once(here, kube, services, second):
    here.create(iris("before"))
    here.is_ready(IRIS, "before")
    held = lease(kube)["holderIdentity"]

    services.watcher.stop()

    here.create(iris("after"))
    here.is_ready(IRIS, "after")
    assert lease(kube)["holderIdentity"] not in ("", held)


def test_a_leader_exchanged_in_the_middle_of_work_changes_each_child_once(here, services, second, audit):
    burst.create(here, MANY)
    burst.all_ready(here, MANY)
    wait_for_quiescence(audit)
    mark = audit.mark()

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = pool.submit(burst.in_parallel, lambda number: here.change(IRIS, f"iris-{number:03}", {"image": "example.com/iris:2"}), range(MANY))
        eventually(lambda: len(written(audit, mark, here)) > 10, what="the changes are under way")
        services.watcher.stop()
        work.result()
    burst.all_ready(here, MANY)
    wait_for_quiescence(audit)
    assert written(audit, mark, here) == {f"iris-{number:03}": 1 for number in range(MANY)}
    assert second.metric("leader_election_master_status") == 1


def test_a_deleted_lease_is_made_again_with_a_higher_epoch_and_no_key_is_lost(here, kube, services, audit):
    held = lease(kube)
    mark = audit.mark()
    with burst.paced(lambda name: here.create(iris(name, replicas=0)), burst.endless_names(), 10, least=MANY) as made:
        eventually(lambda: len(burst.creations(audit, mark, here)) > 5, what="the burst is under way")
        kube.delete("leases.coordination.k8s.io", LEASES[IRIS], "xebec-system")
        eventually(lambda: kube.get("leases.coordination.k8s.io", LEASES[IRIS], "xebec-system"), what="it is there again")
    burst.all_ready(here, len(made))
    eventually(lambda: lease(kube)["leaseTransitions"] > held["leaseTransitions"], what="appliers that know the old epoch obey")
    assert set(burst.creations(audit, mark, here).values()) == {1}


def written(audit, mark, here):
    """{Deployment: how often it was created or applied}"""
    return collections.Counter(e.name for e in audit.writes(mark) if (e.resource, e.ns) == ("deployments", here.name) and not e.repairs)
