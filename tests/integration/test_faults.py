# SPDX-License-Identifier: Apache-2.0
"""Services are killed and the API server is unavailable: nothing is lost or done twice, and the system converges
again."""

import contextlib

import pytest

import burst
from parents import IRIS, PROBE, parent
from support.eventually import eventually
from support.kube import ApiError
from support.quiescence import assert_quiescent, wait_for_quiescence

MANY = 200
KINDS = [IRIS, PROBE]
# What is made for a parent: the plural, and what follows the parent's name.
CHILDREN = {IRIS: {"deployments": ""}, PROBE: {"configmaps": "-direct", "statefulsets": "-set"}}


def before_the_burst(here, resource):
    """Probes that are to go in the middle of it, with claims."""
    if resource == PROBE:
        burst.create(here, burst.PROBES, 1, "goes", PROBE)
        burst.all_ready(here, burst.PROBES, resource=PROBE)


def create_at_last(here, resource, name):
    """An API server that is away is asked again; it may have carried out what it did not answer."""
    def created():
        try:
            return here.create(parent(resource, name, replicas=0))
        except ApiError as error:
            assert error.code == 409, error
            return True
    eventually(created, what=f"{name} is created")


@contextlib.contextmanager
def middle_of_a_burst(here, audit, mark, resource):
    """The block runs while parents are made and their children; yields the names of the parents, which are all there
    when it has ended. As many Probes are deleted meanwhile."""
    count = burst.PROBES if resource == PROBE else MANY
    plural = next(iter(CHILDREN[resource]))
    if resource == PROBE:
        burst.delete_probes(here, [f"goes-{number:03}" for number in range(burst.PROBES)])
    with burst.paced(lambda name: create_at_last(here, resource, name), burst.endless_names("many"), count / 6, least=count) as made:
        eventually(lambda: len(burst.creations(audit, mark, here, plural)) > count // 10, what="the burst is under way")
        yield made


def all_is_well(here, resource, names):
    burst.all_ready(here, len(names), resource=resource)
    if resource == PROBE:
        burst.only_these_probes_are_left(here, names)


@pytest.mark.parametrize("resource", KINDS)
@pytest.mark.parametrize("victim", ["watcher", "planner", "applier"])
def test_a_service_killed_in_the_middle_of_a_burst_loses_and_doubles_nothing(here, services, audit, victim, resource):
    before_the_burst(here, resource)
    mark = audit.mark()
    children = CHILDREN[resource]
    with middle_of_a_burst(here, audit, mark, resource) as names:
        getattr(services, victim).kill()
        getattr(services, victim).start()

    all_is_well(here, resource, names)

    for plural, suffix in children.items():
        made = burst.creations(audit, mark, here, plural)
        assert set(made.values()) == {1}
        assert set(made) | burst.cut_off(audit, mark, here, plural) == {name + suffix for name in names}
    assert_quiescent(audit, 5)


@pytest.mark.expects_forbidden  # an API server that has just started knows no roles for a moment
@pytest.mark.parametrize("resource", KINDS)
def test_the_api_server_restarted_under_load_costs_nothing_but_time(here, services, audit, cluster, resource):
    before_the_burst(here, resource)
    mark = audit.mark()
    with middle_of_a_burst(here, audit, mark, resource) as names:
        cluster.apiserver.kill()
        cluster.start_apiserver()
        cluster.wait_ready()

    all_is_well(here, resource, names)
    for plural in CHILDREN[resource]:  # one that was cut off may be missing in the log
        assert set(burst.creations(audit, mark, here, plural).values()) == {1}
    assert all(service.running() for service in services.all)
    here.create(parent(resource, "afterwards", replicas=0))
    here.is_ready(resource, "afterwards")
    wait_for_quiescence(audit)
