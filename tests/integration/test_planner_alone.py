# SPDX-License-Identifier: Apache-2.0
"""The planner answers grpcurl with nothing else running."""

import base64
import json

import pytest

from parents import iris
from support import grpcurl, paths
from support.processes import free_port
from support.services import Service, arguments


@pytest.fixture(scope="module")
def planner(folder):
    addresses = {name: f"127.0.0.1:{free_port()}" for name in ("planner", "planner metrics")}
    service = Service("planner", folder, arguments("planner", addresses, {}), *addresses.values(), "planner-alone")
    service.start().wait_ready()
    yield service
    service.stop()


def plan(planner, observation):
    return grpcurl.call(planner.address, "PlannerService/Plan", {"observation": observation})["plan"]


def operations(made):
    return [operation for stage in made.get("stages", []) for operation in stage["operations"]]


def test_a_manifest_as_the_user_wrote_it_is_planned_with_a_note_of_what_is_missing(planner):
    made = plan(planner, {"parent": {"object": iris("sample", deploymentName="iris", replicas=2)}})

    [operation] = operations(made)
    deployment = operation["apply"]["object"]["object"]
    assert (deployment["kind"], deployment["metadata"]["name"], deployment["spec"]["replicas"]) == ("Deployment", "iris", 2)
    assert any("uid" in note for note in made["notes"]), made["notes"]


def test_whole_numbers_stay_whole_numbers(planner):
    done = grpcurl.run(planner.address, "xebec.v1.PlannerService/Plan",
                       data={"observation": {"parent": {"object": iris("sample", replicas=3)}}})
    assert '"replicas": 3' in done.stdout and "3.0" not in done.stdout


def test_the_request_in_examples_gets_a_plan(planner):
    request = (paths.EXAMPLES / "iris/request.json").read_text(encoding="utf-8")
    made = grpcurl.call(planner.address, "PlannerService/Plan", request)["plan"]
    assert operations(made)


def test_equal_questions_get_equal_answers(planner):
    question = {"parent": {"object": iris("sample")}}
    assert plan(planner, question) == plan(planner, question)


def test_reflection_explains_the_contract(planner):
    services = grpcurl.run(planner.address, "list").stdout.split()
    assert "xebec.v1.PlannerService" in services
    for service in services:
        assert grpcurl.run(planner.address, "describe", service).returncode == 0, service
    described = grpcurl.run(planner.address, "describe", "xebec.v1.PlanRequest")
    assert described.stdout.splitlines()[1:] == [
        "// Requests one plan.", "message PlanRequest {", "  // The observation to plan from. Required.", "  .xebec.v1.Observation observation = 1;", "}"], described


def test_describe_kinds_names_every_built_in_kind(planner):
    kinds = grpcurl.call(planner.address, "PlannerService/DescribeKinds", {})["kinds"]
    parents = {(kind["parent"]["group"], kind["parent"]["kind"]) for kind in kinds}
    assert {("example.com", "Iris"), ("test.myardyas.club", "Iris")} <= parents


@pytest.mark.parametrize("observation,field", [
    ({}, "parent"),
    ({"parent": {"json": "bm90IGpzb24="}}, "parent"),
    ({"parent": {"json": "W10="}}, "parent"),
    ({"parent": {"object": iris("x")}, "children": [{"objects": [{"json": "e30="}]}]}, "children[0]"),
])
def test_a_request_that_cannot_be_read_is_refused_with_the_name_of_the_field(planner, observation, field):
    done = grpcurl.run(planner.address, "xebec.v1.PlannerService/Plan", data={"observation": observation})

    assert done.returncode != 0
    assert "InvalidArgument" in done.stderr and field in done.stderr, done.stderr
    assert planner.ready()


def encoded(text):
    return base64.b64encode(text).decode()


IRIS_BYTES = b'{"apiVersion":"example.com/v1alpha1","kind":"Iris","metadata":{"name":"x"},"spec":%s}'


@pytest.mark.parametrize("observation,said", [
    ({"parent": {"object": iris("x")}, "phase": 99}, "observation.phase: unknown value 99"),
    ({"parent": {"object": iris("x")}, "envelope": {"notAfter": "9999-12-31T23:59:59Z", "bucket": 2**32 - 1}}, None),
    ({"parent": {"json": encoded(IRIS_BYTES % b'{"replicas":99999999999999999999999999}')}}, "observation.parent.json: JSON: "),
    ({"parent": {"json": encoded(IRIS_BYTES % (b"[" * 100_000 + b"]" * 100_000))}}, "observation.parent.json: JSON is nested deeper than 64 levels"),
    ({"parent": {"json": encoded(IRIS_BYTES % b'"\xff\xfe"')}}, "observation.parent.json: JSON: "),
    ({"parent": {"json": encoded((IRIS_BYTES % b"{}")[:-1])}}, "observation.parent.json: JSON: "),
    ({"parent": {"json": encoded(IRIS_BYTES % (b'{"x":"' + b"x" * (3 << 20) + b'"}'))}}, "observation.parent.json: "),
    ({"parent": {"object": iris("x")}, "lastOutcomes": [{"operation": "", "code": 1}]}, "observation.last_outcomes[0].operation: must not"),
])
def test_values_that_nobody_means_are_named_and_the_planner_lives_on(planner, observation, said):
    """Unknown enum values, huge integers, deep nesting, invalid UTF-8, torn and oversized bodies."""
    done = grpcurl.run(planner.address, "xebec.v1.PlannerService/Plan", data={"observation": observation})

    assert (done.returncode == 0) == (said is None), done.stderr
    assert said is None or ("InvalidArgument" in done.stderr and said in done.stderr), done.stderr[:1000]
    assert planner.ready()


def test_a_struct_that_is_nested_without_end_is_refused_not_crashed_on(planner):
    nested = '{"x":' * 2000 + "1" + "}" * 2000
    done = grpcurl.run(planner.address, "xebec.v1.PlannerService/Plan",
                       data=f'{{"observation":{{"parent":{{"object":{{"spec":{nested}}}}}}}}}')

    assert "InvalidArgument" in done.stderr and "nested more than 100 levels deep" in done.stderr, done.stderr[:1000]
    assert planner.ready()


def test_a_message_beyond_the_limit_is_refused_with_the_limit(planner):
    done = grpcurl.run(planner.address, "xebec.v1.PlannerService/Plan",
                       data={"observation": {"parent": {"object": iris("x", env=[{"name": "A", "value": "x" * (20 << 20)}])}}})

    assert done.returncode != 0 and "ResourceExhausted" in done.stderr and "larger than max" in done.stderr, done.stderr[:1000]
    assert planner.ready()


@pytest.mark.parametrize("manifest,said", [
    ({"apiVersion": "example.com/v1alpha1"}, "kind"),
    ({"apiVersion": "nobody.example/v1", "kind": "Unknown", "metadata": {"name": "x"}}, "Unknown"),
    (iris("x", replicas=-1), "replicas"),
    (iris("x", deploymentName="Not A Name"), "deploymentName"),
])
def test_a_parent_that_cannot_be_planned_gets_a_plan_that_says_why(planner, manifest, said):
    made = plan(planner, {"parent": {"object": manifest}})

    assert made["verdict"] == "VERDICT_INVALID" and operations(made) == []
    assert said in json.dumps(made.get("notes", [])) + json.dumps(made.get("status", {})), made


HEALTH = """syntax = "proto3"; package grpc.health.v1;
message HealthCheckRequest { string service = 1; }
message HealthCheckResponse { enum ServingStatus { UNKNOWN = 0; SERVING = 1; NOT_SERVING = 2; } ServingStatus status = 1; }
service Health { rpc Check(HealthCheckRequest) returns (HealthCheckResponse); }
"""


def test_health_is_served_as_grpc_knows_it(planner, tmp_path):
    (tmp_path / "health.proto").write_text(HEALTH)
    done = grpcurl.run("-import-path", tmp_path, "-proto", "health.proto", planner.address, "grpc.health.v1.Health/Check", data={})
    assert json.loads(done.stdout or "{}").get("status") == "SERVING", done.stderr
