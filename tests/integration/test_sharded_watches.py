# SPDX-License-Identifier: Apache-2.0
"""API servers that select the parents of some buckets (KEP-5866) and one that refuses to: nothing is lost or
doubled."""

import json

import pytest

from parents import IRIS
from shared_load import assert_nothing_lost_or_doubled, fleet, load
from support.api_proxy import ApiProxy
from support.audit import WATCHER, AuditLog
from support.cluster import start_cluster
from support.controlplane import SelectingControlPlane
from support.eventually import eventually
from support.fake_node import FakeNode
from support.processes import RunFolder
from support.services import Services, stop_together

MANY = 200
SELECTOR = "shardSelector="
# What Kubernetes 1.36 answers to a selector that it cannot read.
UNREADABLE = 500, json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 500,
                              "message": "invalid shard selector: unsupported function"}).encode()


# ---- a control plane with the feature gate, and services for it; they shadow those of conftest.py -----------

@pytest.fixture(scope="module")
def folder():
    run = RunFolder("test-sharded")
    yield run
    run.close()


@pytest.fixture(scope="module")
def cluster(folder):
    return start_cluster(folder, kind=SelectingControlPlane)


@pytest.fixture(scope="module")
def kube(cluster):
    return cluster.client()


@pytest.fixture(scope="module")
def audit(cluster):
    return AuditLog(cluster.audit_file)


@pytest.fixture(scope="module")
def node(cluster):
    node = FakeNode(cluster.client()).start()
    yield node
    node.stop()


@pytest.fixture(scope="module")
def shared_services(folder, cluster, node):
    services = Services(folder, {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig})
    yield services
    services.stop()


def opened(audit, mark, resource="irises"):
    """The paths of the watches of parents that the API server opened."""
    return [entry.uri for entry in audit.since(mark, WATCHER) if (entry.verb, entry.resource, entry.code) == ("watch", resource, 200)]


def assert_the_added_one_receives_fewer_events(watchers, names):
    """The first one has only lost buckets, so its watch still shows all parents. The one that was added has listed its
    parents, and the API server has confirmed that it selects."""
    def events():
        return [watchers[index].metric("xebec_reflector_events_total", resource=IRIS) for index in (0, 2)]
    before, begun = events(), len(names)
    eventually(lambda: len(names) > begun + MANY / 4, what="more parents are created")
    everything, selected = (now - then for now, then in zip(events(), before))
    assert 0 < selected < 0.6 * everything, f"{selected} of {everything} events"


def said(watchers, message):
    return [record.get("detail", "") for each in watchers.watchers for record in each.log_records() if record.get("msg") == message]


def test_an_api_server_that_selects_the_parents_sends_each_watcher_its_own(here, services, kube, audit):
    with fleet(services, kube, 2) as watchers:
        mark = audit.mark()
        with load(here, 20, MANY) as names:
            eventually(lambda: len(names) > MANY / 2, what="there are so many parents that a list shows what the server does")
            watchers.add(1)
            watchers.shared_by(3)
            assert_the_added_one_receives_fewer_events(watchers.watchers, names)
            stop_together(watchers.watchers[:1])
            watchers.shared_by(2)
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        assert len({path for path in opened(audit, mark) if SELECTOR in path}) >= 2, "one of each watcher that has gained buckets"
        assert not said(watchers, "Shard selector refused")


def test_a_server_that_cannot_read_the_selector_is_asked_without_it(here, services, kube, audit, cluster, folder):
    with ApiProxy(cluster.watcher_kubeconfig, folder.path) as proxy:
        refused = []

        def refuse(_, path):
            if SELECTOR not in path:
                return None
            refused.append(path)
            return UNREADABLE
        proxy.before = refuse
        with fleet(services, kube, 2, kubeconfig=proxy.kubeconfig) as watchers:
            mark = audit.mark()
            with load(here, 20, MANY) as names:
                watchers.add(1)
                watchers.shared_by(3)
            assert_nothing_lost_or_doubled(here, audit, mark, names)
            assert opened(audit, mark) and not [path for path in opened(audit, mark) if SELECTOR in path]
            assert refused and len(said(watchers, "Shard selector refused")) < 40
            assert len(refused) < 40, "each watcher sends it once for each kind"
