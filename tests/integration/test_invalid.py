# SPDX-License-Identifier: Apache-2.0
"""Specs that the schema accepts but that cannot work: a condition and one event report them, without a hot loop, until
they are fixed."""

import pytest

from parents import APP_SERVICE, DATABASE, IMMORTAL, IRIS, POD_SET, parent
from support.eventually import eventually
from support.manifests import condition
from support.quiescence import wait_for_quiescence, requests

IMAGE = {DATABASE: {"image": "super-great-docker-image"}, IMMORTAL: {"image": "nginx:1"}}
# What a few minutes of growing pauses (50 ms, doubled each time) can cost at most within one test. A change of a child
# ends a pause, and a Database has several children: 15 to 18 on a machine that does nothing else, 25 on a busy one.
RETRIES = 40


def bad(resource, change, said, reason, name=None):
    return pytest.param(resource, change, said, reason, id=f"{resource.partition('.')[0]}-{name or next(iter(change))}")


BLANK = {"image": " blanks around "}
NO_VARIABLE = {"env": [{"name": "a=b", "value": "c"}]}
MORE_THAN_ALLOWED = {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}}
LESS_THAN_NOTHING = {"resources": {"requests": {"memory": "-1Gi"}}}
NONSENSE = {"env": [{"name": "A", "valueFrom": {"nonsense": {"a": 1}}}]}
KEYLESS = {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s"}}}]}

CASES = [
    bad(IRIS, BLANK, "image", "InvalidSpec"),
    bad(IRIS, NO_VARIABLE, "a=b", "InvalidSpec"),
    bad(IRIS, MORE_THAN_ALLOWED, "cpu", "Rejected", "requests-beyond-limits"),
    bad(IRIS, LESS_THAN_NOTHING, "memory", "Rejected", "negative"),
    bad(IRIS, NONSENSE, "nonsense", "Rejected", "nonsense"),
    bad(POD_SET, BLANK, "image", "InvalidSpec"),
    bad(POD_SET, MORE_THAN_ALLOWED, "cpu", "Rejected", "requests-beyond-limits"),
    bad(POD_SET, KEYLESS, "key", "Rejected", "keyless"),
    bad(APP_SERVICE, NONSENSE, "nonsense", "Rejected", "nonsense"),
    bad(APP_SERVICE, LESS_THAN_NOTHING, "memory", "Rejected", "negative"),
    bad(IMMORTAL, BLANK, "image", "InvalidSpec"),
    bad(DATABASE, BLANK, "image", "InvalidSpec"),
    bad(DATABASE, {"storage-size": "0"}, "storage-size", "InvalidSpec"),
    bad(DATABASE, {"portVariable": "DATA", "databaseVariable": "DATA"}, "DATA", "InvalidSpec"),
    bad(DATABASE, MORE_THAN_ALLOWED, "cpu", "Rejected", "requests-beyond-limits"),
    bad(DATABASE, NONSENSE, "nonsense", "Rejected", "nonsense"),
]


def good(resource):
    return IMAGE.get(resource, {}) | ({} if resource == IMMORTAL else {"replicas": 1})


def told(here, resource, name, said, reason):
    """Waits until the parent's condition says what is wrong."""
    here.has_condition(resource, name, "Ready", "False", reason)
    shown = here.get(resource, name)
    assert said in condition(shown, "Ready")["message"], shown["status"]
    assert condition(shown, "Stalled").get("status") == "True"
    assert condition(shown, "Applied").get("status") == "False"


def warnings(here, name):
    return [event for event in here.events(name) if event[0] == "Warning"]


@pytest.mark.parametrize("resource,change,said,reason", CASES)
def test_a_spec_that_cannot_work_is_told_delays_nobody_and_heals(here, audit, resource, change, said, reason):
    mark = audit.mark()
    here.create(parent(resource, "broken", **(good(resource) | change)))
    told(here, resource, "broken", said, reason)
    [warning] = eventually(lambda: warnings(here, "broken"), what="a Warning event")
    assert warning[1] == reason and said in warning[2]

    here.create(parent(resource, "bystander", **good(resource)))
    here.is_ready(resource, "bystander")

    here.change(resource, "broken", {field: good(resource).get(field) for field in change})
    here.is_ready(resource, "broken")
    assert condition(here.get(resource, "broken"), "Stalled") == {}
    wait_for_quiescence(audit)
    refused = [e for e in audit.writes(mark) if e.ns == here.name and e.code >= 400]
    assert len(refused) <= RETRIES, refused
    assert len(warnings(here, "broken")) == 1


@pytest.mark.parametrize("resource,change", [(POD_SET, BLANK), (POD_SET, NO_VARIABLE), (IMMORTAL, BLANK), (DATABASE, BLANK),
                                             (IRIS, NO_VARIABLE)])
def test_what_runs_goes_on_while_the_spec_cannot_be_planned(here, audit, resource, change):
    here.create(parent(resource, "sample", **good(resource)))
    here.is_ready(resource, "sample")
    wait_for_quiescence(audit)
    before = {pod["metadata"]["uid"] for pod in here.kube.list("pods", here.name)}

    here.change(resource, "sample", change)
    here.has_condition(resource, "sample", "Ready", "False", "InvalidSpec")
    wait_for_quiescence(audit)
    mark = audit.mark()
    here.annotate(resource, "sample", "xebec.dev/reconcile-at", "now")
    wait_for_quiescence(audit)

    assert {pod["metadata"]["uid"] for pod in here.kube.list("pods", here.name)} == before
    assert requests(audit, mark) == []
    here.change(resource, "sample", {field: good(resource).get(field) for field in change})
    here.is_ready(resource, "sample")
    assert {pod["metadata"]["uid"] for pod in here.kube.list("pods", here.name)} == before


def test_a_refused_change_of_a_set_costs_no_more_pods_than_may_be_missing(here, audit):
    here.create(parent(POD_SET, "set", replicas=3))
    here.is_ready(POD_SET, "set")
    before = {pod["metadata"]["uid"] for pod in here.kube.list("pods", here.name)}

    here.change(POD_SET, "set", MORE_THAN_ALLOWED)
    here.has_condition(POD_SET, "set", "Ready", "False", "Rejected")

    left = {pod["metadata"]["uid"] for pod in here.kube.list("pods", here.name)}
    assert len(left) >= 2 and left <= before
    here.change(POD_SET, "set", {"resources": None})
    here.is_ready(POD_SET, "set")
    assert len(before & {pod["metadata"]["uid"] for pod in here.kube.list("pods", here.name)}) == len(left)
    wait_for_quiescence(audit)


@pytest.mark.parametrize("size,stored", [("1.5Gi", "1536Mi"), ("1e9", "1e9"), ("1500m", "1500m"), ("+2Gi", "+2Gi")])
def test_a_quantity_that_is_stored_in_other_words_is_no_difference(here, audit, size, stored):
    here.create(parent(DATABASE, "sample", **(good(DATABASE) | {"storage-size": size})))
    here.is_ready(DATABASE, "sample")
    [template] = here.get("statefulsets.apps", "sample")["spec"]["volumeClaimTemplates"]
    assert template["spec"]["resources"]["requests"]["storage"] == stored
    wait_for_quiescence(audit)
    mark = audit.mark()

    here.annotate(DATABASE, "sample", "xebec.dev/reconcile-at", "now")
    wait_for_quiescence(audit)

    assert requests(audit, mark) == []
    assert condition(here.get(DATABASE, "sample"), "Rewritten") == {}


def nested(levels):
    return [] if levels == 0 else [nested(levels - 1)]


@pytest.mark.parametrize("resource,unreadable", [(IRIS, nested(100)), (POD_SET, 10 ** 20)], ids=["too-deep", "too-large-a-number"])
def test_an_object_that_cannot_be_read_blinds_nobody_and_heals(here, services, audit, resource, unreadable):
    """The schemas of these kinds keep what they do not know, so that everybody who may write one may write this."""
    here.create(parent(resource, "before", **good(resource)))
    here.create(parent(resource, "bad", **(good(resource) | {"x": unreadable})))
    told(here, resource, "bad", "cannot read this object", "InvalidSpec")
    here.create(parent(resource, "after", **good(resource)))
    here.is_ready(resource, "after")
    wait_for_quiescence(audit)

    services.watcher.stop()
    services.watcher.start().wait_ready()
    here.create(parent(resource, "later", **good(resource)))
    here.is_ready(resource, "later")

    here.change(resource, "bad", {"x": None})
    here.is_ready(resource, "bad")
    wait_for_quiescence(audit)
    assert services.watcher.metric("xebec_reflector_relists_total", reason="malformed") == 0
