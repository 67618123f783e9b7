# SPDX-License-Identifier: Apache-2.0
"""Watchers of a release come and go under load, with parents that have Deployments and parents that have Pods."""

import datetime
import json
import os
import random
import signal
import time

import pytest

import burst
from parents import IRIS, POD_SET, parent
from shared_load import assert_nothing_lost_or_doubled, load, written_without_a_change
from support.assignment import assignment, shares
from support.eventually import eventually
from support.quiescence import wait_for_quiescence

BURST, BURST_RATE = 500, 8  # new Irises, and how many are created and changed in a second, while watchers come and go
COUNT, RATE = 240, 4  # while watchers are killed
SETS = burst.names(6, "set")
# Kills: the kubelet restarts the container, ever later; or another Pod takes the place at once.
RESTARTS, REPLACEMENTS = 6, 14
PAUSE = 30  # seconds; a Lease expires after 15


def shared_by(kube, watchers):
    """Waits until so many watchers hold equal shares of all buckets."""
    def shared():
        now = shares(kube)
        assert len(now) == watchers and sum(now.values()) == assignment(kube)["buckets"] and max(now.values()) - min(now.values()) <= 1, now
        return True
    eventually(shared, 60, what=f"{watchers} watchers share the buckets")


def assert_the_tool_shows_all(release, watchers, here, names):
    """Whichever watcher `kubectl exec` chooses, it shows all of them, and the Irises of all of them, also those that
    are created now."""
    expected = set(names)

    def xebec(*arguments):
        return json.loads(release.node.kubectl("exec", "-n", release.ns, f"deployment/{release.fullname}-watcher", "--", "xebec", *arguments,
                                               "-o", "json"))
    assert len(xebec("watchers")["watchers"]) == watchers
    assert expected <= {key["ref"]["name"] for key in xebec("keys", "iris", "-n", here.name)["keys"]}


def test_watchers_share_the_load_after_an_upgrade_and_go_without_a_loss(release, here, kube, audit):
    for name in SETS:
        here.create(parent(POD_SET, name, replicas=1))
    for name in SETS:
        here.is_ready(POD_SET, name)
    mark = audit.mark()
    with load(here, BURST_RATE, BURST) as names:
        for watchers, replicas in ((4, 2), (16, 2), (1, 3)):
            for name in SETS:
                here.scale(POD_SET, name, replicas)
            release.upgrade({"watcher": {"replicas": watchers}})
            shared_by(kube, watchers)
            begun = len(names)
            eventually(lambda: len(names) > begun + BURST / 25, what=f"{watchers} watchers work")
            if watchers > 1:
                assert_the_tool_shows_all(release, watchers, here, names)
    for name in SETS:
        here.is_ready(POD_SET, name)
    assert_nothing_lost_or_doubled(here, audit, mark, names)
    assert written_without_a_change(here, audit, mark) == {}, "no watcher repeats what another one has done"
    more = [f"{name}-pod-{number}" for name in SETS for number in (1, 2)]
    assert burst.creations(audit, mark, here, "pods") == dict.fromkeys(more, 1)
    assert here.names("pods") == sorted(more + [f"{name}-pod-0" for name in SETS])


@pytest.fixture
def three(release, kube):
    """Three watchers without a liveness probe: the kubelet does not restart a watcher that SIGSTOP has paused."""
    release.upgrade({"watcher": {"replicas": 3, "livenessProbe": {"enabled": False}}})
    shared_by(kube, 3)
    yield
    release.upgrade()


@pytest.mark.expects_forbidden  # an API server that has just started knows no roles for a moment
def test_watchers_that_are_killed_or_stand_still_lose_and_double_nothing(release, three, here, kube, audit, node):
    dice, mark = random.Random(7), audit.mark()
    with load(here, RATE, COUNT) as names:
        for _ in range(RESTARTS):
            release.kill_pod(dice.choice(release.pods("watcher")), timeout=120)
        for _ in range(REPLACEMENTS):
            release.replace_pod(dice.choice(release.pods("watcher")))
        shared_by(kube, 3)
        stopped, identities, begin = release.pid_of(release.pods("watcher")[0]), set(shares(kube)), time.monotonic()
        os.kill(stopped, signal.SIGSTOP)
        try:
            shared_by(kube, 2)
            time.sleep(max(0, begin + PAUSE - time.monotonic()))
        finally:
            os.kill(stopped, signal.SIGCONT)
        shared_by(kube, 3)
        assert set(shares(kube)) == identities, "the same process takes part again"
        node.apiserver.kill()
        killed = datetime.datetime.now(datetime.timezone.utc)
        node.start_apiserver()
        node.wait_ready()
        shared_by(kube, 3)
    wait_for_quiescence(audit, quiet=10)  # a watch that was forbidden is tried again after a pause
    assert_nothing_lost_or_doubled(here, audit, mark, names, burst.created_in_the_second_of(here, killed))


def test_an_upgrade_changes_the_number_of_buckets_under_load(release, three, here, kube, audit):
    mark = audit.mark()
    with load(here, RATE, COUNT) as names:
        release.upgrade({"watcher": {"replicas": 3, "config": {"buckets": 64}}})
        shared_by(kube, 3)
        assert assignment(kube)["buckets"] == 64
    assert_nothing_lost_or_doubled(here, audit, mark, names)
    assert written_without_a_change(here, audit, mark) == {}, "no watcher repeats what another one has done"
