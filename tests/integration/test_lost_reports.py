# SPDX-License-Identifier: Apache-2.0
"""Of every kind: the report on a plan is lost, or the parent goes while its plan is carried out. Live reads find out
what became of it."""

import threading

import pytest

import burst
from parents import APP_SERVICE, DATABASE, DATABASE_CO, IMMORTAL, IMMORTAL_TOO, IRIS, IRIS_OF_TEST, POD_SET, PROBE, parent
from support.api_proxy import ApiProxy
from support.audit import APPLIER, WATCHER
from support.eventually import eventually
from support.quiescence import wait_for_quiescence
from support.tcp_relay import TcpRelay
from support.services import stop_together

_DATABASE = {"image": "image", "storage-size": "1Gi"}
PARENTS = {IRIS: {"replicas": 1}, IRIS_OF_TEST: {"replicas": 1}, APP_SERVICE: {"replicas": 1}, POD_SET: {"replicas": 1},
           IMMORTAL: {"image": "busybox"}, IMMORTAL_TOO: {"image": "busybox"}, DATABASE: _DATABASE, DATABASE_CO: _DATABASE}
NAMES = {resource: "of-" + resource.replace(".", "-") for resource in PARENTS}
CHILDREN = {"deployments.apps", "statefulsets.apps", "pods", "services", "configmaps", "jobs.batch", "persistentvolumeclaims"}


class Held:
    """Writes below these paths do not reach the API server before they are let go."""

    def __init__(self, paths):
        self._arrived = {path: threading.Event() for path in paths}
        self._let_go = threading.Event()

    def before(self, method, path):
        for begin, arrived in self._arrived.items():
            if method in ("POST", "PUT", "PATCH") and path.startswith(begin):
                arrived.set()
                self._let_go.wait(120)

    def wait(self):
        missing = [path for path, arrived in self._arrived.items() if not arrived.wait(60)]
        assert not missing, missing

    def let_go(self):
        self._let_go.set()


class Between:
    """The applier's way to the API server, and the watcher's to the applier."""

    def __init__(self, proxy, relay, applier, watcher):
        self._proxy, self._relay, self._applier, self._watcher = proxy, relay, applier, watcher

    def hold(self, *paths):
        held = Held(paths)
        self._proxy.before = held.before
        return held

    def lose_reports(self, held):
        """The streams break while these writes are under way, which are carried out all the same."""
        held.wait()
        ended = self._streams_ended()
        self._relay.cut()
        eventually(lambda: self._streams_ended() > ended, what="the applier has noticed")
        held.let_go()

    def end_both(self):
        stop_together([self._watcher, self._applier])

    def _streams_ended(self):
        return self._applier.metric("grpc_server_handled_total", grpc_method="ApplyStream")


@pytest.fixture
def between(request, services, cluster, folder):
    short = [] if request.node.get_closest_marker("of_probes") else ["--request-timeout", "1s", "--plan-life", "1s"]  # as those of Probes are
    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy, TcpRelay(services.addresses["applier"]) as relay, \
            services.stand_in("applier", kubeconfig=proxy.kubeconfig) as applier, \
            services.stand_in("watcher", *short, applier=relay.address) as watcher:
        applier.wait_ready()
        watcher.wait_ready()
        yield Between(proxy, relay, applier, watcher)


def status_paths(here, resources=PARENTS):
    return [here.kube.path(resource, here.name, NAMES[resource], "status") for resource in resources]


def create_one_of_each(here):
    for resource, spec in PARENTS.items():
        here.create(parent(resource, NAMES[resource], **spec))


def all_are_ready(here):
    for resource in PARENTS:
        here.is_ready(resource, NAMES[resource])


def read(audit, mark, here, user):
    """Which resources it has got one by one, named as kubectl names them."""
    return {f"{e.resource}.{e.group}".rstrip(".") for e in audit.since(mark, user) if (e.verb, e.ns) == ("get", here.name)}


def test_what_became_of_a_plan_without_a_report_is_read_live_and_nothing_is_doubled(here, between, audit):
    mark = audit.mark()
    # Of a Database, the second plan: it makes the Job, once a Pod is ready.
    held = between.hold(*status_paths(here, set(PARENTS) - {DATABASE}), here.kube.path("jobs.batch", here.name, f"{NAMES[DATABASE]}-init"))
    create_one_of_each(here)
    between.lose_reports(held)
    all_are_ready(here)

    held = between.hold(here.kube.path("persistentvolumeclaims", here.name))
    here.change(DATABASE, NAMES[DATABASE], {"storage-size": "2Gi"})
    between.lose_reports(held)
    here.is_ready(DATABASE, NAMES[DATABASE])

    wait_for_quiescence(audit)
    assert read(audit, mark, here, WATCHER) == set(PARENTS) | CHILDREN
    for plural in (child.partition(".")[0] for child in CHILDREN):
        assert set(burst.creations(audit, mark, here, plural).values()) <= {1}, plural


@pytest.mark.of_probes
def test_what_became_of_a_finalizer_without_a_report_is_read_live(here, between, audit):
    mark, itself = audit.mark(), here.kube.path(PROBE, here.name, "p") + "?"  # its status has another path
    held = between.hold(itself)
    here.create(parent(PROBE, "p", replicas=1))
    between.lose_reports(held)
    [ours] = here.is_ready(PROBE, "p")["metadata"]["finalizers"]
    wait_for_quiescence(audit)
    assert finalizer_writes(audit, mark, here) == [200] and PROBE in read(audit, mark, here, WATCHER)

    here.kube.patch(PROBE, "p", here.name, {"metadata": {"finalizers": [ours, "example.com/theirs"]}})  # else it is gone, and nothing to read
    mark, held = audit.mark(), between.hold(itself)
    here.delete(PROBE, "p")
    between.lose_reports(held)
    eventually(lambda: PROBE in read(audit, mark, here, WATCHER), what="the watcher has read it")
    wait_for_quiescence(audit)
    assert here.get(PROBE, "p")["metadata"]["finalizers"] == ["example.com/theirs"] and finalizer_writes(audit, mark, here) == [200]
    here.kube.patch(PROBE, "p", here.name, {"metadata": {"finalizers": []}})
    here.is_gone(PROBE, "p")


def finalizer_writes(audit, mark, here):
    """The answers to them."""
    return [e.code for e in audit.writes(mark) if (e.ns, e.resource, e.subresource) == (here.name, "probes", "")]


def test_a_parent_that_goes_before_its_status_is_written_is_looked_for_and_let_go(here, between, audit):
    create_one_of_each(here)
    all_are_ready(here)
    wait_for_quiescence(audit)
    mark = audit.mark()
    held = between.hold(*status_paths(here))
    for resource in PARENTS:
        changed = {"storage-size": "2Gi"} if resource in (DATABASE, DATABASE_CO) else {"image": "example.com/other"}
        here.change(resource, NAMES[resource], changed)
    held.wait()
    for resource in PARENTS:
        here.delete(resource, NAMES[resource])
    held.let_go()

    eventually(lambda: read(audit, mark, here, APPLIER) >= set(PARENTS), what="the applier has looked for each of them")
    wait_for_quiescence(audit)
    assert [e for e in audit.writes(mark) if e.ns == here.name and e.code == 201 and e.resource != "events"] == []


def test_an_api_server_that_does_not_answer_holds_up_nobody_who_is_asked_to_stop(here, between):
    held = between.hold(*status_paths(here, {IRIS}))
    here.create(parent(IRIS, NAMES[IRIS], replicas=1))
    held.wait()
    between.end_both()
    held.let_go()
