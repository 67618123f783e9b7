# SPDX-License-Identifier: Apache-2.0
"""Idle services write nothing, and read nothing except through watches."""

import collections
import time

from parents import IRIS, iris
from support.audit import WATCHER
from support.eventually import eventually
from support.quiescence import assert_quiescent, wait_for_quiescence, requests

SECONDS = 10


def test_twenty_idle_parents_cause_no_request(here, audit):
    for number in range(20):
        here.create(iris(f"iris-{number}", replicas=1))
    for number in range(20):
        here.is_ready(IRIS, f"iris-{number}")

    assert_quiescent(audit, SECONDS)


def test_a_restarted_watcher_writes_nothing_when_nothing_has_changed(here, audit, services):
    here.create(iris("sample"))
    here.is_ready(IRIS, "sample")
    wait_for_quiescence(audit)

    mark = audit.mark()
    services.watcher.restart()
    eventually(lambda: any(e.verb == "watch" and e.resource == "irises" for e in audit.since(mark, WATCHER)),
               what="the new watcher watches")
    wait_for_quiescence(audit)

    assert audit.writes(mark) == []


def test_an_unowned_object_causes_no_request(here, audit):
    wait_for_quiescence(audit)
    mark = audit.mark()

    here.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "unrelated"}, "data": {"a": "b"}})
    time.sleep(1)

    assert requests(audit, mark) == []


def test_the_lag_of_a_reflector_is_the_time_since_its_last_event(here, services):
    def lag():
        return services.watcher.metric("xebec_reflector_lag_seconds", resource=IRIS)

    def an_event_comes():
        here.annotate(IRIS, "sample", "example.com/at", str(time.monotonic()))
        return lag() < quiet

    here.create(iris("sample"))
    here.is_ready(IRIS, "sample")
    quiet = eventually(lambda: (seen := lag()) > 1 and seen, what="nothing has come for a second")
    eventually(an_event_comes, what="it is less than that again")


def test_a_new_parent_costs_three_requests(here, audit):
    """The child, the status, the event; one more status at most for each change that the Deployment itself reports."""
    wait_for_quiescence(audit)
    mark = audit.mark()

    here.create(iris("sample", replicas=0))
    here.is_ready(IRIS, "sample")
    wait_for_quiescence(audit)

    seen = collections.Counter((e.verb, e.resource, e.subresource) for e in requests(audit, mark) if e.ns == here.name)
    child, event = ("create", "deployments", ""), ("create", "events", "")
    first, status = ("update", "irises", "status"), ("patch", "irises", "status")
    reported = [e for e in audit.since(mark) if (e.verb, e.resource, e.subresource, e.ns) == ("update", "deployments", "status", here.name)]
    assert set(seen) - {status} == {child, event, first}, seen
    assert seen[child] == seen[event] == seen[first] == 1, seen
    assert seen[status] <= len(reported), (seen, reported)
