# SPDX-License-Identifier: Apache-2.0
"""What several watchers without work send to the API server: each renews its Lease, and nothing else."""

import collections
import datetime

import pytest

from shared_load import fleet
from support.audit import WATCHER, WRITES
from support.eventually import eventually
from support.quiescence import wait_for_quiescence

pytestmark = pytest.mark.usefixtures("nobody_plans_probes")  # whose watcher renews a Lease too

COUNT, RENEWALS = 4, 5
PERIOD = datetime.timedelta(seconds=2)  # between two renewals of a Lease
LATE = datetime.timedelta(seconds=1.5)  # a busy machine may send the first of several requests later


def times(entries):
    """{name of a Lease: when the API server received its writes}."""
    found = collections.defaultdict(list)
    for entry in entries:
        if entry.verb in WRITES:
            found[entry.name].append(entry.received_at)
    return found


@pytest.mark.parametrize("buckets", [128, 1024])
def test_each_of_four_watchers_renews_its_lease_every_two_seconds_and_watches_the_leases_once(services, kube, audit, buckets):
    start = audit.mark()
    with fleet(services, kube, COUNT, f"--buckets={buckets}"):
        wait_for_quiescence(audit)
        mark = audit.mark()

        def renewed():
            written = times(audit.since(mark, WATCHER))
            assert len(written) == COUNT and min(map(len, written.values())) >= RENEWALS, written
            return written
        written = eventually(renewed, what="each Lease has been renewed several times")
        assert all(each[-1] - each[0] >= (len(each) - 1) * PERIOD - LATE for each in written.values()), "a Lease is not renewed more often"
        assert {(entry.resource, entry.verb) for entry in audit.since(mark, WATCHER) if entry.verb != "watch"} == {("leases", "update")}
        watched = [entry.uri for entry in audit.since(start, WATCHER) if (entry.resource, entry.verb) == ("leases", "watch")]
        assert len(watched) == COUNT, watched
