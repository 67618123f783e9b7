# SPDX-License-Identifier: Apache-2.0
"""Iris as a program decides what the built-in kind plans: compared with the recorded plans of the planner, and case by
case."""

import copy
import json
import pathlib

import pytest

import names
from iris import op

RECORDED = pathlib.Path(__file__).resolve().parents[3] / "tests/interaction/testdata"


def parent(name="sample", shown=None, **spec):
    conditions = [{"type": "Ready", "status": "False", "reason": shown}] if shown else []
    return {"apiVersion": "example.com/v1alpha1", "kind": "Iris", "metadata": {"name": name, "namespace": "default"},
            "spec": spec, "status": {"conditions": conditions}}


def live(iris, generation=1, **status):
    """The Deployment as the API server shows it after the decision for the Iris."""
    found = copy.deepcopy(op.test(iris).children[0].object)
    found["metadata"].update(uid="deployment-uid", generation=generation)
    found["status"] = {"observedGeneration": generation, **status}
    return found


def ready(count):
    return {"readyReplicas": count, "replicas": count, "updatedReplicas": count}


def pod(state, **more):
    status = {"phase": "Running", "containerStatuses": [{"name": "iris", "image": "i", "ready": False, "state": state, **more}]}
    owner = {"kind": "ReplicaSet", "name": "sample-7d9", "uid": "rs", "controller": True}
    return {"apiVersion": "v1", "kind": "Pod", "status": status,
            "metadata": {"name": "sample-7d9-x", "labels": {"pod-template-hash": "7d9"}, "ownerReferences": [owner]}}


def conditions(decision):
    return {type: f"{each.status} {each.reason}" for type, each in decision.conditions.items()}


@pytest.mark.parametrize("name", ["new", "idle", "renamed", "scaled", "drifted", "manifest_by_hand"])
def test_the_decision_is_the_plan_of_the_built_in_kind(name):
    observation = json.loads((RECORDED / f"iris_{name}.observation.json").read_text())
    plan = json.loads((RECORDED / f"iris_{name}.plan.json").read_text())
    decision = op.test({"observation": observation})
    status = plan["status"]["object"]["object"]["status"]
    assert decision.status == {field: status[field] for field in ("readyReplicas", "replicas", "selector")}
    planned = {each["type"]: (each["status"], each["reason"], each["message"]) for each in status["conditions"]}
    for each in decision.conditions.values():
        assert planned[each.type] == (each.status, each.reason, each.message)
    for operation in (each for stage in plan.get("stages", []) for each in stage["operations"]):
        target = operation["target"]["name"]
        if "delete" in operation:
            assert decision.deletes("Deployment", target)
            continue
        applied = operation["apply"]["object"]["object"]
        assert decision.child("Deployment", target)["spec"] == applied["spec"]
        events = [(each["reason"], each["action"], each["note"]) for each in operation.get("events", [])]
        [child] = decision.children
        wanted = child.created if operation["precondition"].get("absent") else child.changed
        assert events == [(each.reason, each.action, each.note) for each in wanted]


def test_a_deployment_that_is_handed_over_keeps_its_selector_and_template():
    theirs = live(parent())
    theirs["spec"].update(selector={"matchLabels": {"b": "2", "a": "1"}})
    theirs["spec"]["template"]["metadata"]["labels"] = {"a": "1", "iris/deployment-name": "sample"}
    decision = op.test([parent(), theirs])
    spec = decision.child("Deployment", "sample")["spec"]
    assert spec["selector"] == {"matchLabels": {"b": "2", "a": "1"}}
    assert spec["template"]["metadata"]["labels"] == {"iris/deployment-name": "sample"}
    assert decision.status["selector"] == "a=1,b=2"
    decision = op.test([parent(image="other"), theirs])
    assert decision.child("Deployment", "sample")["spec"]["template"]["metadata"]["labels"]["xebec.dev/parent"] == "sample"


def test_progress():
    iris = parent(replicas=2)
    assert conditions(op.test(iris)) == {"Ready": "False Deploying"}
    assert conditions(op.test([iris, live(iris, **ready(1))])) == {"Ready": "False Deploying"}
    decision = op.test([iris, live(iris, **ready(2))])
    assert conditions(decision) == {"Ready": "True DeploymentReady"}
    assert decision.condition("Ready").message == "2 of 2 replicas are ready"
    assert conditions(op.test([parent(replicas=3), live(iris, **ready(2))]))["Ready"] == "False Deploying"


@pytest.mark.parametrize(("failing", "expected"), [
    ({"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota: q"},
     {"Ready": "False QuotaExceeded"}),
    ({"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "violates PodSecurity"},
     {"Ready": "False PodSecurityViolation"}),
    ({"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "late"},
     {"Ready": "False ProgressDeadlineExceeded", "Stalled": "True ProgressDeadlineExceeded"})])
def test_failures_of_the_deployment(failing, expected):
    assert conditions(op.test([parent(), live(parent(), conditions=[failing])])) == expected


@pytest.mark.parametrize(("state", "more", "shown", "expected", "message"), [
    ({"waiting": {"reason": "CrashLoopBackOff"}}, {"lastState": {"terminated": {"reason": "Error"}}}, None, "CrashLoopBackOff",
     'container "iris" of Pod "sample-7d9-x" ends repeatedly (Error); see kubectl logs --previous sample-7d9-x'),
    ({"running": {}}, {"restartCount": 1, "lastState": {"terminated": {"exitCode": 1}}}, None, "CrashLoopBackOff", "ends repeatedly;"),
    ({"waiting": {"reason": "ErrImagePull"}}, {}, None, "ErrImagePull", 'cannot pull the image "i"'),
    ({"waiting": {"reason": "ErrImagePull"}}, {}, "ImagePullBackOff", "ImagePullBackOff", 'cannot pull the image "i"'),
    ({"waiting": {"reason": "CreateContainerConfigError", "message": "no secret"}}, {}, None, "CreateContainerConfigError",
     "cannot start: CreateContainerConfigError (no secret)"),
    ({"waiting": {"reason": "ContainerCreating"}}, {}, None, "Deploying", "0 of 1 replicas are ready")])
def test_reasons_of_pods(state, more, shown, expected, message):
    decision = op.test([parent(shown=shown), live(parent()), pod(state, **more)])
    assert decision.condition("Ready").reason == expected
    assert message in decision.condition("Ready").message


def test_a_pod_of_another_controller_does_not_count():
    other = pod({"waiting": {"reason": "CrashLoopBackOff"}})
    other["metadata"]["ownerReferences"][0]["name"] = "other-7d9"
    assert op.test([parent(), live(parent()), other]).condition("Ready").reason == "Deploying"


def test_a_pod_that_cannot_be_scheduled():
    waiting = pod({})
    waiting["status"] = {"phase": "Pending", "conditions": [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1 nodes. preemption: none"}]}
    message = op.test([parent(), live(parent()), waiting]).condition("Ready").message
    assert message == '0 of 1 replicas are ready: Pod "sample-7d9-x" cannot be scheduled: 0/1 nodes.'


@pytest.mark.parametrize(("spec", "message"), [
    ({"replicas": "3"}, 'spec.replicas must be an integer from 0 to 2147483647, not "3"'),
    ({"replicas": -1}, "spec.replicas must be an integer from 0 to 2147483647, not -1"),
    ({"deploymentName": "n" * 65}, "spec.deploymentName must be at most 64 bytes long, not 65"),
    ({"deploymentName": "No"}, 'spec.deploymentName "No" must consist of'),
    ({"image": " a"}, 'spec.image must not begin or end with a blank: " a"'),
    ({"env": [{"value": "a"}]}, 'spec.env has an entry without a name: {"value":"a"}'),
    ({"env": [{"name": "a"}, {"name": "a"}]}, 'spec.env names "a" twice'),
    ({"env": [{"name": "a=b"}]}, 'spec.env has the name "a=b", which no variable can have'),
    ({"resources": []}, "spec.resources must be an object, not []"),
    ({"imagePullSecrets": ["a"]}, 'spec.imagePullSecrets must have objects only, not "a"'),
    ({"image": 5}, "spec.image must be a string, not 5")])
def test_an_invalid_spec_is_reported_and_changes_nothing(spec, message):
    decision = op.test(parent(**spec))
    assert decision.invalid.startswith(message)
    assert not decision.children and not decision.conditions


def test_fields_that_the_api_server_drops_are_not_sent():
    decision = op.test(parent(env=[{"name": "a", "value": ""}], resources={"limits": {}}, imagePullSecrets=[{"name": "s", "x": None}]))
    pod_spec = decision.child("Deployment", "sample")["spec"]["template"]["spec"]
    assert pod_spec["containers"][0]["env"] == [{"name": "a"}] and "resources" not in pod_spec["containers"][0]
    assert pod_spec["imagePullSecrets"] == [{"name": "s"}]


def test_long_names_are_bounded():
    assert len(op.test(parent("x" * 253)).children[0].object["metadata"]["name"]) == 242
    label = names.label_value("n" * 64)
    assert len(label) == 63 and label.startswith("n" * 54 + "-")
    assert names.label_value("a_b.c") == "a_b.c" and names.label_value("-a") != "a"
