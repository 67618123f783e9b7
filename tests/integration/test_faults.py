# SPDX-License-Identifier: Apache-2.0
"""Processes die, connections break, the API server goes away: nothing is lost, nothing doubled, and rest comes back."""

import collections
import concurrent.futures
import contextlib
import datetime
import itertools
import re
import threading

import pytest

import burst
from parents import DATABASE, IMMORTAL, IRIS, POD_SET, PROBE, iris, parent
from support import manifests
from support.audit import APPLIER, WRITES
from support.eventually import eventually
from support.kube import ApiError
from support.manifests import condition
from support.rest import assert_rest, come_to_rest

MANY = 200
PROBES = 30
KINDS = [IRIS, PROBE]
# What is made for a parent: the plural, and what follows the parent's name.
CHILDREN = {IRIS: {"deployments": ""}, PROBE: {"configmaps": "-direct", "statefulsets": "-set"}}


def before_the_burst(here, resource):
    """Probes that are to go in the middle of it, with claims."""
    if resource == PROBE:
        burst.create(here, PROBES, 1, "goes", PROBE)
        burst.all_ready(here, PROBES, resource=PROBE)


def create_at_last(here, resource, name):
    """An API server that is away is asked again; it may have carried out what it did not answer."""
    def created():
        try:
            return here.create(parent(resource, name, replicas=0))
        except ApiError as error:
            assert error.code == 409, error
            return True
    eventually(created, what=f"{name} is created")


@contextlib.contextmanager
def middle_of_a_burst(here, audit, mark, resource):
    """The block runs while parents are made and their children; yields the names of the parents, which are all there when it has ended. As
    many Probes are deleted meanwhile."""
    count = PROBES if resource == PROBE else MANY
    plural = next(iter(CHILDREN[resource]))
    if resource == PROBE:
        burst.delete_probes(here, [f"goes-{number:03}" for number in range(PROBES)])
    with burst.paced(lambda name: create_at_last(here, resource, name), burst.endless_names("many"), count / 6, least=count) as made:
        eventually(lambda: len(burst.creations(audit, mark, here, plural)) > count // 10, what="the burst is under way")
        yield made


def all_is_well(here, resource, names):
    burst.all_ready(here, len(names), resource=resource)
    if resource == PROBE:
        burst.only_these_probes_are_left(here, names)


@pytest.mark.parametrize("resource", KINDS)
@pytest.mark.parametrize("victim", ["watcher", "planner", "applier"])
def test_a_service_killed_in_the_middle_of_a_burst_loses_and_doubles_nothing(here, trio, audit, victim, resource):
    before_the_burst(here, resource)
    mark = audit.mark()
    children = CHILDREN[resource]
    with middle_of_a_burst(here, audit, mark, resource) as names:
        getattr(trio, victim).kill()
        getattr(trio, victim).start()

    all_is_well(here, resource, names)

    for plural, suffix in children.items():
        made = burst.creations(audit, mark, here, plural)
        assert set(made.values()) == {1}
        assert set(made) | burst.cut_off(audit, mark, here, plural) == {name + suffix for name in names}
    assert_rest(audit, 5)


@pytest.mark.expects_forbidden  # an API server that has just started knows no roles for a moment
@pytest.mark.parametrize("resource", KINDS)
def test_the_api_server_restarted_under_load_costs_nothing_but_time(here, trio, audit, cluster, resource):
    before_the_burst(here, resource)
    mark = audit.mark()
    with middle_of_a_burst(here, audit, mark, resource) as names:
        cluster.apiserver.kill()
        cluster.start_apiserver()
        cluster.wait_ready()

    all_is_well(here, resource, names)
    for plural in CHILDREN[resource]:  # one that was cut off may be missing in the log
        assert set(burst.creations(audit, mark, here, plural).values()) == {1}
    assert all(service.running() for service in trio.services)
    here.create(parent(resource, "afterwards", replicas=0))
    here.is_ready(resource, "afterwards")
    come_to_rest(audit)


# 200 parents: most of one kind, and some of each that has Pods, volumes and Jobs.
MIXED = {IRIS: (140, {"replicas": 0}), POD_SET: (20, {"replicas": 2}), IMMORTAL: (20, {"image": "nginx:1"}),
         DATABASE: (20, {"image": "super-great-docker-image"})}


def writes_while_the_namespace_goes(here, audit):
    """Deletes it, from rest to rest; what the applier tried in it meanwhile."""
    come_to_rest(audit)
    mark = audit.mark()
    here.kube.delete("namespaces", here.name)
    eventually(lambda: here.kube.get("namespaces", here.name) is None, 120, what="the namespace is gone")
    come_to_rest(audit)
    return [e for e in audit.writes(mark, APPLIER) if e.ns == here.name]


def test_a_namespace_full_of_parents_goes_without_a_warning_and_leaves_no_retries(here, audit):
    for resource, (count, spec) in MIXED.items():
        for number in range(count):
            here.create(parent(resource, f"p-{number}", **spec))
    for resource, (count, _) in MIXED.items():
        for number in range(count):
            here.is_ready(resource, f"p-{number}")
    ours = writes_while_the_namespace_goes(here, audit)
    assert [e for e in ours if e.resource == "events"] == []
    assert [e for e in ours if e.code == 201] == []
    refused = collections.Counter((e.resource, e.name, e.subresource) for e in ours if e.code >= 400)
    assert set(refused.values()) <= {1}, refused.most_common(5)


@pytest.mark.of_probes
def test_a_namespace_full_of_parents_with_finalizers_goes_as_well(here, audit):
    burst.create(here, PROBES, 1, resource=PROBE)
    burst.all_ready(here, PROBES, resource=PROBE)
    ours = writes_while_the_namespace_goes(here, audit)
    events = [e for e in ours if e.resource == "events"]  # of the StatefulSet, which a Probe deletes itself: tried once
    assert {e.code for e in events} <= {403} and len({e.name for e in events}) == len(events), events[:3]
    refused = [e for e in ours if e.code >= 400 and e.resource != "events"]
    children = collections.Counter((e.resource, e.name, e.code) for e in refused if e.resource != "probes")  # that the namespace took first
    assert set(children.values()) <= {1} and {code for _, _, code in children} <= {403, 404}, children
    parents = [e for e in refused if e.resource == "probes"]  # whose deletion overtook a write
    assert {e.code for e in parents} <= {409} and len(parents) <= PROBES, parents


@pytest.mark.parametrize("name", ["watcher", "planner", "applier"])
def test_a_service_asked_to_stop_under_load_ends_well_and_loses_and_doubles_nothing(here, trio, audit, name):
    service, mark, lost = getattr(trio, name), audit.mark(), _reports_lost(trio)
    with _irises_all_the_time(here) as made:
        eventually(lambda: len(burst.creations(audit, mark, here)) > 20, what="the burst is under way")
        service.stop()  # as soon as promised: it gives up what it waits for
        ended, outside = datetime.datetime.now(datetime.timezone.utc), len(made)
        eventually(lambda: len(made) > outside, what="the burst goes on")
    assert "Stopped" in [record.get("msg") for record in service.log_records()]
    late = [e for e in audit.since(mark) if _received(e) > ended and e.verb in WRITES and e.resource != "events" and
            e.name != "xebec-probe-0"]  # the Lease of the trio of Probes
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


OF_BYSTANDERS = [("deployments.apps", "bystander"), ("pods", "bystander-immortalpod")]


@pytest.mark.parametrize("resource", [POD_SET, PROBE])
def test_a_crd_that_is_deleted_and_made_again_touches_no_other_kind(here, kube, audit, resource):
    bystanders = {IRIS: {"replicas": 1}, IMMORTAL: {"image": "nginx:1"}}
    for other, spec in bystanders.items():
        here.create(parent(other, "bystander", **spec))
        here.is_ready(other, "bystander")
    here.create(parent(resource, "set", replicas=1))
    here.is_ready(resource, "set")
    come_to_rest(audit)
    before, mark = {item: here.get(*item)["metadata"] for item in OF_BYSTANDERS}, audit.mark()
    crd = manifests.crd_of(resource)

    kube.delete("customresourcedefinitions.apiextensions.k8s.io", resource)
    eventually(lambda: kube.get("customresourcedefinitions.apiextensions.k8s.io", resource) is None, what="the CRD is gone")
    eventually(lambda: not manifests.served(kube, resource), what="its objects are no longer served")
    kube.apply(crd)
    manifests.wait_established(kube, resource)

    here.create(parent(resource, "again", replicas=1))
    here.is_ready(resource, "again")
    come_to_rest(audit)
    for item, metadata in before.items():
        now = here.get(*item)["metadata"]
        assert (now["uid"], now.get("generation")) == (metadata["uid"], metadata.get("generation")), item
    assert [e for e in audit.writes(mark) if e.ns == here.name and e.name.startswith("bystander")] == []
    for other in bystanders:
        here.is_ready(other, "bystander")


@pytest.mark.expects_forbidden
@pytest.mark.parametrize("denied,verb,said,reason", [
    ("deployments.apps", "create", "forbidden", "Forbidden"),
    ("irises/finalizers.example.com", "update", "cannot set blockOwnerDeletion", "AdmissionDenied")])
def test_a_right_taken_away_is_told_in_a_condition_and_heals_when_given_back(here, kube, trio, denied, verb, said, reason):
    def refused():
        return trio.watcher.metric("xebec_plans_refused_total", controller=IRIS, reason=reason)

    before = refused()
    with _without_right(kube, here, denied, verb=verb):
        here.create(iris("sample"))
        here.has_condition(IRIS, "sample", "Applied", "False")
        assert said in here.condition(IRIS, "sample", "Applied")["message"]
        assert refused() > before
    here.is_ready(IRIS, "sample")  # by itself


# What a Database makes besides, while it may not make one of its kinds: Pods wait for Service and Secret, the init Job for a Pod.
BESIDES = {"services": {"configmaps", "secrets"}, "statefulsets.apps": {"services", "configmaps", "secrets"},
           "jobs.batch": {"services", "configmaps", "secrets", "statefulsets.apps"}}
DENIED = [(DATABASE, denied, besides) for denied, besides in BESIDES.items()] + [(PROBE, "statefulsets.apps", {"configmaps"})]


@pytest.mark.expects_forbidden
@pytest.mark.parametrize("resource,denied,besides", DENIED)
def test_a_right_taken_away_for_one_kind_of_child_leaves_the_others(here, kube, trio, resource, denied, besides):
    with _without_right(kube, here, denied):
        here.create(parent(resource, "db", **({"image": "super-great-docker-image"} if resource == DATABASE else {})))
        kind = denied.partition(".")[0]
        told = here.becomes(resource, "db", lambda item: kind in condition(item, "Applied").get("message", ""), f"names {kind}")
        assert condition(told, "Applied")["status"] == "False" and "forbidden" in condition(told, "Applied")["message"]
        here.has_condition(resource, "db", "Ready", "False", "Rejected")
        for other in besides:
            eventually(lambda r=other: any(name.startswith("db") for name in here.names(r)), what=f"its {other} are made")
        assert here.names(denied) == []
    here.annotate(resource, "db", "xebec.dev/reconcile-at", "now")
    here.is_ready(resource, "db")
    here.has_condition(resource, "db", "Applied", "True")


@pytest.mark.expects_forbidden
def test_what_cannot_be_read_is_not_said_to_be_gone(here, kube, trio):
    here.create(parent(POD_SET, "set", replicas=2))
    before = here.is_ready(POD_SET, "set")["status"]
    with _without_right(kube, here, "pods", "xebec-watcher", "watch"):
        trio.watcher.restart()  # a watch that runs goes on
        told = here.has_condition(POD_SET, "set", "Ready", "False", "NotWatched")
        assert {field: told["status"][field] for field in ("replicas", "podNames")} == {field: before[field] for field in ("replicas", "podNames")}
        assert "pods" in condition(told, "Ready")["message"]
    here.is_ready(POD_SET, "set")


@pytest.mark.expects_forbidden
@pytest.mark.of_probes
@pytest.mark.parametrize("denied,gone,left", [
    ("statefulsets.apps", [], ["statefulsets.apps", "persistentvolumeclaims", "configmaps"]),
    ("persistentvolumeclaims", ["statefulsets.apps"], ["persistentvolumeclaims", "configmaps"]),
    ("configmaps", ["statefulsets.apps", "persistentvolumeclaims"], ["configmaps"])])
def test_a_right_to_delete_taken_away_keeps_the_finalizer_until_it_is_given_back(here, kube, trio, denied, gone, left):
    def of_the_probe(resource):
        return [name for name in here.names(resource) if "p-" in name]

    here.create(parent(PROBE, "p", replicas=1))
    here.is_ready(PROBE, "p")
    eventually(lambda: of_the_probe("persistentvolumeclaims"), what="its claim")
    with _without_right(kube, here, denied, "xebec-applier-test-kinds", "delete"):
        here.delete(PROBE, "p")
        kind = denied.partition(".")[0]
        told = here.becomes(PROBE, "p", lambda item: kind in condition(item, "Applied").get("message", ""), f"names {kind}")
        assert condition(told, "Applied")["status"] == "False" and "forbidden" in condition(told, "Applied")["message"]
        assert [resource for resource in gone if of_the_probe(resource)] == []
        assert [resource for resource in left if not of_the_probe(resource)] == []
    here.annotate(PROBE, "p", "xebec.dev/reconcile-at", "now")
    here.is_gone(PROBE, "p")
    eventually(lambda: not any(map(of_the_probe, gone + left)), what="nothing is left of it")


@contextlib.contextmanager
def _without_right(kube, here, resource, role="xebec-applier", verb="create"):
    """The role's service has not, meanwhile, what it grants it on one resource; the verb is one of those."""
    roles, plural, _, group = "clusterroles.rbac.authorization.k8s.io", *resource.partition(".")
    rules = kube.get(roles, role)["rules"]
    less = [rule | {"resources": [r for r in rule["resources"] if r != plural or group not in rule["apiGroups"]]} for rule in rules]
    kube.patch(roles, role, None, {"rules": [rule for rule in less if rule["resources"]]})
    try:
        eventually(lambda: not _may(kube, role, verb, group, plural, here.name), what="the right is gone")
        yield
    finally:
        kube.patch(roles, role, None, {"rules": rules})


def _may(kube, role, verb, group, resource, ns):
    plural, _, subresource = resource.partition("/")
    review = kube.create({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {"name": ""}, "spec": {
        "user": re.match("xebec-[a-z]+", role)[0], "resourceAttributes": {"verb": verb, "group": group, "resource": plural, "subresource": subresource,
                                                        "namespace": ns}}})
    return review["status"]["allowed"]
