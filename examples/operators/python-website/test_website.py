# SPDX-License-Identifier: Apache-2.0
"""What the operator decides for a Website. No cluster is needed."""

import copy

import pytest

from website import op

WEBSITE = {"apiVersion": "example.com/v1", "kind": "Website", "metadata": {"name": "hello", "namespace": "default"},
           "spec": {"page": "<h1>Hello</h1>", "replicas": 2}}  # fmt: skip


def deployment(ready, generation=1, observed=1):
    """The Deployment as the API server shows it when Pods are ready."""
    live = copy.deepcopy(op.test(WEBSITE).child("Deployment", "hello"))
    live["metadata"]["generation"] = generation
    live["status"] = {"readyReplicas": ready, "updatedReplicas": ready, "observedGeneration": observed}
    return live


def test_a_website_gets_its_objects():
    decision = op.test(WEBSITE)
    assert decision.child("ConfigMap", "hello")["data"] == {"index.html": "<h1>Hello</h1>"}
    assert decision.child("Service", "hello")["spec"]["ports"] == [{"port": 80}]
    assert decision.child("Deployment", "hello")["spec"]["replicas"] == 2
    assert decision.condition("Ready").status == "False"


@pytest.mark.parametrize(("live", "status"), [
    (deployment(ready=1), "False"), (deployment(ready=2), "True"), (deployment(ready=2, generation=2), "False")])  # fmt: skip
def test_a_website_is_ready_when_its_deployment_is(live, status):
    decision = op.test([WEBSITE, live])
    assert decision.condition("Ready").status == status
    assert decision.status == {"readyReplicas": live["status"]["readyReplicas"]}


def test_a_new_page_replaces_the_pods():
    changed = {**WEBSITE, "spec": {**WEBSITE["spec"], "page": "new"}}
    assert op.test(changed).child("Deployment", "hello")["spec"]["template"] != deployment(2)["spec"]["template"]
    assert op.test([changed, deployment(2)]).condition("Ready").status == "False"


def test_a_page_that_is_too_long_is_refused():
    decision = op.test({**WEBSITE, "spec": {"page": "x" * 100_001}})
    assert decision.invalid.startswith("spec.page") and not decision.children
