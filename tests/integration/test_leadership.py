# SPDX-License-Identifier: Apache-2.0
"""Two watchers: one ends, in order or not, and the other takes its buckets over."""

import concurrent.futures

import pytest

import burst
from parents import IRIS, PROBE, iris, parent
from support.assignment import LEASES, NAMESPACE, epochs, holders, lease, members
from support.eventually import eventually
from support.quiescence import wait_for_quiescence

MANY = 60
PREFIXES = {IRIS: "xebec-watcher-", PROBE: "xebec-probe-"}


def all_raised(now, before):
    return all(new > old for new, old in zip(now, before, strict=True))


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
    eventually(lambda: resource == PROBE or len(holders(kube)) == 2, what="both watchers hold buckets")
    held = holders(kube, PREFIXES[resource])
    mark = audit.mark()

    if resource == PROBE:
        burst.delete_probes(here, [f"goes-{number:03}" for number in range(10)])
    services.watcher.kill()
    burst.create(here, 20, prefix="many", resource=resource)
    burst.all_ready(here, 21, resource=resource)

    now = holders(kube, PREFIXES[resource])
    assert len(now) == 1 and (resource == PROBE or now < held)
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
        held, before = holders(kube), epochs(kube)
        services.watcher.kill()

        services.watcher.start(*flags)
        here.create(iris("after"))
        here.is_ready(IRIS, "after")
        assert holders(kube).isdisjoint(held)
        assert all_raised(epochs(kube), before)
        services.watcher.restart()
    finally:
        for member in members(kube).values():
            if member["spec"]["leaseDurationSeconds"] == 3600:
                kube.delete(LEASES, member["metadata"]["name"], NAMESPACE)


def test_a_leader_that_is_asked_to_stop_hands_over_at_once(here, kube, services, second):
    here.create(iris("before"))
    here.is_ready(IRIS, "before")
    eventually(lambda: len(holders(kube)) == 2, what="both watchers hold buckets")
    held = holders(kube)

    services.watcher.stop()
    assert len(holders(kube)) == 1 and holders(kube) < held

    here.create(iris("after"))
    here.is_ready(IRIS, "after")
    assert holders(kube) < held


def test_a_leader_exchanged_in_the_middle_of_work_changes_each_child_once(here, services, second, audit):
    burst.create(here, MANY)
    burst.all_ready(here, MANY)
    wait_for_quiescence(audit)
    mark = audit.mark()

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = pool.submit(burst.in_parallel, lambda number: here.change(IRIS, f"iris-{number:03}", {"image": "example.com/iris:2"}), range(MANY))
        eventually(lambda: len(burst.writes(audit, mark, here)) > 10, what="the changes are under way")
        services.watcher.stop()
        work.result()
    burst.all_ready(here, MANY)
    wait_for_quiescence(audit)
    assert burst.writes(audit, mark, here) == {f"iris-{number:03}": 1 for number in range(MANY)}
    assert second.metric("leader_election_master_status") == 1


def test_a_deleted_assignment_is_made_again_with_higher_epochs_and_no_key_is_lost(here, kube, services, audit):
    before = epochs(kube)
    mark = audit.mark()
    with burst.paced(lambda name: here.create(iris(name, replicas=0)), burst.endless_names(), 10, least=MANY) as made:
        eventually(lambda: len(burst.creations(audit, mark, here)) > 5, what="the burst is under way")
        kube.delete(LEASES, "xebec-watcher-assignment", NAMESPACE)
        eventually(lambda: lease(kube), what="it is there again")
    burst.all_ready(here, len(made))
    eventually(lambda: all_raised(epochs(kube), before), what="appliers that know the old epochs obey")
    assert set(burst.creations(audit, mark, here).values()) == {1}
