# SPDX-License-Identifier: Apache-2.0
"""A service asked to stop in the middle of work hands over what it has: nothing is lost, nothing doubled."""

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
