# SPDX-License-Identifier: Apache-2.0
"""The promises of docs/kinds.md for Iris, on a real API server."""

import itertools

import pytest

from parents import IRIS, IRIS_OF_TEST, iris, parent
from support.eventually import stays
from support.namespace import controller

DEPLOYMENTS = "deployments.apps"


def replicas_are(count):
    return lambda deployment: deployment["spec"]["replicas"] == count


@pytest.mark.parametrize("spelling", [IRIS, IRIS_OF_TEST])
def test_a_new_iris_gets_its_deployment_and_an_event_says_so(here, spelling):
    created = here.create(parent(spelling, "sample", deploymentName="iris", replicas=1))

    deployment = here.appears(DEPLOYMENTS, "iris")

    assert controller(deployment) == ("Iris", "sample", created["metadata"]["uid"])
    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["selector"]["matchLabels"] == {"iris/deployment-name": "iris"}
    assert deployment["spec"]["template"]["metadata"]["labels"]["iris/deployment-name"] == "iris"
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["name"] == "iris"
    assert container["image"] == "store/intersystems/iris-community:2020.4.0.524.0"
    here.has_event("sample", "Normal", "Created", 'Created deployment "iris"')
    here.is_ready(spelling, "sample")


def test_the_samples_of_the_original_work_without_any_field(here):
    here.create(iris("bare"))
    assert here.appears(DEPLOYMENTS, "bare")["spec"]["replicas"] == 1


def test_unknown_fields_of_the_original_sample_are_kept(here):
    here.create(iris("answer", test=42))
    assert here.is_ready(IRIS, "answer")["spec"]["test"] == 42


def test_a_change_of_replicas_scales_the_deployment(here):
    here.create(iris("sample", deploymentName="iris", replicas=1))
    here.is_ready(IRIS, "sample")

    here.change(IRIS, "sample", {"replicas": 2})

    here.becomes(DEPLOYMENTS, "iris", replicas_are(2), "has 2 replicas")
    here.has_event("sample", "Normal", "Scaled", 'Scaled deployment "iris" to 2 replicas')


def test_kubectl_scale_of_the_iris_scales_the_deployment(here):
    here.create(iris("sample", replicas=1))
    here.is_ready(IRIS, "sample")

    here.scale(IRIS, "sample", 3)

    here.becomes(DEPLOYMENTS, "sample", replicas_are(3), "has 3 replicas")
    here.becomes(IRIS, "sample", lambda item: item["status"]["replicas"] == 3, "shows 3 replicas")
    assert here.get(IRIS, "sample")["status"]["selector"] == "iris/deployment-name=sample"


def test_scaling_to_zero_is_no_less_than_another_number(here):
    here.create(iris("sample", replicas=2))
    here.is_ready(IRIS, "sample")

    here.change(IRIS, "sample", {"replicas": 0})

    here.becomes(DEPLOYMENTS, "sample", replicas_are(0), "has no replicas")
    here.is_ready(IRIS, "sample")


def test_a_change_of_the_name_replaces_the_deployment(here):
    here.create(iris("sample", deploymentName="old"))
    here.is_ready(IRIS, "sample")

    here.change(IRIS, "sample", {"deploymentName": "new"})

    here.appears(DEPLOYMENTS, "new")
    here.is_gone(DEPLOYMENTS, "old")
    here.has_event("sample", "Normal", "Deleted", 'Deleted deployment "old"')
    here.has_event("sample", "Normal", "Created", 'Created deployment "new"')


@pytest.mark.parametrize("spellings", [[IRIS, IRIS], [IRIS, IRIS_OF_TEST], [IRIS, IRIS, IRIS]])
def test_irises_that_swap_names_all_get_them(here, spellings):
    names = ["a", "b", "c"][:len(spellings)]
    for spelling, name in zip(spellings, names):
        here.create(parent(spelling, f"of-{name}", deploymentName=name))
    for spelling, name in zip(spellings, names):
        here.is_ready(spelling, f"of-{name}")

    wanted = {name: following for name, following in zip(names, names[1:] + names[:1])}
    for spelling, name in zip(spellings, names):
        here.change(spelling, f"of-{name}", {"deploymentName": wanted[name]})

    for name in names:
        here.becomes(DEPLOYMENTS, wanted[name], lambda item, name=name: controller(item)[1] == f"of-{name}", f"belongs to of-{name}")
    for spelling, name in zip(spellings, names):
        here.is_ready(spelling, f"of-{name}")
    assert sorted(here.names(DEPLOYMENTS)) == names


def test_an_iris_gets_a_name_that_another_one_leaves(here):
    for name in ("a", "b"):
        here.create(iris(f"of-{name}", deploymentName=name))
        here.is_ready(IRIS, f"of-{name}")

    here.change(IRIS, "of-a", {"deploymentName": "b"})
    here.has_condition(IRIS, "of-a", "Ready", "False", "NameConflict")
    assert controller(here.get(DEPLOYMENTS, "a"))[1] == "of-a"
    here.change(IRIS, "of-b", {"deploymentName": "c"})

    here.becomes(DEPLOYMENTS, "b", lambda item: controller(item)[1] == "of-a", "belongs to of-a")
    here.is_gone(DEPLOYMENTS, "a")
    here.is_ready(IRIS, "of-a")
    here.is_ready(IRIS, "of-b")


def test_ready_replicas_follow_the_deployment(here, node):
    here.create(iris("sample", replicas=2))
    here.becomes(IRIS, "sample", lambda item: item["status"]["readyReplicas"] == 2, "shows 2 ready replicas")

    node.set_ready(here.name, here.names("pods")[0], False)

    here.becomes(IRIS, "sample", lambda item: item["status"]["readyReplicas"] == 1, "shows 1 ready replica")
    here.has_condition(IRIS, "sample", "Ready", "False")


def test_counts_of_replicas_are_written_at_most_once_per_second(here, node, audit):
    node.hold(here.name)
    here.create(iris("sample", replicas=16))
    here.becomes(IRIS, "sample", lambda item: item["status"]["replicas"] == 16, "shows 16 Pods")
    mark = audit.mark()

    node.release(here.name)
    here.is_ready(IRIS, "sample")

    writes = [entry for entry in audit.writes(mark) if (entry.ns, entry.resource, entry.subresource, entry.code) == (here.name, "irises", "status", 200)]
    pauses = [after.received_at - before.received_at for before, after in itertools.pairwise(writes)]
    assert [pause for pause in pauses[:-1] if pause.total_seconds() < 1] == [], "only the last write, Ready, is news"


def test_a_deleted_iris_takes_its_deployment_with_it(here):
    here.create(iris("sample"))
    here.is_ready(IRIS, "sample")

    here.delete(IRIS, "sample")

    here.is_gone(IRIS, "sample")
    here.is_gone(DEPLOYMENTS, "sample")


def test_replicas_edited_by_hand_are_put_back_and_reported(here):
    here.create(iris("sample", replicas=2))
    here.is_ready(IRIS, "sample")

    here.scale(DEPLOYMENTS, "sample", 5)

    here.becomes(DEPLOYMENTS, "sample", replicas_are(2), "has 2 replicas again")
    here.has_event("sample", "Normal", "Scaled", 'Scaled deployment "sample" to 2 replicas')


def test_an_image_edited_by_hand_is_put_back(here):
    here.create(iris("sample", image="local/iris:1"))
    here.is_ready(IRIS, "sample")

    here.change(DEPLOYMENTS, "sample", {"template": {"spec": {"containers": [{"name": "iris", "image": "local/other:2"}]}}})

    here.becomes(DEPLOYMENTS, "sample",
                 lambda item: item["spec"]["template"]["spec"]["containers"][0]["image"] == "local/iris:1", "has our image again")


def test_a_deployment_deleted_by_hand_comes_back(here):
    here.create(iris("sample"))
    here.is_ready(IRIS, "sample")
    before = here.get(DEPLOYMENTS, "sample")["metadata"]["uid"]

    here.delete(DEPLOYMENTS, "sample")

    here.becomes(DEPLOYMENTS, "sample", lambda item: item["metadata"]["uid"] != before, "is a new one")


def test_a_deployment_of_somebody_else_is_left_alone_and_reported_until_its_name_is_free(here):
    theirs = here.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "taken"}, "spec": {
        "selector": {"matchLabels": {"app": "theirs"}},
        "template": {"metadata": {"labels": {"app": "theirs"}}, "spec": {"containers": [{"name": "c", "image": "busybox"}]}}}})

    here.create(iris("sample", deploymentName="taken"))

    here.has_condition(IRIS, "sample", "Ready", "False", "NameConflict")
    assert "taken" in here.condition(IRIS, "sample", "Ready")["message"]
    now = here.get(DEPLOYMENTS, "taken")
    assert (now["metadata"]["uid"], now["metadata"]["generation"]) == (theirs["metadata"]["uid"], 1)
    assert controller(now) is None

    here.delete(DEPLOYMENTS, "taken")

    assert controller(here.becomes(DEPLOYMENTS, "taken", controller, "is ours"))[1] == "sample"
    here.is_ready(IRIS, "sample")


def test_of_two_irises_with_one_deployment_name_the_first_keeps_it(here):
    here.create(iris("first", deploymentName="shared"))
    here.is_ready(IRIS, "first")

    here.create(iris("second", deploymentName="shared"))

    here.has_condition(IRIS, "second", "Ready", "False", "NameConflict")
    assert "first" in here.condition(IRIS, "second", "Ready")["message"]
    assert controller(here.get(DEPLOYMENTS, "shared"))[1] == "first"

    for _ in range(3):
        gone = here.get(DEPLOYMENTS, "shared")["metadata"]["uid"]
        here.delete(DEPLOYMENTS, "shared")
        here.becomes(DEPLOYMENTS, "shared", lambda new: new["metadata"]["uid"] != gone, "exists again")
        assert controller(here.get(DEPLOYMENTS, "shared"))[1] == "first"


def test_a_name_of_64_characters_works(here):
    name = "n" * 64
    here.create(iris("long", deploymentName=name))
    label = here.appears(DEPLOYMENTS, name)["spec"]["template"]["metadata"]["labels"]["iris/deployment-name"]
    assert len(label) <= 63
    here.is_ready(IRIS, "long")


def test_a_paused_iris_is_not_written_to_until_it_goes_on(here):
    here.create(iris("sample", replicas=1))
    here.is_ready(IRIS, "sample")

    here.annotate(IRIS, "sample", "xebec.dev/paused", "true")
    here.has_condition(IRIS, "sample", "Paused", "True")
    here.change(IRIS, "sample", {"replicas": 4})

    stays(lambda: replicas_are(1)(here.get(DEPLOYMENTS, "sample")), 1.0, what="the Deployment is as before")
    here.annotate(IRIS, "sample", "xebec.dev/paused", None)
    here.becomes(DEPLOYMENTS, "sample", replicas_are(4), "has 4 replicas")


@pytest.mark.parametrize("propagation", ["Background", "Foreground", "Orphan"])
def test_an_iris_deleted_and_made_again_at_once_is_as_promised(here, propagation):
    here.create(iris("sample", replicas=1))
    here.is_ready(IRIS, "sample")

    here.delete(IRIS, "sample", propagation)
    here.is_gone(IRIS, "sample")
    again = here.create(iris("sample", replicas=2))

    if propagation == "Orphan":
        here.has_condition(IRIS, "sample", "Ready", "False", "NameConflict")
        here.delete(DEPLOYMENTS, "sample")
    here.becomes(DEPLOYMENTS, "sample", lambda item: (controller(item) or "  ")[2] == again["metadata"]["uid"], "is the new one's")
    here.is_ready(IRIS, "sample")
