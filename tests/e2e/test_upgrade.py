# SPDX-License-Identifier: Apache-2.0
"""`helm upgrade` under load, `helm uninstall`, and what a new installation finds."""

import pytest

import burst
from parents import IRIS
from support import manifests
from support.eventually import eventually
from support.release import COUNTERS, NS, ready
from test_disturbances import writes_of
from test_revisions import is_next

COUNT, RATE = 240, 4  # Irises, and how many are changed in a second
CRD = "customresourcedefinitions.apiextensions.k8s.io"


def images(release):
    return {pod["spec"]["containers"][0]["image"] for pod in release.pods()}


def upgraded(release, values):
    """Every Pod is another one than before."""
    before = {pod["metadata"]["uid"] for pod in release.pods()}
    release.upgrade(values)
    assert before.isdisjoint(pod["metadata"]["uid"] for pod in release.pods()), f"{values} replaced no Pod"


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
    for number, values in enumerate([{"logging": {"level": "debug"}}, {}]):
        mark = audit.mark()
        with burst.paced(lambda name: burst.wave(here, name, str(number)), here.names(IRIS), RATE) as changed:
            upgraded(release, values)
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


@pytest.mark.expects_forbidden  # Helm takes the roles before the Pods have ended
def test_uninstall_leaves_everybodys_objects_and_a_new_installation_picks_them_up(release, here, kube):
    burst.create(here, 3)
    burst.all_ready(here, 3)
    children = {child["metadata"]["name"]: child["metadata"]["uid"] for child in kube.list("deployments.apps", here.name)}
    crds = {crd["metadata"]["name"] for crd in manifests.crds()}

    release.uninstall()

    assert crds <= {crd["metadata"]["name"] for crd in kube.list(CRD)}
    assert len(here.names(IRIS)) == 3
    assert {child["metadata"]["name"]: child["metadata"]["uid"] for child in kube.list("deployments.apps", here.name)} == children
    assert kube.get("leases.coordination.k8s.io", "xebec-watcher-0", NS) is not None
    assert kube.get("secrets", "xebec-ca", NS) is not None
    assert not [role for role in kube.list("clusterroles.rbac.authorization.k8s.io") if role["metadata"]["name"].startswith(NS)]
    for name in here.names(IRIS):
        burst.wave(here, name, "while nobody looks")

    release.install()

    for name in here.names(IRIS):
        here.becomes(IRIS, name, ready, "is Ready")
    assert {child["metadata"]["name"]: child["metadata"]["uid"] for child in kube.list("deployments.apps", here.name)} == children
    assert all(child["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] == "while nobody looks"
               for child in kube.list("deployments.apps", here.name))
