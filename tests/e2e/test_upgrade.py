# SPDX-License-Identifier: Apache-2.0
"""`helm upgrade` and `helm rollback` under load, `helm uninstall`, and a new installation afterwards."""

import contextlib
import threading

import pytest

import burst
from parents import DATABASE, IRIS, POD_SET, parent
from support import chart, manifests
from support.eventually import eventually
from support.release import COUNTERS, NS, ready
from test_disturbances import writes_of
from test_revisions import is_next

COUNT, RATE = 240, 4  # Irises, and how many are changed in a second
CRD = "customresourcedefinitions.apiextensions.k8s.io"


def images(release):
    return {pod["spec"]["containers"][0]["image"] for pod in release.pods()}


@contextlib.contextmanager
def side_by_side(release):
    """The block replaces every Pod; of each component an old one and a new one are Ready at the same time at some point
    of it."""
    before, seen, ended = {pod["metadata"]["uid"] for pod in release.pods()}, {component: [] for component in chart.COMPONENTS}, threading.Event()

    def look():
        while not ended.wait(0.1):
            for component, found in seen.items():
                pods = [pod for pod in release.every_pod(component) if manifests.condition(pod, "Ready").get("status") == "True"]
                found.append({pod["metadata"]["uid"] in before for pod in pods})
    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield
    finally:
        ended.set()
        looking.join()
    assert before.isdisjoint(pod["metadata"]["uid"] for pod in release.pods()), "a Pod was not replaced"
    assert [component for component, found in seen.items() if {True, False} not in found] == [], "old and new were there at the same time"


def upgraded(release, values):
    with side_by_side(release):
        release.upgrade(values)


def rolled_back(release):
    with side_by_side(release):
        release.roll_back()


def take_over(release):
    """Waits until those who are there now have done something."""
    def worked():
        done = {component: sum(release.totals(component, family).values()) for component, family in COUNTERS.items()}
        assert min(done.values()) > 0, done
        return True
    eventually(worked, what="the new ones have done some of the work")


def test_an_upgrade_under_load_changes_each_child_once(release, here, audit):
    burst.create(here, COUNT)
    burst.all_ready(here, COUNT)
    for number, step in enumerate([lambda: upgraded(release, {"logging": {"level": "debug"}}), lambda: rolled_back(release)]):
        mark = audit.mark()
        with burst.paced(lambda name: burst.wave(here, name, str(number)), here.names(IRIS), RATE) as changed:
            step()
            take_over(release)
            assert 0 < len(changed) < COUNT, "the load has to go on all the time"
        burst.all_ready(here, COUNT)
        written = writes_of(audit, mark, here)
        assert len(written) == COUNT and set(written.values()) == {1}, {name: n for name, n in written.items() if n != 1}


def test_a_new_image_with_another_planner_changes_each_child_once_and_no_user_waits(release, here, audit, kube):
    burst.create(here, COUNT)
    burst.all_ready(here, COUNT)
    mark = audit.mark()
    upgraded(release, {"image": {"tag": "next"}})
    assert images(release) == {"xebec:next"}

    def moved():
        children = kube.list("deployments.apps", here.name)
        assert len(children) == COUNT and all(map(is_next, children)), f"{sum(map(is_next, children))} of {COUNT} are as the next planner wants"
        return True
    eventually(moved, 120, what="the next planner's plans are carried out")
    assert writes_of(audit, mark, here) == dict.fromkeys(here.names("deployments.apps"), 1)

    mark = audit.mark()
    with burst.paced(lambda name: burst.wave(here, name, "back"), here.names(IRIS), RATE) as changed:
        upgraded(release, {})
        take_over(release)
        assert 0 < len(changed) < COUNT
    burst.all_ready(here, COUNT)
    eventually(lambda: not any(map(is_next, kube.list("deployments.apps", here.name))), 120, what="all is as it was")
    written = writes_of(audit, mark, here)  # the user's change and the planner's, or both in one
    assert len(written) == COUNT and set(written.values()) <= {1, 2}, {name: n for name, n in written.items() if n > 2}


def all_of_users(here):
    """{(resource, name): uid} of what the parents have, running Pods, volumes and password included."""
    kinds = ("deployments.apps", "pods", "statefulsets.apps", "services", "persistentvolumeclaims", "secrets")
    return {(resource, item["metadata"]["name"]): item["metadata"]["uid"] for resource in kinds for item in here.kube.list(resource, here.name)
            if item.get("status", {}).get("phase") != "Succeeded"}


@pytest.mark.expects_forbidden  # Helm takes the roles before the Pods have ended
def test_uninstall_leaves_everybodys_objects_and_a_new_installation_picks_them_up(release, here, kube, postgres):
    burst.create(here, 3)
    here.create(parent(POD_SET, "set", replicas=2))
    here.create(parent(DATABASE, "db", **{"image": "postgres:16", "storage-size": "1G"}))
    burst.all_ready(here, 3)
    for resource, name in ((POD_SET, "set"), (DATABASE, "db")):
        here.becomes(resource, name, ready, "is Ready", 180)
    children = all_of_users(here)
    crds = {crd["metadata"]["name"] for crd in manifests.crds_of_kinds()}

    release.uninstall()

    assert crds <= {crd["metadata"]["name"] for crd in kube.list(CRD)}
    assert len(here.names(IRIS)) == 3
    assert all_of_users(here) == children
    assert kube.get("leases.coordination.k8s.io", "xebec-watcher-assignment", NS) is not None
    assert kube.get("secrets", "xebec-ca", NS) is not None
    assert not [role for role in kube.list("clusterroles.rbac.authorization.k8s.io") if role["metadata"]["name"].startswith(NS)]
    for name in here.names(IRIS):
        burst.wave(here, name, "while nobody looks")

    release.install()

    for resource in (IRIS, POD_SET, DATABASE):
        for name in here.names(resource):
            here.becomes(resource, name, ready, "is Ready")
    assert all_of_users(here) == children
    assert all(child["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] == "while nobody looks"
               for child in kube.list("deployments.apps", here.name))
