# SPDX-License-Identifier: Apache-2.0
"""One plan at two appliers, and plans that outlive their stream: on the real API server nothing is done that one whole
plan would not have done."""

import threading

import pytest

from parents import POD_SET, parent
from support import plans
from support.api_proxy import ApiProxy
from support.apply_stream import ApplyStream, codes
from support.audit import WRITES
from support.eventually import eventually
from support.plans import CONFIG_MAPS, PROBES
from support.processes import free_port
from support.quiescence import wait_for_quiescence
from support.tcp_relay import TcpRelay
from support.services import Service, arguments

pytestmark = pytest.mark.usefixtures("nobody_plans_probes")
LEASE = "xebec-by-hand-"


@pytest.fixture(scope="module")
def two(folder, cluster):
    """[(applier, proxy between it and the API server)], beside the services's. No watcher holds their Lease."""
    pairs = []
    for number in (1, 2):
        proxy = ApiProxy(cluster.applier_kubeconfig, folder.path).start()
        addresses = {name: f"127.0.0.1:{free_port()}" for name in ("applier", "applier metrics")}
        argv = arguments("applier", addresses, {"applier": proxy.kubeconfig}) + ["--lease-prefix", LEASE]
        service = Service("applier", folder, argv, *addresses.values(), f"applier-by-hand-{number}")
        pairs.append((service.start().wait_ready(), proxy))
    yield pairs
    for service, proxy in pairs:
        service.stop()
        proxy.stop()


class Meeting:
    """Lets writes of the same object through only when both appliers want to write it, or when one of them has waited
    too long."""

    def __init__(self):
        self._meetings, self._lock = {}, threading.Lock()

    def before(self, method, path):
        if method == "GET" or "/events" in path:
            return
        with self._lock:
            meeting = self._meetings.setdefault((method, path), threading.Barrier(2))
        try:
            meeting.wait(1)
        except threading.BrokenBarrierError:
            pass  # the other one does not come any more


def changes(kube, resource, here, version):
    """[(ADDED, MODIFIED or DELETED, name)] of a namespace since a version, up to the deletion or creation of "end"."""
    seen = []
    for event in kube.watch(resource, version, here.name):
        name = event["object"]["metadata"].get("name")
        if name == "end":
            return sorted(seen)
        if event["type"] != "BOOKMARK" and name != "kube-root-ca.crt":  # which every namespace gets
            seen.append((event["type"], name))


def the_plan(here):
    """Creates a, changes b, deletes c and writes the status of their parent."""
    owner = here.create(plans.probe())
    b, c = (here.create(plans.config_map(owner, name, "old")) for name in "bc")
    return plans.plan(owner, [plans.create(plans.config_map(owner, "a", "new")), plans.update(plans.config_map(owner, "b", "new"), b)],
                      [plans.delete(c)], status=plans.status(owner, 1))


@pytest.mark.parametrize("order", ["as it comes", "each write at the same moment"])
def test_one_plan_at_two_appliers_does_what_it_does_at_one(here, two, kube, order):
    plan = the_plan(here)
    before = {resource: kube.list_with_version(resource, here.name)[1] for resource in (CONFIG_MAPS, PROBES)}
    meeting = Meeting()
    for _, proxy in two:
        proxy.before = meeting.before if order.startswith("each") else lambda *_: None

    with ApplyStream(two[0][0].address) as one, ApplyStream(two[1][0].address) as other:
        for stream in (one, other):
            eventually(lambda: stream.credits > 0, what="the stream is open")
        for stream in (one, other):
            stream.send(plan)
        reports = [stream.report(1) for stream in (one, other)]

    eventually(lambda: len([note for _, _, note in here.events("parent")]) >= 3, what="three events")
    here.create(plans.probe("end"))
    here.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "end"}})
    assert changes(kube, CONFIG_MAPS, here, before[CONFIG_MAPS]) == [("ADDED", "a"), ("DELETED", "c"), ("MODIFIED", "b")]
    assert changes(kube, PROBES, here, before[PROBES]) == [("MODIFIED", "parent")]
    assert here.get(PROBES, "parent")["status"]["readyReplicas"] == 1
    assert here.condition(PROBES, "parent", "Applied")["status"] == "True"
    assert sorted(code for report in reports for code in codes(report)[:1]) == ["CREATED", "UNCHANGED"], reports
    for service, _ in two:
        eventually(lambda: service.metric("xebec_apply_events_waiting") + service.metric("xebec_apply_writes_in_flight") == 0,
                   what="every event is published")
    assert sorted(note for _, _, note in here.events("parent")) == ["Changed b", "Created a", "Deleted c"]
    assert not any(event.get("series") for event in kube.list("events.events.k8s.io", here.name))


class Hold:
    """Holds the first write of an object, and counts the writes that arrive."""

    def __init__(self, path):
        self._path, self._let_go, self._lock = path, threading.Event(), threading.Lock()
        self.writes = []
        self.arrived = threading.Event()

    def before(self, method, path):
        if method == "GET" or "/events" in path or not path.startswith(self._path):
            return
        with self._lock:
            self.writes.append(path)
            first = len(self.writes) == 1
        self.arrived.set()
        if first:
            self._let_go.wait(60)

    def let_go(self):
        self._let_go.set()


def calls_ended(applier):
    return applier.metric("grpc_server_handled_total", grpc_method="ApplyStream")


def nothing_follows_the_first_write(applier, hold, cut):
    """Cuts the stream while the first write of its plan is held; once the applier has noticed, lets the write go."""
    ended = calls_ended(applier)
    assert hold.arrived.wait(30)
    cut()
    eventually(lambda: calls_ended(applier) > ended, what="the applier notices")
    hold.let_go()
    eventually(lambda: applier.metric("xebec_apply_plans") == 0, what="the plan is over")
    assert len(hold.writes) == 1, hold.writes


def test_nothing_is_started_once_the_stream_is_cut(here, two, kube):
    applier, proxy = two[0]
    owner = here.create(plans.probe())
    plan = plans.plan(owner, *([plans.create(plans.config_map(owner, name, "new"))] for name in "abc"), status=plans.status(owner, 1))
    hold = Hold(kube.path(CONFIG_MAPS, here.name))
    proxy.before = hold.before

    with ApplyStream(applier.address) as stream:
        stream.send(plan)
        nothing_follows_the_first_write(applier, hold, stream.cut)

    assert set(here.names(CONFIG_MAPS)) & set("abc") == {"a"}
    assert "status" not in here.get(PROBES, "parent")


@pytest.fixture
def one_write_at_a_time(services, cluster, folder):
    """An applier in place of the services's whose API server the test holds, and a watcher behind a relay: (watcher,
    applier, proxy, relay)."""
    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy, TcpRelay(services.addresses["applier"]) as relay, \
            services.stand_in("applier", "--writes-start", "1", "--writes-max", "1", kubeconfig=proxy.kubeconfig) as applier, \
            services.stand_in("watcher", "--request-timeout", "2s", "--plan-life", "2s", applier=relay.address) as watcher:
        applier.wait_ready()
        watcher.wait_ready()
        yield watcher, applier, proxy, relay


def pods_made(audit, mark, here):
    return sorted(e.name for e in audit.writes(mark) if (e.resource, e.ns, e.code) == ("pods", here.name, 201))


def test_a_plan_whose_stream_is_cut_is_made_good_by_the_watcher(here, one_write_at_a_time, kube, audit):
    watcher, applier, proxy, relay = one_write_at_a_time
    hold = Hold(kube.path("pods", here.name))
    proxy.before = hold.before
    mark = audit.mark()

    here.create(parent(POD_SET, "set", replicas=5))
    nothing_follows_the_first_write(applier, hold, relay.cut)

    here.is_ready(POD_SET, "set")
    assert pods_made(audit, mark, here) == [f"set-pod-{number}" for number in range(5)]
    assert any(record.get("msg") == "Report lost" for record in watcher.log_records())
    wait_for_quiescence(audit)


def test_a_write_that_arrives_long_after_its_applier_died_changes_nothing(here, services, cluster, folder, kube, audit):
    """Longer than any time-out allows: only the precondition of the write protects."""
    hold = Hold(kube.path("pods", here.name))
    mark = audit.mark()
    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy, \
            services.stand_in("watcher", "--request-timeout", "1s", "--plan-life", "1s"):
        proxy.before = hold.before
        with services.stand_in("applier", kubeconfig=proxy.kubeconfig) as applier:
            applier.wait_ready()
            here.create(parent(POD_SET, "set", replicas=1))
            assert hold.arrived.wait(30)
            applier.kill()
        here.is_ready(POD_SET, "set")
        pod = here.get("pods", "set-pod-0")
        late = audit.mark()
        hold.let_go()
        eventually(lambda: [e for e in audit.since(late) if e.ns == here.name and e.verb in WRITES and e.resource == "pods" and e.code == 409],
                   what="the late write is refused")
        assert here.get("pods", "set-pod-0")["metadata"]["resourceVersion"] == pod["metadata"]["resourceVersion"]
        assert pods_made(audit, mark, here) == ["set-pod-0"]
