# SPDX-License-Identifier: Apache-2.0
"""The kind of the tests: a finalizer, ordered deletion, and claims that it owns through a StatefulSet."""

import pytest

from parents import PROBE, parent
from support.eventually import eventually
from support.fake_node import NEVER
from support.quiescence import wait_for_quiescence

pytestmark = pytest.mark.of_probes

FINALIZER = "test.xebec.dev/probe"


def probe(name, **spec):
    return parent(PROBE, name, **spec)


def deletions(audit, mark, here):
    """Resources in the order in which the applier deleted them, without repetition."""
    order = []
    for entry in audit.writes(mark):
        if entry.verb == "delete" and entry.ns == here.name and entry.code < 300 and entry.resource not in order:
            order.append(entry.resource)
    return order


def test_the_finalizer_is_there_before_anything_is_made(here, audit):
    mark = audit.mark()
    here.create(probe("p", replicas=1))
    item = here.is_ready(PROBE, "p")

    assert item["metadata"]["finalizers"] == [FINALIZER]
    kinds = [e.resource for e in audit.writes(mark) if e.ns == here.name and e.resource != "events" and not e.subresource]
    assert kinds.index("probes") < kinds.index("configmaps") < kinds.index("statefulsets")


def test_a_deleted_probe_goes_in_order_with_its_claims(here, audit):
    here.create(probe("p", replicas=2))
    here.is_ready(PROBE, "p")
    eventually(lambda: len(here.names("persistentvolumeclaims")) == 2, what="two claims")
    mark = audit.mark()

    here.delete(PROBE, "p")

    here.is_gone(PROBE, "p")
    assert deletions(audit, mark, here) == ["statefulsets", "persistentvolumeclaims", "configmaps"]
    eventually(lambda: here.names("persistentvolumeclaims") == [], what="no claim is left")


def test_a_claim_that_a_pod_on_a_lost_node_holds_keeps_the_probe_until_the_pod_is_gone(here, node, audit):
    here.create(probe("p", replicas=1))
    here.is_ready(PROBE, "p")
    node.set_grace(NEVER, here.name)

    here.delete(PROBE, "p")

    here.becomes("persistentvolumeclaims", "data-p-set-0", lambda item: "deletionTimestamp" in item["metadata"], "is to go")
    wait_for_quiescence(audit)
    assert here.get(PROBE, "p")["metadata"]["finalizers"] == [FINALIZER] and here.names("pods") == ["p-set-0"]
    node.finish(here.name, "p-set-0")
    here.is_gone(PROBE, "p")
    assert here.names("persistentvolumeclaims") == []


def test_claims_that_only_carry_the_label_are_not_touched(here):
    here.create(probe("p", replicas=1))
    here.is_ready(PROBE, "p")
    here.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim",
                 "metadata": {"name": "theirs", "labels": {FINALIZER: "p", "test.xebec.dev/probe-uid": "another"}},
                 "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})

    here.delete(PROBE, "p")

    here.is_gone(PROBE, "p")
    assert "theirs" in here.names("persistentvolumeclaims")


def test_finalizers_of_others_stay(here):
    here.create(probe("p"))
    here.is_ready(PROBE, "p")
    here.kube.patch(PROBE, "p", here.name, {"metadata": {"finalizers": [FINALIZER, "example.com/theirs"]}})

    here.delete(PROBE, "p")

    here.becomes(PROBE, "p", lambda item: item["metadata"]["finalizers"] == ["example.com/theirs"], "has only their finalizer")
    here.kube.patch(PROBE, "p", here.name, {"metadata": {"finalizers": []}})
    here.is_gone(PROBE, "p")


def test_an_invalid_spec_is_told_and_heals(here):
    here.create(probe("p", fail="on purpose"))
    here.has_condition(PROBE, "p", "Ready", "False", "InvalidSpec")
    assert "on purpose" in here.condition(PROBE, "p", "Ready")["message"]

    here.change(PROBE, "p", {"fail": None})

    here.is_ready(PROBE, "p")
