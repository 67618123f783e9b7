# SPDX-License-Identifier: Apache-2.0
"""Deletion of a namespace that contains many parents."""

import collections

import pytest

import burst
from parents import DATABASE, IMMORTAL, IRIS, POD_SET, PROBE, parent
from support.audit import APPLIER
from support.eventually import eventually
from support.quiescence import wait_for_quiescence

# 200 parents: most of one kind, and some of each that has Pods, volumes and Jobs.
MIXED = {IRIS: (140, {"replicas": 0}), POD_SET: (20, {"replicas": 2}), IMMORTAL: (20, {"image": "nginx:1"}),
         DATABASE: (20, {"image": "super-great-docker-image"})}


def writes_while_the_namespace_goes(here, audit):
    """Deletes it, from rest to rest; what the applier tried in it meanwhile."""
    wait_for_quiescence(audit)
    mark = audit.mark()
    here.kube.delete("namespaces", here.name)
    eventually(lambda: here.kube.get("namespaces", here.name) is None, 120, what="the namespace is gone")
    wait_for_quiescence(audit)
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
    burst.create(here, burst.PROBES, 1, resource=PROBE)
    burst.all_ready(here, burst.PROBES, resource=PROBE)
    ours = writes_while_the_namespace_goes(here, audit)
    events = [e for e in ours if e.resource == "events"]  # of the StatefulSet, which a Probe deletes itself: tried once
    assert {e.code for e in events} <= {403} and len({e.name for e in events}) == len(events), events[:3]
    refused = [e for e in ours if e.code >= 400 and e.resource != "events"]
    children = collections.Counter((e.resource, e.name, e.code) for e in refused if e.resource != "probes")  # that the namespace took first
    assert set(children.values()) <= {1} and {code for _, _, code in children} <= {403, 404}, children
    parents = [e for e in refused if e.resource == "probes"]  # whose deletion overtook a write
    assert {e.code for e in parents} <= {409} and len(parents) <= burst.PROBES, parents
