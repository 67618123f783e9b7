# SPDX-License-Identifier: Apache-2.0
"""Processes die, connections break, the API server goes away: nothing is lost, nothing doubled, and rest comes back."""

import collections
import concurrent.futures
import contextlib
import datetime
import itertools
import threading

import pytest

import burst
from parents import DATABASE, IMMORTAL, IRIS, POD_SET, iris, parent
from support import manifests
from support.audit import APPLIER, WRITES
from support.eventually import eventually
from support.manifests import condition
from support.rest import assert_rest, come_to_rest

MANY = 200


@pytest.mark.parametrize("victim", ["watcher", "planner", "applier"])
def test_a_service_killed_in_the_middle_of_a_burst_loses_and_doubles_nothing(here, trio, audit, victim):
    mark = audit.mark()
    burst.create(here, MANY)
    eventually(lambda: len(burst.creations(audit, mark, here)) > MANY // 10, what="the burst is under way")
    service = getattr(trio, victim)
    service.kill()
    service.start()

    burst.all_ready(here, MANY)

    made = burst.creations(audit, mark, here)
    # A request whose sender died is 504 to the audit log even if it was carried out.
    cut_off = {e.name for e in audit.writes(mark, APPLIER) if (e.resource, e.ns, e.code) == ("deployments", here.name, 504)}
    assert set(made.values()) == {1}
    assert set(made) | cut_off == {f"iris-{number:03}" for number in range(MANY)}
    assert_rest(audit, 5)


@pytest.mark.expects_forbidden  # an API server that has just started knows no roles for a moment
def test_the_api_server_restarted_under_load_costs_nothing_but_time(here, trio, audit, cluster):
    mark = audit.mark()
    burst.create(here, MANY)
    cluster.apiserver.kill()
    cluster.start_apiserver()
    cluster.wait_ready()

    burst.all_ready(here, MANY)
    assert set(burst.creations(audit, mark, here).values()) == {1}  # one that was cut off may be missing in the log
    assert all(service.running() for service in trio.services)
    here.create(iris("afterwards"))
    here.becomes(IRIS, "afterwards", lambda item: condition(item, "Ready").get("status") == "True", "is Ready")
    come_to_rest(audit)


# 200 parents: most of one kind, and some of each that has Pods, volumes and Jobs.
MIXED = {IRIS: (140, {"replicas": 0}), POD_SET: (20, {"replicas": 2}), IMMORTAL: (20, {"image": "nginx:1"}),
         DATABASE: (20, {"image": "super-great-docker-image"})}


def test_a_namespace_full_of_parents_goes_without_a_warning_and_leaves_no_retries(here, audit):
    for resource, (count, spec) in MIXED.items():
        for number in range(count):
            here.create(parent(resource, f"p-{number}", **spec))
    for resource, (count, _) in MIXED.items():
        for number in range(count):
            here.is_ready(resource, f"p-{number}")
    come_to_rest(audit)
    mark = audit.mark()

    here.kube.delete("namespaces", here.name)
    eventually(lambda: here.kube.get("namespaces", here.name) is None, 120, what="the namespace is gone")

    come_to_rest(audit)
    ours = [e for e in audit.writes(mark, APPLIER) if e.ns == here.name]
    assert [e for e in ours if e.resource == "events"] == []
    assert [e for e in ours if e.code == 201] == []
    refused = collections.Counter((e.resource, e.name, e.subresource) for e in ours if e.code >= 400)
    assert set(refused.values()) <= {1}, refused.most_common(5)


@pytest.mark.parametrize("name", ["watcher", "planner", "applier"])
def test_a_service_asked_to_stop_under_load_ends_well_and_loses_and_doubles_nothing(here, trio, audit, name):
    service, mark, lost = getattr(trio, name), audit.mark(), _reports_lost(trio)
    with _irises_all_the_time(here) as made:
        eventually(lambda: len(burst.creations(audit, mark, here)) > 20, what="the burst is under way")
        assert service.stop(60) == 0  # of itself: it gives up what it waits for before anybody loses patience
        ended, outside = datetime.datetime.now(datetime.timezone.utc), len(made)
        eventually(lambda: len(made) > outside, what="the burst goes on")
    assert "Stopped" in [record.get("msg") for record in service.log_records()]
    late = [e for e in audit.since(mark) if _received(e) > ended and e.verb in WRITES and e.resource != "events"]
    assert [e for e in late if e.user == f"xebec-{name}" or (name, e.user) == ("watcher", APPLIER)] == []

    service.start().wait_ready()
    burst.all_ready(here, len(made))
    assert burst.creations(audit, mark, here) == dict.fromkeys(made, 1)
    assert _reports_lost(trio) == lost


def _reports_lost(trio):
    return sum(record.get("msg") == "Report lost" for record in trio.watcher.log_records())


@contextlib.contextmanager
def _irises_all_the_time(here):
    """Yields the names of those that were created so far."""
    made, numbers, enough = [], itertools.count(), threading.Event()

    def create():
        while not enough.is_set():
            name = f"iris-{next(numbers):04}"
            here.create(iris(name, replicas=0))
            made.append(name)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        creating = [pool.submit(create) for _ in range(4)]
        try:
            yield made
        finally:
            enough.set()
    for each in creating:
        each.result()


def _received(entry):
    return datetime.datetime.fromisoformat(entry.received.replace("Z", "+00:00"))


def test_a_crd_that_is_deleted_and_made_again_touches_no_other_kind(here, kube, audit):
    here.create(iris("bystander", replicas=1))
    here.is_ready(IRIS, "bystander")
    here.create(parent(POD_SET, "set", replicas=1))
    here.is_ready(POD_SET, "set")
    before = here.get("deployments.apps", "bystander")["metadata"]["uid"]
    [crd] = [c for c in manifests.crds() if c["metadata"]["name"] == POD_SET]

    kube.delete("customresourcedefinitions.apiextensions.k8s.io", POD_SET)
    eventually(lambda: not manifests.served(kube, POD_SET), what="PodSets are no longer served")
    eventually(lambda: kube.get("customresourcedefinitions.apiextensions.k8s.io", POD_SET) is None, what="the CRD is gone")
    kube.apply(crd)
    manifests.wait_established(kube, POD_SET)

    here.create(parent(POD_SET, "again", replicas=1))
    here.is_ready(POD_SET, "again")
    assert here.get("deployments.apps", "bystander")["metadata"]["uid"] == before
    here.is_ready(IRIS, "bystander")
    come_to_rest(audit)


@pytest.mark.expects_forbidden
def test_a_right_taken_away_is_told_in_a_condition_and_heals_when_given_back(here, kube, trio):
    with _without_right(kube, here, "deployments.apps"):
        here.create(iris("sample"))
        here.has_condition(IRIS, "sample", "Applied", "False")
        assert "forbidden" in here.condition(IRIS, "sample", "Applied")["message"].lower()
    here.annotate(IRIS, "sample", "xebec.dev/reconcile-at", "now")
    here.is_ready(IRIS, "sample")


# What a Database makes besides, while it may not make one of its kinds: Pods wait for Service and Secret, the init Job for a Pod.
BESIDES = {"services": {"configmaps", "secrets"}, "statefulsets.apps": {"services", "configmaps", "secrets"},
           "jobs.batch": {"services", "configmaps", "secrets", "statefulsets.apps"}}


@pytest.mark.expects_forbidden
@pytest.mark.parametrize("denied", BESIDES)
def test_a_right_taken_away_for_one_kind_of_child_leaves_the_others(here, kube, trio, denied):
    with _without_right(kube, here, denied):
        here.create(parent(DATABASE, "db", image="super-great-docker-image"))
        kind = denied.partition(".")[0]
        told = here.becomes(DATABASE, "db", lambda item: kind in condition(item, "Applied").get("message", ""), f"names {kind}")
        assert condition(told, "Applied")["status"] == "False" and "forbidden" in condition(told, "Applied")["message"]
        here.has_condition(DATABASE, "db", "Ready", "False", "Rejected")
        for other in BESIDES[denied]:
            eventually(lambda r=other: any(name.startswith("db") for name in here.names(r)), what=f"its {other} are made")
        assert here.names(denied) == []
    here.annotate(DATABASE, "db", "xebec.dev/reconcile-at", "now")
    here.is_ready(DATABASE, "db")
    here.has_condition(DATABASE, "db", "Applied", "True")


@contextlib.contextmanager
def _without_right(kube, here, resource):
    """The applier may not write one resource meanwhile."""
    roles, plural, _, group = "clusterroles.rbac.authorization.k8s.io", *resource.partition(".")
    rules = kube.get(roles, "xebec-applier")["rules"]
    less = [rule | {"resources": [r for r in rule["resources"] if r != plural or group not in rule["apiGroups"]]} for rule in rules]
    kube.patch(roles, "xebec-applier", None, {"rules": [rule for rule in less if rule["resources"]]})
    try:
        eventually(lambda: not _may(kube, "create", group, plural, here.name), what="the right is gone")
        yield
    finally:
        kube.patch(roles, "xebec-applier", None, {"rules": rules})


def _may(kube, verb, group, resource, ns):
    review = kube.create({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {"name": ""}, "spec": {
        "user": "xebec-applier", "resourceAttributes": {"verb": verb, "group": group, "resource": resource, "namespace": ns}}})
    return review["status"]["allowed"]
