# SPDX-License-Identifier: Apache-2.0
"""The longest names that the API server accepts, and names that some child objects cannot have."""

import pytest

from parents import APP_SERVICE, DATABASE, DATABASE_CO, IMMORTAL, IMMORTAL_TOO, IRIS, IRIS_OF_TEST, POD_SET, PROBE, parent
from support.api_proxy import ApiProxy
from support.eventually import eventually
from support.manifests import condition
from support.namespace import controller
from support.quiescence import wait_for_quiescence

LONGEST = 253
SPECS = {IRIS: {"replicas": 1}, IRIS_OF_TEST: {"replicas": 1}, APP_SERVICE: {"replicas": 2}, POD_SET: {"replicas": 2},
         IMMORTAL: {"image": "nginx:1"}, IMMORTAL_TOO: {"image": "nginx:1"},
         DATABASE: {"image": "super-great-docker-image"}, DATABASE_CO: {"image": "super-great-docker-image"}, PROBE: {"replicas": 1}}
OWNED = {IRIS: ["deployments.apps"], IRIS_OF_TEST: ["deployments.apps"], DATABASE: ["services", "configmaps", "statefulsets.apps"],
         DATABASE_CO: ["services", "configmaps", "statefulsets.apps"], PROBE: ["configmaps", "statefulsets.apps"]}


def kinds_of_children(resource):
    return OWNED.get(resource, ["pods"])


def children_of(here, resource, uid):
    """{(resource, name)} of the direct children of one parent."""
    return {(kind, item["metadata"]["name"]) for kind in kinds_of_children(resource) for item in here.kube.list(kind, here.name)
            if (controller(item) or ("", "", ""))[2] == uid}


def become_ready(here, resource, names):
    """Makes parents of those names; returns the children of each once all are Ready."""
    made = [here.create(parent(resource, name, **SPECS[resource])) for name in names]
    for name in names:
        here.is_ready(resource, name)
    return [children_of(here, resource, item["metadata"]["uid"]) for item in made]


@pytest.mark.parametrize("resource", SPECS)
def test_two_names_of_253_characters_with_one_beginning_share_nothing(here, audit, resource):
    mark = audit.mark()
    names = ["n" * (LONGEST - 1) + last for last in "ab"]

    first, second = become_ready(here, resource, names)

    count = max(SPECS[resource].get("replicas", 1), len(kinds_of_children(resource)))
    assert len(first) == len(second) == count and not first & second, (first, second)
    for name in names:
        shown = here.get(resource, name)
        assert condition(shown, "Applied").get("status") == "True"
        assert shown["status"]["observedGeneration"] == 1
    wait_for_quiescence(audit)
    events = [e for e in audit.writes(mark) if e.ns == here.name and e.resource == "events"]
    assert events and {e.code for e in events} <= {200, 201}, events
    for name in names:
        assert ("Normal", "Created") in {event[:2] for event in here.events(name)}


@pytest.mark.parametrize("resource", [IRIS, POD_SET, IMMORTAL, DATABASE])
def test_names_that_differ_in_a_dot_or_a_leading_digit_share_nothing(here, resource):
    seen = become_ready(here, resource, ["9.a", "9-a", "9a", "db-9-a"])
    assert len(set.union(*seen)) == sum(len(each) for each in seen), seen


@pytest.mark.parametrize("resource", [POD_SET, IMMORTAL, DATABASE, PROBE])
def test_a_long_name_that_is_scaled_or_deleted_takes_no_other_with_it(here, resource):
    stays, goes = "n" * (LONGEST - 1) + "a", "n" * (LONGEST - 1) + "b"
    kept, _ = become_ready(here, resource, [stays, goes])

    here.delete(resource, goes)
    here.is_gone(resource, goes)
    if resource not in (IMMORTAL, PROBE):
        here.scale(resource, stays, 1)

    here.is_ready(resource, stays)
    uid = here.get(resource, stays)["metadata"]["uid"]
    assert children_of(here, resource, uid) <= kept
    if resource == PROBE:  # whose claims go with it
        eventually(lambda: [claim["metadata"]["labels"]["test.xebec.dev/probe-uid"]
                            for claim in here.kube.list("persistentvolumeclaims", here.name)] == [uid], what="one claim, of the one that stays")
    if resource == DATABASE:
        assert len([name for name in here.names("persistentvolumeclaims")]) == 2  # those of the deleted one stay too


def of_somebody_else(kind, name):
    """A minimal object that the API server takes."""
    pod = {"metadata": {"labels": {"app": "theirs"}}, "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    of_set = {"metadata": pod["metadata"], "spec": {"containers": pod["spec"]["containers"]}}
    version, spec = {
        "Service": ("v1", {"ports": [{"port": 1}]}), "ConfigMap": ("v1", None), "Job": ("batch/v1", {"suspend": True, "template": pod}),
        "StatefulSet": ("apps/v1", {"replicas": 0, "serviceName": name, "selector": {"matchLabels": {"app": "theirs"}}, "template": of_set}),
    }[kind]
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}} | ({"spec": spec} if spec else {})


def told_and_left_alone(here, parents, parent_name, child):
    resource, kind, name = child

    def told():
        shown = condition(here.get(parents, parent_name), "Applied")
        assert shown["reason"] == "NameConflict" and f"{kind} {here.name}/{name}" in shown["message"], shown
        return True
    eventually(told, what=f"the conflict about {kind} {name} is told")
    assert controller(here.get(resource, name)) is None


def test_names_that_somebody_else_holds_are_told_left_alone_and_taken_when_they_are_free(here, services, cluster, folder):
    jobs, taken = here.kube.path("jobs.batch", here.name) + "/", []

    def take_the_name_of_the_job(method, path):
        if method == "POST" and path.startswith(jobs) and not taken:
            name = path.removeprefix(jobs).partition("?")[0]
            here.create(of_somebody_else("Job", name))
            taken.append(name)

    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy, services.stand_in("applier", kubeconfig=proxy.kubeconfig) as applier:
        applier.wait_ready()
        proxy.before = take_the_name_of_the_job
        theirs = [("configmaps", "ConfigMap", "db-config"), ("services", "Service", "db"), ("statefulsets.apps", "StatefulSet", "db")]
        for _, kind, name in theirs:
            here.create(of_somebody_else(kind, name))
        here.create(parent(DATABASE, "db", image="image"))
        for child in theirs:
            told_and_left_alone(here, DATABASE, "db", child)
            here.delete(child[0], child[2])

        [name] = eventually(lambda: taken, what="the Job is wanted")
        told_and_left_alone(here, DATABASE, "db", ("jobs.batch", "Job", name))
        here.delete("jobs.batch", name, propagation="Background")
        here.is_ready(DATABASE, "db")
        assert controller(here.get("jobs.batch", name))[1] == "db"


OF_A_PROBE = [("configmaps", "ConfigMap", "p-direct"), ("statefulsets.apps", "StatefulSet", "p-set")]


@pytest.mark.of_probes
def test_names_of_a_probe_that_somebody_else_holds_are_taken_when_they_are_free(here):
    for _, kind, name in OF_A_PROBE:
        here.create(of_somebody_else(kind, name))
    here.create(parent(PROBE, "p", replicas=1))
    for child in OF_A_PROBE:
        told_and_left_alone(here, PROBE, "p", child)
        here.delete(child[0], child[2])
    here.is_ready(PROBE, "p")
    assert [controller(here.get(resource, name))[1] for resource, _, name in OF_A_PROBE] == ["p", "p"]


@pytest.mark.of_probes
def test_a_probe_that_goes_leaves_what_somebody_else_has_under_its_names(here):
    theirs = {child: here.create(of_somebody_else(*child[1:]))["metadata"]["uid"] for child in OF_A_PROBE}
    here.create(parent(PROBE, "p", replicas=1))
    told_and_left_alone(here, PROBE, "p", OF_A_PROBE[0])
    here.delete(PROBE, "p")
    here.is_gone(PROBE, "p")
    left = {child: here.get(child[0], child[2])["metadata"] for child in OF_A_PROBE}
    assert {child: meta["uid"] for child, meta in left.items() if "deletionTimestamp" not in meta} == theirs
