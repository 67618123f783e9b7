# SPDX-License-Identifier: Apache-2.0
"""A ResourceQuota rejects a child: a condition and one event report it until the quota allows the child."""

import pytest

from parents import DATABASE, IMMORTAL, IRIS, POD_SET, PROBE, parent
from support.eventually import eventually
from support.kube import ApiError
from support.manifests import condition, quota
from support.quiescence import wait_for_quiescence

SPECS = {IRIS: {"replicas": 1}, POD_SET: {"replicas": 3}, IMMORTAL: {"image": "nginx:1"},
         DATABASE: {"image": "super-great-docker-image", "storage-size": "1Gi"}, PROBE: {"replicas": 1}}
# What a few seconds of growing pauses (50 ms, doubled each time) can cost at most, for each of three Pods.
RETRIES = 40


def set_quota(here, **hard):
    """Waits until the API server refuses what is too much; a limit is named with "_" for "." and "__" for "/"."""
    hard = {key.replace("__", "/").replace("_", "."): value for key, value in hard.items()} | {"resourcequotas": "1"}

    def refuses():
        try:
            return not here.kube.request("POST", here.kube.path("resourcequotas", here.name), {"dryRun": "All"}, quota("one-more", hard))
        except ApiError as error:
            assert error.code == 403
            return True
    here.create(quota("tight", hard))
    eventually(refuses, what="the quota holds")


def refusals(audit, mark, here, resource):
    return [e for e in audit.writes(mark) if (e.ns, e.resource, e.code) == (here.name, resource, 403)]


@pytest.mark.parametrize("resource,refused,limit", [
    (IRIS, "deployments", {"count__deployments_apps": "0"}), (POD_SET, "pods", {"pods": "1"}), (IMMORTAL, "pods", {"pods": "0"}),
    (DATABASE, "services", {"services": "0"}), (DATABASE, "secrets", {"count__secrets": "0"}),
    (DATABASE, "statefulsets", {"count__statefulsets_apps": "0"}), (PROBE, "configmaps", {"count__configmaps": "0"}),
    (PROBE, "statefulsets", {"count__statefulsets_apps": "0"})])
def test_a_quota_that_refuses_a_child_is_told_and_heals_when_it_goes(here, audit, resource, refused, limit):
    set_quota(here, **limit)
    mark = audit.mark()
    here.create(parent(resource, "sample", **SPECS[resource]))

    here.has_condition(resource, "sample", "Ready", "False", "QuotaExceeded")
    shown = here.has_condition(resource, "sample", "Applied", "False", "QuotaExceeded")
    message = condition(shown, "Ready")["message"]
    assert "exceeded quota: tight" in message and "raise the quota" in message
    assert condition(shown, "Stalled") == {} and condition(shown, "Reconciling").get("status") == "True"
    eventually(lambda: [e[1] for e in here.events("sample") if e[0] == "Warning"] == ["QuotaExceeded"], what="one Warning event")

    here.delete("resourcequotas", "tight")
    here.is_ready(resource, "sample")
    here.has_condition(resource, "sample", "Applied", "True")
    wait_for_quiescence(audit)
    assert 0 < len(refusals(audit, mark, here, refused)) <= RETRIES
    assert [e[1] for e in here.events("sample") if e[0] == "Warning"] == ["QuotaExceeded"]


def test_pods_that_a_quota_leaves_room_for_run_beside_those_that_it_refuses(here):
    set_quota(here, pods="2")
    here.create(parent(POD_SET, "set", replicas=3))
    here.has_condition(POD_SET, "set", "Ready", "False", "QuotaExceeded")
    here.becomes(POD_SET, "set", lambda s: s["status"]["readyReplicas"] == 2, "has two ready Pods")

    here.change(POD_SET, "set", {"replicas": 2})
    here.is_ready(POD_SET, "set")
    here.has_condition(POD_SET, "set", "Applied", "True")


def test_a_quota_for_storage_refuses_the_growth_of_a_claim(here):
    here.create(parent(DATABASE, "db", **SPECS[DATABASE]))
    here.is_ready(DATABASE, "db")
    set_quota(here, requests_storage="2Gi")

    here.change(DATABASE, "db", {"storage-size": "3Gi"})

    here.has_condition(DATABASE, "db", "StorageResized", "False", "ResizeRefused")
    assert "exceeded quota: tight" in here.condition(DATABASE, "db", "StorageResized")["message"]
    assert here.condition(DATABASE, "db", "Ready")["status"] == "True", "its replicas serve with the volumes that they have"
    here.delete("resourcequotas", "tight")
    eventually(lambda: here.get("persistentvolumeclaims", "data-db-0")["spec"]["resources"]["requests"]["storage"] == "3Gi", what="the claim grows")
    here.is_ready(DATABASE, "db")
