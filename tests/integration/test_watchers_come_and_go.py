# SPDX-License-Identifier: Apache-2.0
"""Several watchers under load: they come and go in order, and the API server restarts. Nothing is lost or doubled."""

import datetime

import pytest

import burst
from shared_load import assert_nothing_lost_or_doubled, fleet, load, written_without_a_change
from support.audit import WATCHER, WRITES
from support.eventually import eventually
from support.services import stop_together

MANY = 500
BUCKETS_MOVED = 2 * 96  # of 128: from one watcher to three more, and to the last one
EDITED = {"Assignment deleted", "Assignment edited", "Assignment unreadable"}


def assert_nobody_edited(watchers):
    """No watcher takes what another one writes for the work of a user."""
    assert not [record for each in watchers.watchers for record in each.log_records() if record.get("msg") in EDITED]


def assert_metrics_show(watchers):
    """Each bucket has one watcher. A watcher holds the buckets that it has gained and not yielded again: it yields some
    of them if the next watcher starts later. The watchers that were added gained what others yielded; none was lost."""
    def moved(direction):
        return [each.metric("xebec_bucket_moves_total", direction=direction) for each in watchers.watchers]
    held = [each.metric("xebec_buckets_held") for each in watchers.watchers]
    assert sum(held) == watchers.watchers[0].metric("xebec_buckets"), held
    assert [each.metric("xebec_buckets_unassigned") for each in watchers.watchers] == [0] * len(held)
    gained, yielded = moved("gained"), moved("yielded")
    assert held == [each - away for each, away in zip(gained, yielded)], f"held: {held}, gained: {gained}, yielded: {yielded}"
    assert sum(yielded) == sum(gained[1:]), f"yielded: {yielded}, gained: {gained}"
    assert sum(moved("lost")) == 0
    return True


def assignments_written(audit, mark):
    return [entry for entry in audit.since(mark, WATCHER) if entry.verb in WRITES and entry.name == "xebec-watcher-assignment"]


def test_from_one_watcher_to_four_and_back_in_the_middle_of_a_burst(here, services, kube, audit):
    with fleet(services, kube, 1) as watchers:
        mark = audit.mark()
        with load(here, 25, MANY) as names:
            eventually(lambda: len(burst.creations(audit, mark, here)) > MANY / 10, what="the burst is under way")
            watchers.add(3)
            watchers.shared_by(4)
            eventually(lambda: assert_metrics_show(watchers), what="the metrics show the shares")
            begun = len(names)
            eventually(lambda: len(names) > begun + MANY / 10, what="four watchers work")
            stop_together(watchers.watchers[:3])
            watchers.shared_by(1)
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        assert written_without_a_change(here, audit, mark) == {}, "no watcher repeats what another one has done"
        assert len(assignments_written(audit, mark)) < BUCKETS_MOVED / 2, "one write moves many buckets"
        assert_nobody_edited(watchers)


def test_from_one_watcher_to_sixteen_and_back_under_load(here, services, kube, audit):
    """As many as `watcher.replicas` admits."""
    with fleet(services, kube, 1) as watchers:
        mark = audit.mark()
        with load(here, 5, 50) as names:
            watchers.add(15)
            watchers.shared_by(16, timeout=120)
            begun = len(names)
            eventually(lambda: len(names) > begun + 32, what="sixteen watchers work")
            stop_together(watchers.watchers[:15])
            watchers.shared_by(1)
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        assert written_without_a_change(here, audit, mark) == {}, "no watcher repeats what another one has done"
        assert_nobody_edited(watchers)


@pytest.mark.expects_forbidden  # an API server that has just started knows no roles for a moment
def test_an_api_server_that_restarts_under_three_watchers_costs_nothing_but_time(here, services, kube, audit, cluster):
    with fleet(services, kube, 3) as watchers:
        mark = audit.mark()
        with load(here, 25, 200) as names:
            eventually(lambda: len(burst.creations(audit, mark, here)) > 20, what="the burst is under way")
            cluster.apiserver.kill()
            killed = datetime.datetime.now(datetime.timezone.utc)
            cluster.start_apiserver()
            cluster.wait_ready()
        watchers.shared_by(3)
        assert_nothing_lost_or_doubled(here, audit, mark, names, burst.created_in_the_second_of(here, killed))
        assert all(watcher.running() for watcher in watchers.watchers)
        assert_nobody_edited(watchers)
