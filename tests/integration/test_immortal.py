# SPDX-License-Identifier: Apache-2.0
"""The promises of docs/kinds.md for ImmortalContainer."""

import pytest

from parents import IMMORTAL, IMMORTAL_TOO, parent
from support.namespace import controller

POD = "eternal-immortalpod"


def started(count):
    return lambda item: item["status"]["startTimes"] == count and item["status"]["currentPod"] == POD


@pytest.mark.parametrize("resource,policy", [(IMMORTAL, "Always"), (IMMORTAL_TOO, "OnFailure")])
def test_it_gets_one_pod(here, resource, policy):
    created = here.create(parent(resource, "eternal", image="nginx:1"))
    here.becomes(resource, "eternal", started(1), "was started once")

    pod = here.get("pods", POD)
    assert controller(pod)[2] == created["metadata"]["uid"]
    assert pod["metadata"]["labels"]["app"] == "eternal"
    [container] = pod["spec"]["containers"]
    assert (container["name"], container["image"], pod["spec"]["restartPolicy"]) == ("acontainer", "nginx:1", policy)
    here.is_ready(resource, "eternal")


def test_a_deleted_pod_comes_back_and_is_counted_once(here):
    here.create(parent(IMMORTAL, "eternal", image="nginx:1"))
    here.becomes(IMMORTAL, "eternal", started(1), "was started once")
    before = here.get("pods", POD)["metadata"]["uid"]

    here.delete("pods", POD)

    here.becomes("pods", POD, lambda pod: pod["metadata"]["uid"] != before, "is a new one")
    here.becomes(IMMORTAL, "eternal", started(2), "was started twice")


@pytest.mark.parametrize("phase,code", [("Succeeded", 0), ("Failed", 137)])
def test_a_pod_that_terminated_but_still_exists_is_replaced(here, node, phase, code):
    here.create(parent(IMMORTAL, "eternal", image="nginx:1"))
    here.becomes(IMMORTAL, "eternal", started(1), "was started once")
    before = here.get("pods", POD)["metadata"]["uid"]

    node.set_phase(here.name, POD, phase, code)

    here.becomes("pods", POD, lambda pod: pod["metadata"]["uid"] != before, "is a new one")
    here.becomes(IMMORTAL, "eternal", started(2), "was started twice")


def test_a_pod_that_ends_again_and_again_is_started_with_a_growing_pause(here, node):
    here.create(parent(IMMORTAL, "eternal", image="nginx:1"))
    for start in (1, 2):
        here.becomes(IMMORTAL, "eternal", started(start), f"was started {start} times")
        here.becomes("pods", POD, lambda pod: pod["status"].get("phase") == "Running", "runs")
        node.set_phase(here.name, POD, "Failed", 1)

    paused = here.becomes(IMMORTAL, "eternal", lambda item: item["status"].get("nextStart"), "pauses")
    assert paused["status"]["startTimes"] == 2
    here.has_condition(IMMORTAL, "eternal", "BackOff", "True")
    here.becomes(IMMORTAL, "eternal", started(3), "was started a third time after the pause")


def test_a_new_image_replaces_the_pod(here):
    here.create(parent(IMMORTAL, "eternal", image="nginx:1"))
    here.becomes(IMMORTAL, "eternal", started(1), "was started once")

    here.change(IMMORTAL, "eternal", {"image": "nginx:2"})

    here.becomes("pods", POD, lambda pod: pod["spec"]["containers"][0]["image"] == "nginx:2", "has the new image")
    here.becomes(IMMORTAL, "eternal", started(2), "was started twice")


def test_while_the_pod_is_going_there_is_no_current_pod_and_no_second_one(here, node):
    here.create(parent(IMMORTAL, "eternal", image="nginx:1"))
    here.becomes(IMMORTAL, "eternal", started(1), "was started once")
    node.set_grace(float("inf"), here.name)
    try:
        here.delete("pods", POD)
        here.becomes(IMMORTAL, "eternal", lambda item: not item["status"].get("currentPod"), "names no Pod")
        assert here.names("pods") == [POD]
    finally:
        node.set_grace(0, here.name)
        node.finish(here.name, POD)
    here.becomes(IMMORTAL, "eternal", started(2), "was started twice")


@pytest.mark.parametrize("length", [40, 64, 253])
def test_long_names_give_valid_pods_without_collisions(here, length):
    for last in "ab":
        here.create(parent(IMMORTAL, "n" * (length - 1) + last, image="nginx:1"))
    pods = {here.becomes(IMMORTAL, "n" * (length - 1) + last, lambda item: item["status"].get("currentPod"), "has a Pod")
            ["status"]["currentPod"] for last in "ab"}
    assert len(pods) == 2


def test_a_deleted_immortal_dies(here):
    here.create(parent(IMMORTAL, "eternal", image="nginx:1"))
    here.becomes(IMMORTAL, "eternal", started(1), "was started once")
    here.delete(IMMORTAL, "eternal")
    here.is_gone("pods", POD)
