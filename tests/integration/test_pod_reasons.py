# SPDX-License-Identifier: Apache-2.0
"""The condition Ready of every kind shows the reason that its Pods give for not being ready."""

import pytest

from parents import DATABASE, IMMORTAL, IRIS, ONE_OF_EACH, POD_SET, parent
from support.eventually import eventually
from support.manifests import condition, quota
from support.quiescence import assert_quiescent, wait_for_quiescence

KINDS = [IRIS, POD_SET, IMMORTAL, DATABASE]


def set_waiting(here, pod, reason, message="try 1"):
    container = pod["spec"]["containers"][0]
    status = {"phase": "Pending", "containerStatuses": [{
        "name": container["name"], "image": container["image"], "imageID": "", "ready": False, "restartCount": 0,
        "state": {"waiting": {"reason": reason, "message": message}}}]}
    here.kube.patch("pods", pod["metadata"]["name"], here.name, {"status": status}, "status")


@pytest.mark.parametrize("resource", KINDS)
def test_ready_shows_why_a_pod_does_not_start_and_is_not_written_with_every_try(here, node, audit, resource):
    node.hold(here.name)
    here.create(parent(resource, "sample", **ONE_OF_EACH[resource]))
    [pod] = eventually(lambda: here.kube.list("pods", here.name), what="the Pod exists")
    set_waiting(here, pod, "ErrImagePull")
    here.has_condition(resource, "sample", "Ready", "False", "ErrImagePull")
    set_waiting(here, pod, "ImagePullBackOff")
    shown = here.has_condition(resource, "sample", "Ready", "False", "ImagePullBackOff")
    assert f'of Pod "{pod["metadata"]["name"]}" cannot pull the image' in condition(shown, "Ready")["message"]

    wait_for_quiescence(audit)
    for number in range(3):
        set_waiting(here, pod, ["ErrImagePull", "ImagePullBackOff"][number % 2], f"try {number}")
    assert_quiescent(audit, 2)

    node.release(here.name)
    here.is_ready(resource, "sample")


@pytest.mark.parametrize("resource,reason", [(IRIS, "QuotaExceeded"), (POD_SET, "QuotaExceeded"), (IMMORTAL, "QuotaExceeded"),
                                             (DATABASE, "PodsNotCreated")])
def test_ready_shows_that_a_quota_refuses_the_pods(here, resource, reason):
    here.create(quota("tight", {"pods": "0"}))
    eventually(lambda: here.get("resourcequotas", "tight").get("status", {}).get("hard"), what="the quota holds")
    here.create(parent(resource, "sample", **ONE_OF_EACH[resource]))

    shown = here.has_condition(resource, "sample", "Ready", "False", reason, 60)
    assert "quota" in condition(shown, "Ready")["message"]

    here.delete("resourcequotas", "tight")
    if resource != DATABASE:  # the StatefulSet controller tries again after minutes
        here.is_ready(resource, "sample")
