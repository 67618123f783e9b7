# SPDX-License-Identifier: Apache-2.0
"""Malformed and contradictory answers of the API server: the watcher reports them and recovers; no key is lost and
nothing is done twice."""

import itertools
import threading
import time

import pytest

import burst
from parents import APP_SERVICE, DATABASE, DATABASE_CO, IMMORTAL, IMMORTAL_TOO, IRIS, IRIS_OF_TEST, ONE_OF_EACH, POD_SET, iris, parent
from parents import all_are_ready, create_one_of_each, name_of
from support.api_proxy import ApiProxy, Cut
from support.eventually import eventually
from support.quiescence import wait_for_quiescence
from test_clock_skew import renew


def member(line, text):
    """The line with one more member at the beginning of its object."""
    return line.replace(b'"object":{', b'"object":{' + text + b",", 1)


# resource: (what is sent instead of a line of its watch, what is logged, why)
BAD_LINES = {
    IRIS: (lambda line: b"<html>502 Bad Gateway</html>\n", "Watch malformed", "watch event"),
    IRIS_OF_TEST: (lambda line: line[:line.index(b'"name":')] + b"\n", "Watch malformed", "watch event: JSON document ended early"),
    APP_SERVICE: (lambda line: line.replace(b'"type":"', b'"type":"UN', 1), "Watch malformed", 'unknown type "UN'),
    POD_SET: (lambda line: line.replace(b'"name":"', b'"name":"\xff\xfe', 1), "Watch malformed", "UTF-8"),
    IMMORTAL: (lambda line: line.replace(b'"generation":', b'"generation":99999999999999999999', 1), "Watch malformed",
               "object.metadata.generation"),
    IMMORTAL_TOO: (lambda line: member(line, b'"spec":' + b"[" * 100_000 + b"]" * 99_999), "Watch malformed", "metadata.name is missing"),
    DATABASE: (lambda line: member(line, b'"x":"' + b"x" * (17 << 20) + b'"'), "Watch malformed", "longer than the limit of 16777216 bytes"),
    DATABASE_CO: (lambda line: b'{"type":"ADDED","object":{"metadata":{}}}\n', "Watch malformed", "metadata.name is missing"),
    "deployments.apps": (lambda line: b"null\n", "Watch malformed", "watch event"),
    "statefulsets.apps": (lambda line: b"\0" * 100 + b"\n", "Watch malformed", "watch event"),
    "pods": (lambda line: line.rstrip() * 2 + b"\n", "Watch malformed", "unexpected text after the end"),
    "services": (lambda line: b'{"type":"ERROR","object":{"kind":"Status","code":"four hundred"}}\n', "Watch malformed", "watch error"),
    "configmaps": (lambda line: line.replace(b'"resourceVersion":"', b'"resourceVersion":"-', 1), "resourceVersion regressed",
                   "with resourceVersion '-"),
}

LISTED_AT_ONCE = {"configmaps"}  # after the first bad line already: the list may show what the second line would


@pytest.fixture
def proxy(cluster, folder):
    """In front of the API server, for the watcher."""
    with ApiProxy(cluster.watcher_kubeconfig, folder.path) as proxy:
        yield proxy


class Garbler:
    """Replaces the first two lines of each resource's watch that speak of a namespace: after the first the watch is
    resumed, after the second everything is relisted."""

    def __init__(self, kube, ns):
        self._paths = {kube.path(resource): resource for resource in BAD_LINES}
        self._ns, self._lock = f'"namespace":"{ns}"'.encode(), threading.Lock()
        self.seen = {}

    def line(self, path, line):
        resource = self._paths.get(path.partition("?")[0])
        if resource is None or self._ns not in line:
            return [line]
        with self._lock:
            number = self.seen[resource] = self.seen.get(resource, 0) + 1
        return [line if number > 2 else BAD_LINES[resource][0](line)]


def lists_have_ended(watcher):
    """A line of a list is no line of a watch. The last list of whoever begins to lead is the one for that, or the first
    where it is new enough."""
    ended = {record["detail"].partition(": ")[0] + record["detail"].rpartition(" ")[2] for record in watcher.log_records()
             if record.get("msg") == "Listed"}

    def last(resource):
        acquired = watcher.metric("xebec_reflector_relists_total", resource=resource, reason="acquired")
        return "(acquired)" if acquired else "(initial)"
    return all(resource + last(resource) in ended for resource in BAD_LINES)


def test_bad_watch_lines_are_told_and_no_key_is_lost(here, services, proxy, audit, kube):
    with services.stand_in("watcher", kubeconfig=proxy.kubeconfig) as watcher:
        watcher.wait_ready()
        eventually(lambda: watcher.metric("leader_election_master_status") == 1, what="the watcher leads")
        eventually(lambda: lists_have_ended(watcher), what="what whoever begins to lead lists is listed")
        garbler = Garbler(kube, here.name)
        proxy.line = garbler.line
        mark = audit.mark()

        create_one_of_each(here)
        all_are_ready(here)

        seen = {resource for resource, lines in garbler.seen.items() if lines >= (1 if resource in LISTED_AT_ONCE else 2)}
        assert seen == set(BAD_LINES), garbler.seen
        told = [(record.get("msg"), record.get("detail", "")) for record in watcher.log_records()]
        for resource, (_, said, why) in BAD_LINES.items():
            assert any(msg == said and detail.startswith(f"{resource}: ") and why in detail for msg, detail in told), (resource, told)
        for resource in ONE_OF_EACH:  # of which only one event can come before they are planned
            assert watcher.metric("xebec_reflector_relists_total", resource=resource, reason="malformed") == 1, resource
        assert watcher.running()
        for resource in ("deployments", "statefulsets", "pods"):
            assert set(burst.creations(audit, mark, here, resource).values()) <= {1}, resource
        wait_for_quiescence(audit)


def test_a_parent_whose_child_the_watch_is_slow_to_show_waits_for_it_and_is_counted(here, kube, services, proxy):
    shown, ns = threading.Event(), f'"namespace":"{here.name}"'.encode()

    def line(path, line):
        if path.startswith(kube.path("deployments.apps")) and ns in line:
            shown.wait(60)
        return [line]

    def figures():
        """Waiting parents, started waits and completed waits."""
        return [watcher.metric(f"xebec_{name}", controller=IRIS) for name in ("cache_sync_waiting", "cache_sync_waits_total", "cache_sync_wait_seconds_count")]

    with services.stand_in("watcher", kubeconfig=proxy.kubeconfig) as watcher:
        watcher.wait_ready()
        proxy.line = line
        here.create(iris("sample", replicas=0))
        here.appears("deployments.apps", "sample")
        here.change(IRIS, "sample", {"image": "example.com/other"})
        eventually(lambda: figures() == [1, 1, 0], what="it waits")
        shown.set()
        here.is_ready(IRIS, "sample")
        eventually(lambda: figures()[0] == 0 < figures()[1] == figures()[2], what="nobody waits any more")
        assert watcher.metric("xebec_cache_sync_wait_seconds_sum", controller=IRIS) > 0


class FirstLists:
    """Answers the first lists badly, one bad answer after the other."""

    def __init__(self, kube):
        html, nothing, torn = (200, b"<html>login</html>"), (200, b""), (200, b'{"kind":"PodList","items":[{"metadata":{"na')
        self._lists = {kube.path(resource): answers for resource, answers in {
            IRIS: [html], IRIS_OF_TEST: [(500, b"\xff\xfe")], IMMORTAL: [Cut()], "pods": [nothing, Cut()], POD_SET: [torn],
            DATABASE: [(200, b'{"metadata":{"resourceVersion":"1"},"items":[{}]}')], "deployments.apps": [html]}.items()}
        self._discovery = {"/apis/app.example.com/v1alpha1": [html, (200, b'{"resources":7}')]}
        self._lock = threading.Lock()

    def before(self, _, path):
        path, _, query = path.partition("?")
        with self._lock:
            left = None if "watch=1" in query else (self._lists | self._discovery).get(path)
            answer = left.pop(0) if left else None
        if isinstance(answer, Cut):
            raise answer
        return answer

    def exhausted(self):
        return not any(answers for each in (self._lists, self._discovery) for answers in each.values())


def test_bad_first_lists_delay_a_watcher_and_nothing_else(here, services, proxy, kube):
    lists = FirstLists(kube)
    proxy.before = lists.before
    with services.stand_in("watcher", kubeconfig=proxy.kubeconfig) as watcher:
        create_one_of_each(here)
        watcher.wait_ready()
        all_are_ready(here)
        assert lists.exhausted()


def answers(status, body):
    return lambda *_: (status, body)


def cut(*_):
    raise Cut


# What the applier gets to read instead of the API server's answer to a write that was carried out.
BAD_ANSWERS = [
    cut, answers(200, b""), answers(200, b"<html>login</html>"), answers(200, b"[]"), answers(200, b"null"),
    lambda status, body: (status, body[:len(body) // 2]), lambda status, body: (status, body.replace(b'"uid":"', b'"uid":"\xff\xfe')),
    lambda status, body: (status, body[:-2] + b',"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
    lambda status, body: (status, b'{"metadata":{"uid":7,"resourceVersion":{}}}'),
    lambda status, body: (status, body + b" " * (33 << 20)),
    answers(302, b""), answers(418, b"short and stout"), answers(500, b"\0" * 64), answers(502, b"<html>Bad Gateway</html>"),
    answers(599, b'{"kind":"Status","details":7,"message":[]}'), answers(204, b""),
]


def test_bad_answers_to_writes_are_looked_into_and_nothing_is_doubled(here, services, cluster, folder, audit, kube):
    """Each Deployment's creation is carried out, and answered with nonsense."""
    mark = audit.mark()
    turns = {}

    def after(method, path, status, body):
        if method != "POST" or not path.startswith(kube.path("deployments.apps", here.name)) or path in turns:
            return status, body
        turns[path] = next(number)
        return BAD_ANSWERS[turns[path]](status, body)

    number = itertools.count()
    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy:
        proxy.after = after
        with services.stand_in("watcher", "--request-timeout", "1s", "--plan-life", "2s"), \
                services.stand_in("applier", kubeconfig=proxy.kubeconfig) as applier:
            applier.wait_ready()
            burst.create(here, len(BAD_ANSWERS))
            burst.all_ready(here, len(BAD_ANSWERS))
            assert applier.running()
            wait_for_quiescence(audit)
    assert len(turns) == len(BAD_ANSWERS)
    assert set(burst.creations(audit, mark, here).values()) == {1}


def test_an_api_server_that_throttles_gets_fewer_writes_at_once_and_nothing_is_lost(here, services, cluster, folder, audit, kube):
    mark = audit.mark()
    throttled = set()

    def before(method, path):
        path = path.partition("?")[0]
        if method != "POST" or not path.startswith(kube.path("deployments.apps", here.name)) or path in throttled:
            return None
        throttled.add(path)
        return 429, b'{"kind":"Status","reason":"TooManyRequests","code":429,"message":"not now"}', "1"

    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy, services.stand_in("applier", kubeconfig=proxy.kubeconfig) as applier:
        applier.wait_ready()
        proxy.before = before
        allowed = applier.metric("xebec_apply_writes_allowed")
        burst.create(here, 40)
        eventually(lambda: applier.metric("xebec_apply_writes_allowed") < allowed, what="it sends fewer at once")
        burst.all_ready(here, 40)
    assert len(throttled) == 40 and set(burst.creations(audit, mark, here).values()) == {1}


def test_an_api_server_that_is_slow_gets_fewer_writes_at_once_until_it_is_quick_again(here, services, cluster, folder, audit, kube):
    mark, slow, quick, numbers = audit.mark(), threading.Event(), threading.Event(), itertools.count()

    def before(method, path):
        if method == "POST" and path.startswith(kube.path("deployments.apps", here.name)):
            time.sleep(0.1)  # long enough for several requests at once, which a limit needs to grow
            if slow.is_set():
                quick.wait(3)

    def allowed():
        return applier.metric("xebec_apply_class_allowed", resource="deployments.apps", verb="create")

    def as_many_as_ever():
        burst.create(here, 20, prefix=f"more-{next(numbers)}")  # only who has something to send learns that the server is quick
        return allowed() == 8

    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy, \
            services.stand_in("applier", "--writes-min", "2", "--writes-start", "8", "--writes-max", "8", kubeconfig=proxy.kubeconfig) as applier:
        applier.wait_ready()
        proxy.before = before
        burst.create(here, 5, prefix="usual")
        burst.all_ready(here, 5)  # the limit compares with the usual latency
        slow.set()
        burst.create(here, 20)
        eventually(lambda: 0 < allowed() < 8, what="it sends fewer at once")
        quick.set()
        eventually(as_many_as_ever, what="it sends as many as ever")
        names = here.names(IRIS)
        burst.all_ready(here, len(names))
    assert burst.creations(audit, mark, here) == dict.fromkeys(names, 1)


def test_a_stalled_watch_of_the_lease_is_noticed_when_a_renewal_fails(here, kube, services, proxy):
    with services.stand_in("watcher", kubeconfig=proxy.kubeconfig) as watcher:
        eventually(lambda: watcher.metric("leader_election_master_status") == 1, what="the watcher leads")
        proxy.line = lambda path, line: [] if "/leases?" in path else [line]
        eventually(lambda: renew(kube, 0), what="another machine has taken the Lease")
        eventually(lambda: any(r.get("msg") == "Lease lost" and r["detail"] == "held by another-machine" for r in watcher.log_records()),
                   what="the watcher has noticed")
        here.create(iris("sample"))
        here.is_ready(IRIS, "sample")  # once the other has been silent for long enough
