# SPDX-License-Identifier: Apache-2.0
"""Other writers of our fields: an autoscaler on a child, a webhook that changes requests, and the deletion budget."""

import pytest

from parents import IRIS, POD_SET, parent
from support.eventually import eventually
from support.manifests import condition
from support.quiescence import assert_quiescent, wait_for_quiescence

CONFLICT_AFTER = 5
POLICY = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "longer-timeout"},
          "spec": {"failurePolicy": "Fail", "reinvocationPolicy": "Never",
                   "matchConstraints": {"resourceRules": [{"apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["deployments"],
                                                           "operations": ["CREATE", "UPDATE"]}],
                                        "namespaceSelector": {"matchLabels": {"rewritten": "yes"}}},
                   "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {
                       "expression": "Object{spec: Object.spec{replicas: 3}}"}}]}}
BINDING = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "longer-timeout"},
           "spec": {"policyName": "longer-timeout"}}


def replicas(here, name="web"):
    return here.get("deployments.apps", name)["spec"]["replicas"]


def test_a_writer_who_changes_a_field_again_and_again_is_named_and_answered_slowly(here, audit):
    here.create(parent(IRIS, "sample", deploymentName="web", replicas=1))
    here.is_ready(IRIS, "sample")

    for _ in range(CONFLICT_AFTER + 1):
        eventually(lambda: replicas(here) == 1, what="the field is put back")
        here.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 2}}, "night-shift")

    def named():
        conflict = condition(here.get(IRIS, "sample"), "FieldManagerConflict")
        return conflict["status"] == "True" and "night-shift" in conflict["message"] and "spec.replicas" in conflict["message"]
    eventually(named, what="the condition FieldManagerConflict names the writer and the field")
    assert condition(here.get(IRIS, "sample"), "Applied")["reason"] == "FieldManagerConflict"
    eventually(lambda: replicas(here) == 1, what="the field is put back, later")
    here.becomes(IRIS, "sample", lambda i: condition(i, "Applied")["status"] == "True", "is applied again")
    wait_for_quiescence(audit)


@pytest.fixture
def rewritten(here, kube):
    """What is asked for of Deployments in this namespace is stored with three replicas."""
    if not kube.serves(POLICY["apiVersion"], POLICY["kind"]):
        pytest.skip("the API server has no MutatingAdmissionPolicy: it is stable since Kubernetes 1.36")
    kube.patch("namespaces", here.name, None, {"metadata": {"labels": {"rewritten": "yes"}}})
    kube.apply(POLICY)
    kube.apply(BINDING)

    def works():
        probe = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "probe"},
                 "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "probe"}},
                          "template": {"metadata": {"labels": {"app": "probe"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}
        stored = here.apply(probe)["spec"]["replicas"]
        kube.delete("deployments.apps", "probe", here.name)
        return stored == 3
    eventually(works, what="the API server rewrites")
    yield
    kube.delete("mutatingadmissionpolicybindings.admissionregistration.k8s.io", "longer-timeout")
    kube.delete("mutatingadmissionpolicies.admissionregistration.k8s.io", "longer-timeout")


def test_what_the_api_server_stores_differently_is_told_once_and_left_alone(here, rewritten, audit):
    here.create(parent(IRIS, "sample", deploymentName="web", replicas=1))
    here.has_condition(IRIS, "sample", "Rewritten", "True", "StoredDifferently")
    message = condition(here.get(IRIS, "sample"), "Rewritten")["message"]
    assert "Deployment" in message and "spec.replicas" in message
    here.is_ready(IRIS, "sample")
    assert_quiescent(audit, 2)
    assert replicas(here) == 3
    assert condition(here.get(IRIS, "sample"), "Ready")["message"] == "3 of 3 replicas are ready"


def test_deletions_beyond_the_budget_are_deferred_and_shown_and_go_on_by_themselves(here, services, audit):
    for name in ("first", "second"):
        here.create(parent(POD_SET, name, replicas=2))
        here.is_ready(POD_SET, name)
    with services.stand_in("watcher", "--deletion-budget", "1", "--deletion-interval", "8s") as watcher:
        watcher.wait_ready()
        here.change(POD_SET, "first", {"replicas": 0})
        eventually(lambda: here.names("pods") == ["second-pod-0", "second-pod-1"], what="one parent's own scale-down is never deferred")

        here.change(POD_SET, "second", {"replicas": 1})
        here.has_condition(POD_SET, "second", "DeletionDeferred", "True", "DeletionDeferred")
        message = condition(here.get(POD_SET, "second"), "DeletionDeferred")["message"]
        assert "budget of 1 deletions" in message and "deletion.budget" in message
        assert here.names("pods") == ["second-pod-0", "second-pod-1"]

        eventually(lambda: here.names("pods") == ["second-pod-0"], what="the deletion goes on by itself")
        here.is_ready(POD_SET, "second")
        here.becomes(POD_SET, "second", lambda s: condition(s, "DeletionDeferred") == {}, "shows no deferred deletion any more")
        wait_for_quiescence(audit)
