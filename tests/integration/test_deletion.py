# SPDX-License-Identifier: Apache-2.0
"""A parent is deleted and recreated immediately with the same name."""

import pytest

from parents import DATABASE, IMMORTAL, IRIS, POD_SET, PROBE, parent
from support.eventually import eventually
from support.kube import ApiError
from support.manifests import condition
from support.namespace import controller
from support.quiescence import wait_for_quiescence

SPECS = {IRIS: {"replicas": 2}, POD_SET: {"replicas": 2}, IMMORTAL: {"image": "nginx:1"},
         DATABASE: {"image": "super-great-docker-image", "replicas": 2}, PROBE: {"replicas": 2}}
PODS = ["pods"]
CHILDREN = {IRIS: ["deployments.apps"], DATABASE: ["services", "configmaps", "statefulsets.apps", "jobs.batch"],
            PROBE: ["configmaps", "statefulsets.apps"]}
# What outlives a Database, for the next one of its name.
KEPT = ["secrets", "persistentvolumeclaims"]


def manifest(resource, **more):
    return parent(resource, "sample", **(SPECS[resource] | more))


def orphaning(resource):
    """A Probe without claims: those belong to it by its uid, and it cannot see that their StatefulSet was orphaned."""
    return manifest(resource, **({"replicas": 0} if resource == PROBE else {}))


def children(here, resource):
    """{(kind, name): item} of what such a parent makes; what everybody has in a namespace is left out."""
    return {(kind, item["metadata"]["name"]): item for kind in CHILDREN.get(resource, PODS)
            for item in here.kube.list(kind, here.name) if item["metadata"]["name"] != "kube-root-ca.crt"}


def uids(here, kinds):
    return {item["metadata"]["uid"] for kind in kinds for item in here.kube.list(kind, here.name)}


def make_again(here, wanted):
    """Creates it as soon as the API server takes the name."""
    def created():
        try:
            return here.create(wanted)
        except ApiError as error:
            if error.code == 409:
                return None
            raise
    # The garbage collector looks for new kinds every 30 s, and until it has it orphans nothing of theirs.
    return eventually(created, 60, every=0.01, what="the name is free")


def is_clean(here, resource):
    """Ready, and no condition reports a failure."""
    item = here.is_ready(resource, "sample")
    here.has_condition(resource, "sample", "Applied", "True")
    item = here.get(resource, "sample")
    assert not [c for c in item["status"]["conditions"] if c["type"] in ("Stalled", "Reconciling", "FieldManagerConflict")], item["status"]
    return item


def counted(audit, mark, here):
    """{(resource, name): how often the applier created it}; events left out."""
    found = {}
    for entry in audit.writes(mark):
        if entry.ns == here.name and entry.code == 201 and entry.resource != "events":
            found[entry.resource, entry.name] = found.get((entry.resource, entry.name), 0) + 1
    return found


@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
@pytest.mark.parametrize("resource", SPECS)
def test_a_parent_recreated_at_once_gets_new_children_and_none_twice(here, node, audit, resource, propagation):
    node.set_grace(0.5, here.name)  # the old Pods hold their names for a while
    here.create(manifest(resource))
    here.is_ready(resource, "sample")
    before, kept = children(here, resource), uids(here, KEPT)  # what a Probe has of these, goes with it
    mark = audit.mark()

    here.delete(resource, "sample", propagation)
    again = make_again(here, manifest(resource))

    is_clean(here, resource)
    now = children(here, resource)
    assert {controller(item)[2] for item in now.values()} == {again["metadata"]["uid"]}
    assert {key for key in now if key[0] != "jobs.batch"} == {key for key in before if key[0] != "jobs.batch"}
    assert len(now) == len(before)
    assert not uids(here, KEPT) & kept if resource == PROBE else uids(here, KEPT) == kept
    wait_for_quiescence(audit)
    assert set(counted(audit, mark, here).values()) == {1}
    assert [event for event in here.events("sample") if event[:2] == ("Warning", "Rejected")] == []


@pytest.mark.parametrize("resource", SPECS)
def test_orphans_are_told_and_left_alone_until_they_are_deleted(here, audit, resource):
    here.create(orphaning(resource))
    here.is_ready(resource, "sample")
    before = {key: item["metadata"]["uid"] for key, item in children(here, resource).items()}

    here.delete(resource, "sample", "Orphan")
    again = make_again(here, orphaning(resource))

    here.has_condition(resource, "sample", "Ready", "False", "NameConflict")
    wait_for_quiescence(audit)
    now = children(here, resource)
    assert {key: now[key]["metadata"]["uid"] for key in before} == before and not any(map(controller, now.values()))
    message = here.condition(resource, "sample", "Ready")["message"]
    assert "has no controller" in message and again["metadata"]["uid"] in message

    for kind, name in before:
        here.delete(kind, name, "Background")
    is_clean(here, resource)
    later = children(here, resource)
    assert {controller(item)[2] for item in later.values()} == {again["metadata"]["uid"]}
    assert not {item["metadata"]["uid"] for item in later.values()} & set(before.values())


@pytest.mark.parametrize("resource", [r for r in SPECS if r != PROBE])  # whose StatefulSet has its uid in what cannot be changed
def test_orphans_that_are_handed_over_as_the_message_says_are_taken_as_they_are(here, audit, resource):
    here.create(orphaning(resource))
    here.is_ready(resource, "sample")
    pods = uids(here, PODS)
    here.delete(resource, "sample", "Orphan")
    again = make_again(here, orphaning(resource))
    here.has_condition(resource, "sample", "Ready", "False", "NameConflict")

    owner = {key: again[key] for key in ("apiVersion", "kind")} | {"name": "sample", "uid": again["metadata"]["uid"], "controller": True,
                                                                 "blockOwnerDeletion": True}
    for kind, name in children(here, resource):
        here.kube.patch(kind, name, here.name, {"metadata": {"ownerReferences": [owner]}})

    is_clean(here, resource)
    assert pods <= uids(here, PODS)
    here.delete(resource, "sample", "Background")
    eventually(lambda: children(here, resource) == {}, what="all goes with the one that it was handed to")
    wait_for_quiescence(audit)
    assert condition(here.get(resource, "sample"), "Ready") == {}


@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
@pytest.mark.parametrize("resource", [resource for resource in SPECS if resource != PROBE])  # which takes its claims along itself
def test_a_paused_parent_that_is_deleted_goes_with_its_children(here, audit, resource, propagation):
    here.create(manifest(resource))
    here.is_ready(resource, "sample")
    here.annotate(resource, "sample", "xebec.dev/paused", "true")
    here.has_condition(resource, "sample", "Paused", "True")
    kept = uids(here, KEPT)
    mark = audit.mark()

    here.delete(resource, "sample", propagation)

    here.is_gone(resource, "sample")
    eventually(lambda: children(here, resource) == {} and uids(here, PODS) == set(), what="its children are gone")
    assert uids(here, KEPT) == kept
    wait_for_quiescence(audit)
    assert counted(audit, mark, here) == {}
