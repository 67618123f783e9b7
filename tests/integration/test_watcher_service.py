# SPDX-License-Identifier: Apache-2.0
"""WatcherService, called with grpcurl, and the search of all logs for one reconcile ID."""

import contextlib
import itertools
import re

import pytest

from parents import IRIS, IRIS_OF_TEST, POD_SET, deployment_of_nobody, iris, parent
from support import grpcurl, manifests, paths
from support.eventually import eventually
from support.processes import Process


def records(service, message, **fields):
    """Its log lines with that message and those fields."""
    return [r for r in service.log_records() if r.get("msg") == message and fields.items() <= r.items()]


def carried_out(applier, here):
    """The line of the applier for the plan that creates the Deployment."""
    [line] = eventually(lambda: [r for r in records(applier, "Applied plan", namespace=here.name, name="sample")
                                 if f"apply deployments.apps {here.name}/web" in r["operations"]])
    return line


def test_a_reconcile_that_creates_a_child_logs_one_line_at_info(here, services):
    here.create(iris("sample", deploymentName="web"))
    here.is_ready(IRIS, "sample")

    assert carried_out(services.applier, here)["level"] == "info"
    assert len(records(services.applier, "Applied plan", namespace=here.name)) == 1
    assert records(services.planner, "Planned", namespace=here.name) == []
    assert records(services.watcher, "Applied", object=f"Iris {here.name}/sample") == []


def test_one_reconcile_has_one_id_in_the_logs_of_all_services_at_debug(here, services):
    with contextlib.ExitStack() as stack:
        planner, applier, watcher = [stack.enter_context(services.stand_in(name, "--log-level", "debug"))
                                     for name in ("planner", "applier", "watcher")]
        here.create(iris("sample", deploymentName="web"))
        here.is_ready(IRIS, "sample")

        one = carried_out(applier, here)["reconcileID"]
        [planned] = records(planner, "Planned", reconcileID=one)
        [applied] = eventually(lambda: records(watcher, "Applied", reconcileID=one))

        assert (planned["kind"], planned["namespace"], planned["name"]) == ("Iris", here.name, "sample")
        assert planned["operations"] == f"apply deployments.apps {here.name}/web; status"
        assert applied["object"] == f"Iris {here.name}/sample"
        every = [r["reconcileID"] for r in records(applier, "Applied plan", namespace=here.name)]
        assert len(every) > 1 and len(set(every)) == len(every), every


def ask(services, method, kind, ns, **more):
    """The answer of WatcherService, decoded."""
    return grpcurl.call(services.watcher.address, f"WatcherService/{method}", {"kind": kind, "namespace": ns} | more, grpcurl.proto("watcher"))


def refusal(services, method, kind, ns, **more):
    done = grpcurl.run(*grpcurl.proto("watcher"), services.watcher.address, f"xebec.v1.WatcherService/{method}",
                       data={"kind": kind, "namespace": ns} | more)
    assert done.returncode != 0, done.stdout
    return done.stderr


def listed(services, kind, ns):
    """[(plural.group, name)]"""
    keys = ask(services, "ListKeys", kind, ns).get("keys", [])
    return [(f"{key['ref']['type']['plural']}.{key['ref']['type']['group']}", key["ref"]["name"]) for key in keys]


def explained(services, name, ns, state, kind="Iris"):
    """Waits until the parent is in that state; the explanation."""
    def so():
        answer = ask(services, "Explain", kind, ns, name=name)
        assert answer["key"]["state"] == f"KEY_STATE_{state}", answer
        return answer
    return eventually(so, what=f"{name} is explained as {state}")


def test_a_healthy_parent_is_idle_and_says_what_was_done_for_it(here, services):
    here.create(iris("sample", deploymentName="web"))
    uid = here.is_ready(IRIS, "sample")["metadata"]["uid"]

    answer = explained(services, "sample", here.name, "IDLE")

    assert answer["key"]["uid"] == uid and "next" not in answer["key"]
    assert f"Deployment {here.name}/web changed" in answer["key"]["reasons"]
    assert re.fullmatch(r"Nothing to do until something changes\. Last reconcile: 1 (Changed|Unchanged)\.", answer["explanation"])
    [outcome] = answer["lastOutcomes"]
    assert (outcome["operation"], outcome["code"]) == (f"apply deployments.apps {here.name}/web", "OUTCOME_CODE_CREATED")
    assert outcome["uid"] == here.get("deployments.apps", "web")["metadata"]["uid"]
    assert "waitingFor" not in answer


def test_a_refused_parent_says_what_it_waits_for_who_has_it_and_when_it_is_tried_again(here, services):
    here.create(deployment_of_nobody("taken"))
    here.create(iris("late", deploymentName="taken"))
    here.has_condition(IRIS, "late", "Ready", "False", "NameConflict")

    answer = explained(services, "late", here.name, "DELAYED")

    assert answer["waitingFor"] == [f"the name of Deployment {here.name}/taken"]
    [outcome] = answer["lastOutcomes"]
    assert (outcome["code"], outcome["certainty"]) == ("OUTCOME_CODE_NAME_CONFLICT", "CERTAINTY_REJECTED")
    assert outcome["message"].startswith(f"Deployment {here.name}/taken exists and has no controller")
    assert answer["key"]["next"] > outcome["at"]
    assert re.fullmatch(r"Waits until its next reconcile\. Last reconcile: .*1 NameConflict.*\.", answer["explanation"])


def test_a_parent_that_cannot_be_applied_counts_its_failures(here, services, kube):
    kube.create(manifests.quota("none", {"pods": "0"}), here.name)
    here.becomes("resourcequotas", "none", lambda quota: "hard" in quota.get("status", {}), "is known")
    here.create(parent(POD_SET, "many", replicas=1))
    here.has_condition(POD_SET, "many", "Ready", "False", "QuotaExceeded")

    answer = explained(services, "many", here.name, "DELAYED", "podsets")

    assert answer["key"]["failures"] >= 1
    assert [outcome["code"] for outcome in answer["lastOutcomes"]] == ["OUTCOME_CODE_QUOTA_EXCEEDED"]


def test_the_observation_of_an_idle_parent_gets_the_plan_to_do_nothing(here, services):
    here.create(iris("sample", deploymentName="web", replicas=2))
    here.is_ready(IRIS, "sample")
    explained(services, "sample", here.name, "IDLE")

    observation = ask(services, "GetObservation", "Iris", here.name, name="sample")["observation"]

    assert observation["parent"]["object"]["spec"] == {"deploymentName": "web", "replicas": 2}
    names = {group["type"]["kind"]: [child["object"]["metadata"]["name"] for child in group.get("objects", [])] for group in observation["children"]}
    assert names["Deployment"] == ["web"], names
    plan = grpcurl.call(services.planner.address, "PlannerService/Plan", {"observation": observation})["plan"]
    assert "stages" not in plan and not plan["status"].get("changed"), plan
    observation["parent"]["object"]["spec"]["replicas"] = 5
    plan = grpcurl.call(services.planner.address, "PlannerService/Plan", {"observation": observation})["plan"]
    [operation] = plan["stages"][0]["operations"]
    assert operation["apply"]["object"]["object"]["spec"]["replicas"] == 5


def test_keys_are_listed_by_kind_and_namespace_in_the_words_of_kubectl(here, services):
    for resource in (IRIS, IRIS_OF_TEST, POD_SET):
        here.create(parent(resource, "sample"))
    both, all_three = [(IRIS_OF_TEST, "sample"), (IRIS, "sample")], [(IRIS_OF_TEST, "sample"), (IRIS, "sample"), (POD_SET, "sample")]

    eventually(lambda: listed(services, "", here.name) == all_three)
    assert set(all_three) <= set(listed(services, "", ""))
    assert listed(services, "Iris", here.name) == both
    assert listed(services, IRIS, here.name) == [(IRIS, "sample")]
    assert listed(services, "podsets", here.name) == [(POD_SET, "sample")]
    assert listed(services, "PODSET", here.name) == [(POD_SET, "sample")]
    assert listed(services, "deployments", here.name) == [] == listed(services, "", "no-such-namespace")


def test_keys_are_listed_page_by_page_while_parents_come_and_go(here, services):
    for name in ("a", "b", "c", "d"):
        here.create(iris(name))
    eventually(lambda: len(listed(services, IRIS, here.name)) == 4)

    def page(**more):
        answer = ask(services, "ListKeys", IRIS, here.name, **more)
        return [key["ref"]["name"] for key in answer.get("keys", [])], answer.get("nextPageToken", "")
    first, token = page(pageSize=2)
    assert first == ["a", "b"]
    here.delete(IRIS, "b")
    here.create(iris("bb"))
    eventually(lambda: [name for _, name in listed(services, IRIS, here.name)] == ["a", "bb", "c", "d"])

    second, token = page(pageSize=2, pageToken=token)
    third, end = page(pageSize=2, pageToken=token)

    assert (second, third, end) == (["bb", "c"], ["d"], "")
    assert page(pageSize=100000) == (["a", "bb", "c", "d"], "")
    for wrong in ({"pageToken": "next"}, {"pageToken": token, "kind": "podsets"}, {"pageSize": -1}):
        assert "InvalidArgument" in refusal(services, "ListKeys", wrong.pop("kind", IRIS), here.name, **wrong)


@pytest.mark.parametrize("method", ["Explain", "GetObservation"])
def test_a_question_that_names_no_parent_or_two_is_refused_in_words(here, services, method):
    for resource in (IRIS, IRIS_OF_TEST):
        here.create(iris("sample") if resource == IRIS else parent(resource, "sample"))
    eventually(lambda: len(listed(services, "Iris", here.name)) == 2)

    told = refusal(services, method, "Iris", here.name, name="nobody")
    assert "NotFound" in told and f"no Iris {here.name}/nobody exists; to list all parents, run xebec keys" in told
    assert "NotFound" in refusal(services, method, "Deployment", here.name, name="sample")
    told = refusal(services, method, "Iris", here.name, name="sample")
    assert "InvalidArgument" in told and f"name one of them: {IRIS_OF_TEST} or {IRIS}" in told
    assert "InvalidArgument" in refusal(services, method, "", here.name, name="sample")
    assert ask(services, method, IRIS_OF_TEST, here.name, name="sample")


def test_activity_tells_what_happens_as_it_happens(here, services, tmp_path):
    command = [paths.controlplane_binary("grpcurl"), "-plaintext", *grpcurl.proto("watcher"), "-d", "{}", services.watcher.address,
               "xebec.v1.WatcherService/WatchActivity"]
    listener = Process("activity", command, tmp_path / "activity")
    numbers = itertools.count()

    def told():
        here.create(iris(f"sample-{next(numbers)}", deploymentName="web"))
        return re.search(r'"name": "sample-\d+"\s*},\s*"what": "Applied"', (tmp_path / "activity").read_text(encoding="utf-8"))
    try:
        eventually(told, every=0.3, what="an activity is told")
    finally:
        listener.kill()
