# SPDX-License-Identifier: Apache-2.0
"""Pods of the services are deleted and killed under load."""

import pytest

import burst
from parents import IRIS, iris
from support import manifests
from support.eventually import eventually
from support.release import NS

COUNT, RATE = 200, 10  # Irises, and how many are made in a second


def writes_of(audit, mark, here):
    """{Deployment: how often the applier changed it}"""
    return burst.changes(entry for entry in audit.writes(mark)
                         if (entry.resource, entry.ns) == ("deployments", here.name) and entry.code in (200, 201))


def test_a_quota_that_refuses_a_pod_of_ours_heals_when_it_goes(release, here, kube):
    kube.create(manifests.quota("none", {"pods": "0"}), NS)
    try:
        eventually(lambda: "hard" in kube.get("resourcequotas", "none", NS).get("status", {}), what="the quota is known")
        [pod] = release.pods("applier")
        kube.delete("pods", pod["metadata"]["name"], NS)

        def told():
            return manifests.condition(kube.get("deployments.apps", "xebec-applier", NS), "ReplicaFailure").get("reason") == "FailedCreate"
        eventually(told, 60, what="the Deployment says why")
        here.create(iris("waits", replicas=0))
    finally:
        kube.delete("resourcequotas", "none", NS)
    release.wait_whole()
    here.is_ready(IRIS, "waits")


@pytest.mark.parametrize("component", ["watcher", "planner", "applier"])
@pytest.mark.parametrize("how", ["delete", "kill"])
def test_a_service_that_goes_in_the_middle_of_work_loses_and_doubles_nothing(release, here, audit, component, how):
    mark = audit.mark()
    with burst.paced(lambda name: here.create(iris(name, replicas=0)), burst.endless_names(), RATE, least=COUNT) as made:
        eventually(lambda: len(burst.creations(audit, mark, here)) > 20, what="the work is under way")
        getattr(release, how)(component)
    burst.all_ready(here, len(made))
    created = burst.creations(audit, mark, here)
    assert set(created.values()) == {1} and set(made) <= set(created) | burst.cut_off(audit, mark, here)
