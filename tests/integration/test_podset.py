# SPDX-License-Identifier: Apache-2.0
"""The promises of docs/kinds.md for AppService and PodSet."""

import threading
import time

import pytest

from parents import APP_SERVICE, IMMORTAL, POD_SET, parent
from support.eventually import eventually, stays
from support.manifests import condition
from support.namespace import Namespace, controller

STUCK = {(POD_SET, "set"): "set-pod-1", (APP_SERVICE, "service"): "service-pod-0", (IMMORTAL, "eternal"): "eternal-immortalpod"}
STUCK_AFTER = 61  # seconds: a grace of one and the minute that is promised


@pytest.fixture(scope="module", autouse=True)
def lost(shared_services, kube, node):
    """A namespace in which Pods never end. It is made before the first test, so that their minute passes beside the
    others."""
    shared_services.make_whole()
    kube.create_namespace("lost-node")
    there = Namespace(kube, "lost-node")
    there.create(parent(POD_SET, "set", replicas=2))
    there.create(parent(APP_SERVICE, "service", replicas=1))
    there.create(parent(IMMORTAL, "eternal", image="nginx:1"))
    for resource, name in STUCK:
        there.is_ready(resource, name)
    node.set_grace(float("inf"), there.name)
    for pod in STUCK.values():
        kube.delete("pods", pod, there.name, grace=1)
    yield there
    there.delete_parents()
    node.set_grace(0, there.name)
    for pod in there.names("pods"):
        node.finish(there.name, pod)


def running(pods):
    """Those that count: Pending or Running, and not on their way out."""
    return [p for p in pods if "deletionTimestamp" not in p["metadata"] and p["status"].get("phase") in ("Pending", "Running")]


def ready_pods(here):
    return [p for p in running(here.kube.list("pods", here.name)) if condition(p, "Ready").get("status") == "True"]


def image_of(pod):
    return pod["spec"]["containers"][0]["image"]


@pytest.mark.parametrize("resource", [APP_SERVICE, POD_SET])
def test_two_replicas_are_two_pods_named_by_ordinal(here, resource):
    created = here.create(parent(resource, "set", replicas=2))
    here.is_ready(resource, "set")

    assert here.names("pods") == ["set-pod-0", "set-pod-1"]
    pod = here.get("pods", "set-pod-0")
    assert controller(pod)[2] == created["metadata"]["uid"]
    assert {"app": "set", "version": "v0.1"}.items() <= pod["metadata"]["labels"].items()
    [container] = pod["spec"]["containers"]
    assert (container["name"], container["image"], container["command"]) == ("busybox", "busybox", ["sleep", "3600"])
    assert here.get(resource, "set")["status"]["podNames"] == ["set-pod-0", "set-pod-1"]


def test_the_size_of_the_articles_sample_counts_where_replicas_is_absent(here):
    here.create(parent(APP_SERVICE, "sample", size=3))
    here.is_ready(APP_SERVICE, "sample")
    assert len(here.names("pods")) == 3
    assert here.get(APP_SERVICE, "sample")["spec"] == {"size": 3}


def test_scaling_down_removes_the_highest_ordinals(here):
    here.create(parent(POD_SET, "set", replicas=4))
    here.is_ready(POD_SET, "set")
    kept = here.get("pods", "set-pod-0")["metadata"]["uid"]

    here.change(POD_SET, "set", {"replicas": 2})

    eventually(lambda: here.names("pods") == ["set-pod-0", "set-pod-1"], what="two Pods are left")
    assert here.get("pods", "set-pod-0")["metadata"]["uid"] == kept
    here.becomes(POD_SET, "set", lambda s: s["status"]["podNames"] == ["set-pod-0", "set-pod-1"], "names two Pods")


def test_pod_names_are_sorted_by_ordinal_not_by_letter(here):
    here.create(parent(POD_SET, "set", replicas=11))
    here.is_ready(POD_SET, "set")
    assert here.get(POD_SET, "set")["status"]["podNames"] == [f"set-pod-{number}" for number in range(11)]


@pytest.mark.parametrize("phase,code", [("Failed", 1), ("Succeeded", 0)])
def test_a_pod_that_ended_is_replaced_under_its_ordinal(here, node, phase, code):
    here.create(parent(POD_SET, "set", replicas=2))
    here.is_ready(POD_SET, "set")
    before = here.get("pods", "set-pod-1")["metadata"]["uid"]

    node.set_phase(here.name, "set-pod-1", phase, code)

    here.becomes("pods", "set-pod-1", lambda p: p["metadata"]["uid"] != before and p["status"]["phase"] == "Running", "is new")


def test_pods_that_only_look_like_ours_do_not_count(here):
    here.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "alike", "labels": {"app": "set", "version": "v0.1"}},
                 "spec": {"containers": [{"name": "busybox", "image": "busybox"}]}})

    here.create(parent(POD_SET, "set", replicas=1))
    here.is_ready(POD_SET, "set")
    here.change(POD_SET, "set", {"replicas": 0})

    eventually(lambda: here.names("pods") == ["alike"], what="only the other Pod is left")


@pytest.mark.parametrize("spec,away", [({}, 1), ({"maxUnavailable": 2}, 2)])
def test_a_new_image_replaces_no_more_pods_at_a_time_than_may_be_missing(here, spec, away):
    here.create(parent(POD_SET, "set", replicas=4, **spec))
    here.is_ready(POD_SET, "set")
    least, done = [4], threading.Event()

    def look():
        while not done.is_set():
            least[0] = min(least[0], len(ready_pods(here)))
            time.sleep(0.01)

    watching = threading.Thread(target=look)
    watching.start()
    try:
        here.change(POD_SET, "set", {"image": "busybox:2"})
        eventually(lambda: [image_of(p) for p in ready_pods(here)] == ["busybox:2"] * 4, what="all Pods have the new image")
    finally:
        done.set()
        watching.join()
    assert least[0] >= 4 - away


def test_with_max_unavailable_so_many_pods_are_replaced_at_once_highest_ordinals_first(here, node):
    here.create(parent(POD_SET, "set", replicas=5, maxUnavailable=3))
    here.is_ready(POD_SET, "set")
    node.hold(here.name)  # new Pods do not get Ready: all are missing that may be

    here.change(POD_SET, "set", {"image": "busybox:2"})

    eventually(lambda: [image_of(p) for p in here.kube.list("pods", here.name)].count("busybox:2") == 3, what="three are replaced")
    here.becomes(POD_SET, "set", lambda s: s["status"]["readyReplicas"] == 2, "has two ready Pods left")
    stays(lambda: sorted(p["metadata"]["name"] for p in ready_pods(here)) == ["set-pod-0", "set-pod-1"], 1.0, what="two old Pods")
    node.release(here.name)
    eventually(lambda: [image_of(p) for p in ready_pods(here)] == ["busybox:2"] * 5, what="all Pods have the new image")
    here.is_ready(POD_SET, "set")


def test_taking_back_a_bad_image_heals_without_a_hand(here, node):
    here.create(parent(POD_SET, "set", replicas=3))
    here.is_ready(POD_SET, "set")
    node.hold(here.name)
    here.change(POD_SET, "set", {"image": "does-not-exist"})
    eventually(lambda: any(image_of(p) == "does-not-exist" for p in here.kube.list("pods", here.name)), what="one Pod is replaced")
    assert len(ready_pods(here)) >= 2

    here.change(POD_SET, "set", {"image": "busybox"})
    node.release(here.name)

    eventually(lambda: [image_of(p) for p in ready_pods(here)] == ["busybox"] * 3, what="all Pods have the old image")
    here.is_ready(POD_SET, "set")


def test_a_pod_on_a_lost_node_is_not_counted(here, node):
    here.create(parent(POD_SET, "set", replicas=2))
    here.is_ready(POD_SET, "set")
    node.set_grace(float("inf"), here.name)
    try:
        here.delete("pods", "set-pod-1")
        here.becomes(POD_SET, "set", lambda s: s["status"]["podNames"] == ["set-pod-0"], "names the one that is left")
    finally:
        node.set_grace(0, here.name)
        node.finish(here.name, "set-pod-1")
    here.becomes("pods", "set-pod-1", lambda p: "deletionTimestamp" not in p["metadata"], "is there again")
    here.is_ready(POD_SET, "set")


def test_a_deleted_set_takes_its_pods_with_it(here):
    here.create(parent(POD_SET, "set", replicas=3))
    here.is_ready(POD_SET, "set")
    here.delete(POD_SET, "set")
    eventually(lambda: here.names("pods") == [], what="no Pod is left")


def test_kubectl_scale_works(here):
    here.create(parent(POD_SET, "set", replicas=1))
    here.is_ready(POD_SET, "set")
    here.scale(POD_SET, "set", 3)
    eventually(lambda: len(here.names("pods")) == 3, what="three Pods")
    here.becomes(POD_SET, "set", lambda s: s["status"]["replicas"] == 3 and "app=set" in s["status"]["selector"], "shows them")


def test_a_pod_that_does_not_end_is_named_a_minute_after_its_grace_and_not_replaced_before_it_is_gone(lost, node):
    before = {pod["metadata"]["uid"] for pod in lost.kube.list("pods", lost.name)}
    for (resource, name), pod in STUCK.items():
        shown = lost.has_condition(resource, name, "PodsStuck", "True", "TerminatingTooLong", timeout=STUCK_AFTER + 30)
        assert pod in condition(shown, "PodsStuck")["message"] and "--force" in condition(shown, "PodsStuck")["message"]
        assert condition(shown, "Ready")["status"] == "False"
        eventually(lambda n=name: [e[0] for e in lost.events(n) if e[1] == "TerminatingTooLong"] == ["Warning"], what="one Warning")
    assert lost.get(IMMORTAL, "eternal")["status"].get("currentPod") in (None, "")
    assert {pod["metadata"]["uid"] for pod in lost.kube.list("pods", lost.name)} == before

    for (resource, name), pod in STUCK.items():
        node.finish(lost.name, pod)  # as the condition advises
        lost.is_ready(resource, name)
        eventually(lambda r=resource, n=name: lost.condition(r, n, "PodsStuck") == {}, what="nothing is stuck")
    assert lost.names("pods") == sorted([*STUCK.values(), "set-pod-0"])
