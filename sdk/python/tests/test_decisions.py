# SPDX-License-Identifier: Apache-2.0
"""What a handler reads and decides, through Operator.test."""

import itertools
import json
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from xebec_operator import _codec, _testing
from xebec_operator import Event, InvalidError, NonDeterministicError, Operator, Outcome, Phase, RetryError

PARENT = {"apiVersion": "example.com/v1", "kind": "Web", "metadata": {"name": "web", "namespace": "shop"}, "spec": {"image": "nginx"}}


def decide(handler, observation=None, **more):
    op = Operator("webs.example.com")
    op.sync(handler)
    return op.test(PARENT if observation is None else observation, **more)


def deployment(name, **fields):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "shop"}, **fields}


def test_a_child_gets_its_identity_and_events():
    def handler(o):
        o.ensure("apps/v1", "Deployment", o.name, {"metadata": {"labels": {"a": "b"}}, "spec": {"replicas": 2}},
                 created="made it", changed=[Event("Scaled", "to 2", "Scale")], stage=1, memo="m", by_version=True)

    decision = decide(handler)
    assert decision.child("Deployment", "web") == {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"a": "b"}}, "spec": {"replicas": 2}}
    [child] = decision.children
    assert child.created == (Event("Created", "made it", "Create"),)
    assert child.changed == (Event("Scaled", "to 2", "Scale"),)
    assert (child.stage, child.memo, child.by_version) == (1, "m", True)


def test_the_body_of_a_child_is_not_changed():
    body = {"metadata": {"labels": {}}}
    decide(lambda o: o.ensure("v1", "ConfigMap", "c", body, namespace="other"))
    assert body == {"metadata": {"labels": {}}}


def test_a_decision_keeps_no_references():
    body, shown = {"metadata": {"labels": {"a": "b"}}, "data": {"k": "v"}}, ["a"]

    def handler(o):
        o.ensure("v1", "ConfigMap", "c", body)
        o.status(shown=shown)
        body["metadata"]["labels"]["a"] = body["data"]["k"] = shown[0] = "changed"

    op = Operator("webs.example.com")
    op.sync(handler)
    decision = op._decide(_testing.request_of("webs.example.com", PARENT, {}))
    assert decision.child("ConfigMap", "c")["data"] == {"k": "v"} and decision.status == {"shown": ["a"]}
    assert decision.child("ConfigMap", "c")["metadata"]["labels"] == {"a": "b"}


@pytest.mark.parametrize("body", [{"kind": "Secret"}, {"apiVersion": "v2"}, {"metadata": {"name": "d"}}])
def test_a_body_with_another_identity_is_refused(body):
    with pytest.raises(ValueError, match="has another"):
        decide(lambda o: o.ensure("v1", "ConfigMap", "c", body))


def test_a_child_is_ensured_once_in_each_namespace():
    def handler(o):
        for namespace in ("a", "b"):
            o.ensure("v1", "ConfigMap", "c", namespace=namespace)

    assert len(decide(handler).children) == 2
    with pytest.raises(ValueError, match="ensured twice"):
        decide(lambda o: [o.ensure("v1", "ConfigMap", "c") for _ in "ab"])


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_child_needs_a_name(name):
    with pytest.raises(ValueError, match="invalid name"):
        decide(lambda o: o.ensure("v1", "ConfigMap", name))


@pytest.mark.parametrize("value", [float("nan"), {1, 2}, b"bytes"])
def test_a_body_that_is_not_json_is_refused(value):
    with pytest.raises((ValueError, TypeError)):
        decide(lambda o: o.ensure("v1", "ConfigMap", "c", {"data": value}))


def test_deletions():
    def handler(o):
        o.delete("v1", "Pod", "old", stage=2, propagation="Foreground", reason="renamed", deleted="Deleted it")

    decision = decide(handler)
    assert decision.deletes("Pod", "old") and not decision.deletes("Pod", "new")
    [deletion] = decision.deletions
    assert deletion.deleted == (Event("Deleted", "Deleted it", "Delete"),)
    with pytest.raises(ValueError, match="propagation"):
        decide(lambda o: o.delete("v1", "Pod", "old", propagation="Later"))


def test_children_with_one_name_in_two_namespaces():
    def in_namespace(namespace, replicas):
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": namespace}, "spec": {"replicas": replicas}}

    def handler(o):
        o.ensure("apps/v1", "Deployment", "web", in_namespace("a", 1))
        o.ensure("apps/v1", "Deployment", "web", in_namespace("b", 3))
        assert [o.is_applied("Deployment", "web", namespace) for namespace in ("a", "b", "c")] == [True, False, False]
        assert o.outcome("Deployment", "web", namespace="b").code == "Created" and o.outcome("Deployment", "web", namespace="a") is None
        o.delete("v1", "Pod", "p", namespace="a")

    tenant = {"apiVersion": "example.com/v1", "kind": "Tenant", "metadata": {"name": "t"}}
    decision = decide(handler, tenant, children=[in_namespace("a", 1), in_namespace("b", 2)],
                      last_outcomes=[Outcome("apps/v1", "Deployment", "web", "apply", "Created", namespace="b")])
    assert decision.deletes("Pod", "p", "a") and not decision.deletes("Pod", "p", "b")


def test_children_with_one_kind_and_name_in_two_groups():
    knative = "serving.knative.dev/v1"

    def service(api_version, **spec):
        return {"apiVersion": api_version, "kind": "Service", "metadata": {"name": "hello", "namespace": "shop"}, "spec": spec}

    def handler(o):
        o.ensure(knative, "Service", "hello", {"spec": {"a": 1}})
        o.ensure("v1", "Service", "hello", {"spec": {"b": 2}})
        assert o.child("Service", "hello", api_version="v1")["spec"] == {"b": 2}
        assert o.child("Service", "hello", api_version="serving.knative.dev/v2")["spec"] == {"a": 0}
        assert o.child("Service", "hello", api_version="apps/v1") is None
        assert o.is_applied("Service", "hello", api_version="v1") and not o.is_applied("Service", "hello")
        assert not o.is_applied("Service", "hello", api_version=knative)
        assert o.outcome("Service", "hello", api_version=knative).code == "Created"
        assert o.outcome("Service", "hello", api_version="v1") is None
        o.delete(knative, "Service", "old")

    decision = decide(handler, children=[service("v1", b=2), service(knative, a=0)],
                      last_outcomes=[Outcome(knative, "Service", "hello", "apply", "Created")])
    assert decision.child("Service", "hello", api_version="v1")["spec"] == {"b": 2}
    assert decision.deletes("Service", "old", api_version=knative) and not decision.deletes("Service", "old", api_version="v1")


def test_another_version_is_the_same_child():
    with pytest.raises(ValueError, match="ensured twice"):
        decide(lambda o: [o.ensure(f"apps/{version}", "Deployment", "web") for version in ("v1", "v1beta1")])


def test_status_conditions_events_and_resync():
    def handler(o):
        o.status(a=1)
        o.status(b=None)
        o.condition("Ready", False, "Waiting", "wait")
        o.condition("Ready", True, "Done")
        o.condition("Known", None)
        o.remove_condition("Old")
        o.event("Done", "all is done", type="Warning")
        o.resync(timedelta(minutes=1))
        o.resync(30)
        o.resync(45)

    decision = decide(handler)
    assert decision.status == {"a": 1, "b": None}
    assert (decision.condition("Ready").status, decision.condition("Ready").reason) == ("True", "Done")
    assert (decision.condition("Known").status, decision.condition("Known").reason) == ("Unknown", "Known")
    assert decision.condition("Old").status == "" and decision.condition("Other") is None
    assert decision.events == [Event("Done", "all is done", "", "Warning")]
    assert decision.resync_after == 30


@pytest.mark.parametrize("handler", [
    lambda o: o.condition("Ready", "yes"), lambda o: o.status(conditions=[]), lambda o: o.resync(-1),
    lambda o: o.event("A", type="Error"), lambda o: o.event("made it"), lambda o: o.condition("Paused", True),
    lambda o: o.ensure("v1", "Pod", "p", created=Event("Made", action="make it")),
    lambda o: o.ensure("v1", "Pod", "p", {"metadata": {"ownerReferences": []}}),
    lambda o: o.ensure("v1", "Pod", "p", {"metadata": {"labels": {"a": 1}}})])
def test_wrong_values_are_refused(handler):
    with pytest.raises(ValueError):
        decide(handler)


def test_an_invalid_parent():
    def handler(o):
        raise InvalidError("spec.image is missing")

    assert decide(handler).invalid == "spec.image is missing"
    assert decide(lambda o: o.invalid("bad")).invalid == "bad"


def test_an_invalid_parent_without_a_message_is_not_valid():
    def handler(o):
        raise InvalidError()

    assert "does not say why" in decide(handler).invalid
    assert "does not say why" in decide(lambda o: o.invalid("")).invalid


def test_a_decision_is_at_most_what_the_gateway_accepts():
    text = "x" * (8 << 20)
    with pytest.raises(ValueError, match="must have at most 83"):
        _codec.answer(decide(lambda o: o.ensure("v1", "ConfigMap", "c", {"data": {"k": text}})))


def test_other_exceptions_pass_through():
    def handler(o):
        raise RetryError("later", after=5)

    with pytest.raises(RetryError):
        decide(handler)
    with pytest.raises(KeyError):
        decide(lambda o: o.spec["none"])


def test_the_observation():
    seen = {}

    def handler(o):
        seen.update(o=o, names=[each["metadata"]["name"] for each in o.children("Deployment")])

    decide(handler, {"parent": PARENT, "children": [deployment("b"), deployment("a")], "related": [deployment("c")]},
           configuration={"x": 1}, now=datetime(2026, 1, 2, tzinfo=timezone.utc),
           last_outcomes=[Outcome("v1", "Pod", "p", "delete", "Deleted", memo="m", at=datetime(2026, 1, 1, tzinfo=timezone.utc))])
    o = seen["o"]
    assert (o.name, o.namespace, o.operator, o.phase) == ("web", "shop", "webs.example.com", Phase.SYNC)
    assert seen["names"] == ["a", "b"]
    assert o.child("Deployment", "a")["kind"] == "Deployment"
    assert o.child("Deployment", "a", namespace="other") is None and o.child("Pod", "a") is None
    assert [each["metadata"]["name"] for each in o.related("Deployment", "apps/v1")] == ["c"]
    assert o.related("Deployment", "apps/v2") == []
    assert o.configuration == {"x": 1} and o.now == datetime(2026, 1, 2, tzinfo=timezone.utc)
    assert o.outcome("Pod", "p") is None and o.outcome("Pod", "p", "delete").memo == "m"
    assert o.outcome("Pod", "p", "delete").at == datetime(2026, 1, 1, tzinfo=timezone.utc)


def test_a_parent_without_namespace_and_spec():
    seen = []
    decide(lambda o: seen.append((o.namespace, o.spec, o.now)), {"metadata": {"name": "n"}})
    assert seen[0] == ("", {}, None)


def test_each_call_gets_fresh_objects():
    def handler(o):
        assert o.spec == {"image": "nginx"}
        o.spec["image"] = "changed"
        o.children()[0]["metadata"]["name"] = "changed"

    decide(handler, children=[deployment("a")])
    assert PARENT["spec"]["image"] == "nginx"


def test_a_child_is_applied_when_it_is_as_desired_and_its_controller_knows():
    def handler(o):
        o.ensure("apps/v1", "Deployment", "web", {"spec": {"replicas": 2}})
        o.condition("Ready", o.is_applied("Deployment", "web"))

    def ready(*children):
        return decide(handler, children=children).condition("Ready").status

    def live(replicas, generation, observed):
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "generation": generation},
                "spec": {"replicas": replicas, "paused": True}, "status": {"observedGeneration": observed}}

    leaving = live(2, 2, 2)
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert ready(leaving) == "False"
    assert [ready(), ready(live(1, 1, 1)), ready(live(2, 2, 1)), ready(live(2, 2, 2))] == ["False", "False", "False", "True"]


def test_the_status_of_a_child_is_not_desired():
    def handler(o):
        o.ensure("apps/v1", "Deployment", "web", {"spec": {"replicas": 2}, "status": {"replicas": 0}})
        o.condition("Ready", o.is_applied("Deployment", "web"))

    decision = decide(handler, children=[deployment("web", spec={"replicas": 2}, status={"replicas": 2})])
    assert "status" not in decision.child("Deployment", "web") and decision.condition("Ready").status == "True"


def test_different_decisions_are_reported():
    numbers = itertools.count()
    with pytest.raises(NonDeterministicError, match="number"):
        decide(lambda o: o.status(number=next(numbers)))


def test_a_finalize_handler_is_called_for_a_parent_that_is_being_deleted():
    op = Operator("webs.example.com")
    op.sync(lambda o: o.status(phase="sync"))
    parent = {"metadata": {"name": "web", "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    assert op.test(parent).status == {}
    op.finalize(lambda o: o.status(phase=o.phase.value))
    assert op.test(parent).status == {"phase": "finalize"}
    assert op.test(parent, phase="sync").status == {"phase": "sync"}
    assert op.test(PARENT, phase=Phase.FINALIZE).status == {"phase": "finalize"}


def test_observations_from_files(tmp_path):
    yaml = tmp_path / "web.yaml"
    yaml.write_text("metadata: {name: web, creationTimestamp: 2026-01-02T03:04:05Z}\n---\n"
                    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n")
    seen = []
    decide(lambda o: seen.append((o.parent["metadata"]["creationTimestamp"], o.child("Pod", "p") is not None)), yaml)
    assert seen[0] == ("2026-01-02T03:04:05Z", True)


RECORDED = Path(__file__).parents[2] / "testdata" / "observation.json"


def test_a_recorded_observation_is_the_one_that_xebec_sends():
    seen = []
    decide(seen.append, RECORDED)
    o = seen[0]
    assert (o.name, o.configuration, o.child("Deployment", "web")["spec"]) == ("web", {"a": 1}, {"replicas": 2})
    assert "xebec.dev/appliers" not in o.child("Deployment", "web")
    assert o.now == datetime(2026, 1, 2, 3, 4, 5, 123456, tzinfo=timezone.utc)
    assert o.last_outcomes == [
        Outcome("v1", "ConfigMap", "web", "apply", "QuotaExceeded", "Forbidden", "too many", "", 3,
                datetime(2026, 1, 2, 3, 4, 4, tzinfo=timezone.utc), "shop"),
        Outcome("apps/v1", "Deployment", "web", "apply", "Created", memo="m", namespace="shop")]


def test_a_recorded_observation_has_no_time_without_a_clock():
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    del recorded["observation"]["declaration"]["object"]["spec"]["hook"]
    seen = []
    decide(lambda o: seen.append((o.now, [each.at for each in o.last_outcomes])), recorded)
    assert seen[0] == (None, [None, None])


@pytest.mark.parametrize("observation", [{"children": []}, {"parent": PARENT, "kids": []}])
def test_a_wrong_observation_is_refused(observation):
    with pytest.raises(ValueError, match="invalid observation"):
        decide(lambda o: None, observation)


def test_handlers_are_plain_functions():
    async def handler(o):
        pass

    with pytest.raises(TypeError, match="async"):
        Operator("a").sync(handler)
    with pytest.raises(RuntimeError, match="no handler"):
        Operator("a").test(PARENT)
