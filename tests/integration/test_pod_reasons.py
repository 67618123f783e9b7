# SPDX-License-Identifier: Apache-2.0
"""The condition Ready of every kind shows the reason that its Pods give for not being ready."""

import pytest

from parents import DATABASE, IMMORTAL, IRIS, ONE_OF_EACH, POD_SET, parent
from support.eventually import eventually
from support.manifests import condition, quota
from support.quiescence import assert_quiescent, wait_for_quiescence

KINDS = [IRIS, POD_SET, IMMORTAL, DATABASE]
RESTRICTED = "pod-security.kubernetes.io/enforce"


def set_status(here, pod, **status):
    here.kube.patch("pods", pod["metadata"]["name"], here.name, {"status": status}, "status")


def container_status(pod, state, **more):
    container = pod["spec"]["containers"][0]
    return {"name": container["name"], "image": container["image"], "imageID": "", "ready": False, "restartCount": 0,
            "state": state} | more


def set_waiting(here, pod, reason, message="try 1"):
    set_status(here, pod, phase="Pending", containerStatuses=[container_status(pod, {"waiting": {"reason": reason, "message": message}})])


def set_crashing(here, pod, state):
    ended = {"terminated": {"exitCode": 1, "reason": "Error"}}
    set_status(here, pod, phase="Running", conditions=[{"type": kind, "status": "False"} for kind in ("Ready", "ContainersReady")],
               containerStatuses=[container_status(pod, state, restartCount=3, lastState=ended)])


def set_unschedulable(here, pod, reason):
    set_status(here, pod, phase="Pending", conditions=[{
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
        "message": f"0/3 nodes are available: 3 {reason}. preemption: 0/3 nodes are available"}])


def the_pod(here):
    """The Pod of the one parent, but not that of an init Job."""
    def found():
        return [pod for pod in here.kube.list("pods", here.name)
                if not any(owner["kind"] == "Job" for owner in pod["metadata"]["ownerReferences"])]
    [pod] = eventually(found, what="the Pod exists")
    return pod


def ready_message(item):
    return condition(item, "Ready")["message"]


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


@pytest.mark.parametrize("resource", KINDS)
def test_ready_shows_that_a_container_crashes_until_it_runs(here, node, audit, resource):
    here.create(parent(resource, "sample", **ONE_OF_EACH[resource]))
    here.is_ready(resource, "sample")
    pod = the_pod(here)
    back_off = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 40s restarting failed container"}}
    set_crashing(here, pod, back_off)
    shown = here.has_condition(resource, "sample", "Ready", "False", "CrashLoopBackOff")
    name = pod["metadata"]["name"]
    assert f'of Pod "{name}" ends repeatedly (Error); see kubectl logs --previous {name}' in ready_message(shown)

    wait_for_quiescence(audit)
    for state in ({"running": {}}, back_off):
        set_crashing(here, pod, state)
    assert_quiescent(audit, 2)

    node.set_ready(here.name, name, True)
    here.is_ready(resource, "sample")


@pytest.mark.parametrize("resource", KINDS)
def test_ready_shows_that_no_node_has_room_for_the_pod(here, node, resource):
    node.hold(here.name)
    here.create(parent(resource, "sample", **ONE_OF_EACH[resource]))
    pod = the_pod(here)
    set_unschedulable(here, pod, "Insufficient cpu")
    shown = here.has_condition(resource, "sample", "Ready", "False", "Unschedulable")
    expected = f'Pod "{pod["metadata"]["name"]}" cannot be scheduled: 0/3 nodes are available: 3 Insufficient cpu.'
    assert expected in ready_message(shown) and "preemption" not in ready_message(shown)

    node.release(here.name)
    here.is_ready(resource, "sample")


def missing_keys(here, pod):
    """What the kubelet says about the variables of the Pod whose Secret exists and lacks the key."""
    for variable in pod["spec"]["containers"][0]["env"]:
        if (source := variable.get("valueFrom", {}).get("secretKeyRef")) and source["key"] not in here.get("secrets", source["name"])["data"]:
            yield f'couldn\'t find key {source["key"]} in Secret {here.name}/{source["name"]}'


@pytest.mark.parametrize("secret,spec", [("sample-credentials", {}), ("mine", {"passwordSecretName": "mine"})])
def test_ready_names_the_key_that_a_secret_of_the_user_lacks(here, node, secret, spec):
    node.hold(here.name)
    here.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": secret}, "stringData": {"passwort": "x"}})
    here.create(parent(DATABASE, "sample", **ONE_OF_EACH[DATABASE], **spec))
    pod = the_pod(here)
    [message] = missing_keys(here, pod)
    set_waiting(here, pod, "CreateContainerConfigError", message)
    shown = here.has_condition(DATABASE, "sample", "Ready", "False", "CreateContainerConfigError")
    assert f"couldn't find key password in Secret {here.name}/{secret}" in ready_message(shown)
    assert here.get("secrets", secret)["data"].keys() == {"passwort"}


@pytest.mark.parametrize("resource,reason,message", [
    (IRIS, "PodSecurityViolation", "violates PodSecurity"), (POD_SET, "PodSecurityViolation", "violates PodSecurity"),
    (IMMORTAL, "PodSecurityViolation", "violates PodSecurity"), (DATABASE, "PodSecurityViolation", "violates PodSecurity")])
def test_ready_shows_that_pod_security_refuses_the_pods(here, resource, reason, message):
    here.kube.patch("namespaces", here.name, None, {"metadata": {"labels": {RESTRICTED: "restricted"}}})
    here.create(parent(resource, "sample", **ONE_OF_EACH[resource]))
    shown = here.has_condition(resource, "sample", "Ready", "False", reason, 60)
    assert message in ready_message(shown)
    assert here.names("pods") == []

    here.kube.patch("namespaces", here.name, None, {"metadata": {"labels": {RESTRICTED: None}}})
    if resource in (POD_SET, IMMORTAL):  # the runtime retries a rejected write after minutes, or when the user asks for it
        here.annotate(resource, "sample", "xebec.dev/reconcile-at", "now")
    if resource != DATABASE:  # the StatefulSet controller tries again after minutes
        here.is_ready(resource, "sample")


@pytest.mark.parametrize("resource", [IRIS, POD_SET, IMMORTAL, DATABASE])
def test_ready_shows_that_a_quota_refuses_the_pods(here, resource):
    here.create(quota("tight", {"pods": "0"}))
    eventually(lambda: here.get("resourcequotas", "tight").get("status", {}).get("hard"), what="the quota holds")
    here.create(parent(resource, "sample", **ONE_OF_EACH[resource]))

    shown = here.has_condition(resource, "sample", "Ready", "False", "QuotaExceeded", 60)
    assert "exceeded quota: tight" in condition(shown, "Ready")["message"]

    here.delete("resourcequotas", "tight")
    if resource != DATABASE:  # the StatefulSet controller tries again after minutes
        here.is_ready(resource, "sample")
