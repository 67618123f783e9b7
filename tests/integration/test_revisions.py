# SPDX-License-Identifier: Apache-2.0
"""Two planner revisions at the same time, as in a rolling update: the watcher switches once and no child flaps."""

import concurrent.futures

import pytest

import burst
from parents import IRIS, PROBE
from support.audit import APPLIER
from support.eventually import eventually
from support.processes import free_port
from support.quiescence import wait_for_quiescence
from support.services import Service, arguments

MANY = 200
DEPLOYMENTS = "deployments.apps"


@pytest.fixture
def next_planner(folder):
    """The planner of the next release; not started. It plans Probes too, which the watcher of the others does not
    take."""
    addresses = {name: f"127.0.0.1:{free_port()}" for name in ("planner", "planner metrics")}
    service = Service("planner-next", folder, arguments("planner", addresses, {}), *addresses.values())
    yield service
    if service.running():
        service.stop()


def change(here, numbers, image):
    """Gives these Irises another image; without replicas nothing runs because of it."""
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: here.change(IRIS, f"iris-{number:03}", {"image": image}), numbers))


def is_next(deployment):
    """The next release gives the container a variable more."""
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    return {"name": "PLANNER", "value": "next"} in container.get("env", [])


def releases_over_time(here, version):
    """{Deployment: whether it was as the next release wants it, after every change since the version}."""
    here.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "end"}, "spec": {
        "replicas": 0, "selector": {"matchLabels": {"app": "end"}}, "template": {
            "metadata": {"labels": {"app": "end"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
    seen = {}
    for event in here.kube.watch(DEPLOYMENTS, version, here.name):
        item = event["object"]
        if item["metadata"].get("name") == "end":
            return seen
        if event["type"] != "BOOKMARK":
            seen.setdefault(item["metadata"]["name"], []).append(is_next(item))


def writes(audit, mark, here):
    """{Deployment: how often the applier created or applied it}. The first apply of an object that was created by POST
    is followed by the repair of its field ownership, which changes no field."""
    counted = {f"iris-{number:03}": 0 for number in range(MANY)}
    for entry in audit.writes(mark, APPLIER):
        if (entry.resource, entry.ns) == ("deployments", here.name) and not entry.repairs:
            counted[entry.name] += 1
    return counted


def moves(watcher):
    return [record["detail"] for record in watcher.log_records() if record.get("msg") == "Planner revision"]


def test_the_next_planner_joins_and_the_old_one_leaves_and_each_child_changes_once(here, services, next_planner, audit):
    with services.stand_in("watcher", planner=f"{services.addresses['planner']},{next_planner.address}") as watcher:
        watcher.wait_ready()
        burst.create(here, MANY)
        burst.all_ready(here, MANY)
        wait_for_quiescence(audit)
        # The first apply of an object that was created by POST also repairs its field ownership: not what is counted
        # here.
        change(here, range(MANY), "example.com/iris:1")
        burst.all_ready(here, MANY)
        wait_for_quiescence(audit)
        mark, version = audit.mark(), here.kube.list_with_version(DEPLOYMENTS, here.name)[1]

        next_planner.start()
        change(here, range(0, MANY, 2), "example.com/iris:2")
        eventually(lambda: all(map(is_next, here.kube.list(DEPLOYMENTS, here.name))), 120, every=0.5, what="all have moved")
        wait_for_quiescence(audit)
        try:
            before_the_last = audit.mark()
            services.planner.stop()
            change(here, range(0, MANY, 4), "example.com/iris:3")
            burst.all_ready(here, MANY)
            wait_for_quiescence(audit)

            assert len(moves(watcher)) == 1 and "keys are planned with next-" in moves(watcher)[0], moves(watcher)
            after = writes(audit, before_the_last, here)
            assert after == {name: 1 if number % 4 == 0 else 0 for number, name in enumerate(sorted(after))}
            # One write because of the move; one more where the user's change came before it.
            before = {name: count - after[name] for name, count in writes(audit, mark, here).items()}
            assert {name: count for number, (name, count) in enumerate(sorted(before.items()))
                    if not 1 <= count <= (2 if number % 2 == 0 else 1)} == {}
            for name, releases in releases_over_time(here, version).items():
                assert releases == sorted(releases), f"{name} flapped: {releases}"
            here.delete_parents()
        finally:
            services.planner.start().wait_ready()


@pytest.mark.of_probes
def test_parents_that_go_while_the_next_planner_takes_over_are_finalized_once_and_the_others_left_alone(here, services, next_planner, audit):
    with services.stand_in("watcher", planner=f"{services.addresses['planner']},{next_planner.address}") as watcher:
        watcher.wait_ready()
        names = [made["metadata"]["name"] for made in burst.create(here, 20, 1, "probe", PROBE)]
        burst.all_ready(here, 20, resource=PROBE)
        wait_for_quiescence(audit)
        mark = audit.mark()
        try:
            burst.delete_probes(here, names[:10])
            next_planner.start().wait_ready()
            services.planner.stop()
            burst.delete_probes(here, names[10:15])

            burst.only_these_probes_are_left(here, names[15:])
            assert len(moves(watcher)) == 1 and "keys are planned with next-" in moves(watcher)[0], moves(watcher)
            wait_for_quiescence(audit)
            of_children = [e for e in audit.writes(mark, APPLIER) if e.ns == here.name and e.resource not in ("probes", "events")]
            assert {e.verb for e in of_children} == {"delete"} and len(of_children) == len(set((e.resource, e.name) for e in of_children)) == 45
            here.delete_parents()
            eventually(lambda: here.names(PROBE) == [], what="the rest is gone too")
        finally:
            services.planner.start().wait_ready()
