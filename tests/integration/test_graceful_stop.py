# SPDX-License-Identifier: Apache-2.0
"""A service that receives SIGTERM under load completes or returns its work: nothing is lost and nothing is done
twice."""

import concurrent.futures
import contextlib
import datetime
import itertools
import threading

import pytest

import burst
from parents import iris
from support.audit import APPLIER, WRITES
from support.eventually import eventually


@pytest.mark.parametrize("name", ["watcher", "planner", "applier"])
def test_a_service_stopped_under_load_exits_cleanly_and_loses_and_repeats_nothing(here, services, audit, name):
    service, mark, lost = getattr(services, name), audit.mark(), _reports_lost(services)
    with _irises_all_the_time(here) as made:
        eventually(lambda: len(burst.creations(audit, mark, here)) > 20, what="the burst is under way")
        service.stop()  # as soon as promised: it gives up what it waits for
        ended, outside = datetime.datetime.now(datetime.timezone.utc), len(made)
        eventually(lambda: len(made) > outside, what="the burst goes on")
    assert "Stopped" in [record.get("msg") for record in service.log_records()]
    late = [e for e in audit.since(mark) if e.received_at > ended and e.verb in WRITES and e.resource != "events" and
            not (e.name or "").startswith("xebec-probe-")]  # the Leases of the watcher of Probes
    assert [e for e in late if e.user == f"xebec-{name}" or (name, e.user) == ("watcher", APPLIER)] == []

    service.start().wait_ready()
    burst.all_ready(here, len(made))
    assert burst.creations(audit, mark, here) == dict.fromkeys(made, 1)
    assert _reports_lost(services) == lost


def _reports_lost(services):
    return sum(record.get("msg") == "Report lost" for record in services.watcher.log_records())


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
