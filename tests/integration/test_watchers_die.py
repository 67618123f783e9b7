# SPDX-License-Identifier: Apache-2.0
"""Watchers of several that share the load are killed or stand still. Nothing is lost or doubled."""

import contextlib
import random
import signal
import threading
import time

import burst
from parents import IRIS
from shared_load import assert_nothing_lost_or_doubled, fleet, load, written_without_a_change
from support.api_proxy import ApiProxy
from support.assignment import assignment, epochs, numbers
from support.eventually import eventually
from support.plans import bucket_of

KILLS = 20
MANY = 40
SHORT_WATCH = 3  # seconds; it ends with a bookmark
PAUSE = 30  # seconds; a Lease expires after 15


def test_random_watchers_are_killed_again_and_again(here, services, kube, audit):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    dice = random.Random(seed)
    with fleet(services, kube, 3) as watchers:
        mark = audit.mark()
        with load(here, 15, 300) as names:
            for _ in range(KILLS):
                victim = dice.randrange(3)
                watchers.watchers[victim].kill()
                watchers.start(victim)
                more = len(names) + dice.randrange(15)  # the next one may be killed before this one has buckets again
                eventually(lambda: len(names) > more, what="the burst goes on")
            watchers.shared_by(3)
        assert_nothing_lost_or_doubled(here, audit, mark, names)


@contextlib.contextmanager
def two_appliers(services):
    """Starts a second applier beside that of `services`. Yields the addresses of both, comma-separated."""
    another = services.another("applier", "another-applier").start()
    try:
        another.wait_ready()
        yield ",".join(each.address for each in (services.applier, another))
        assert another.metric("xebec_apply_plan_duration_seconds_count") > 0, "the second applier has carried out no plan"
    finally:
        another.stop()


def test_a_watcher_that_stood_still_beside_two_appliers_does_not_go_on_with_what_it_led(here, services, kube, audit):
    with two_appliers(services) as addresses, fleet(services, kube, 3, applier=addresses) as watchers:
        mark = audit.mark()
        with load(here, 10, 300) as names:
            eventually(lambda: len(burst.creations(audit, mark, here)) > 20, what="the burst is under way")
            paused, identity = watchers.watchers[0], watchers.identities()[0]
            led, before, begin = numbers(assignment(kube)["watchers"][identity]), epochs(kube), time.monotonic()
            paused.process.signal(signal.SIGSTOP)
            try:
                watchers.shared_by(2)
                assert all(epochs(kube)[bucket] > before[bucket] for bucket in led), "its plans are refused from now on"
                before_the_end = names[-1]
                here.is_ready(IRIS, before_the_end)
                time.sleep(max(0, begin + PAUSE - time.monotonic()))
            finally:
                paused.process.signal(signal.SIGCONT)
            watchers.shared_by(3)
            assert identity in watchers.identities().values(), "the same process takes part again"
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        assert written_without_a_change(here, audit, mark) == {}, "no watcher repeats what another one has done"
        assert any(record.get("msg") == "Lease lost" for record in paused.log_records())


def test_a_watcher_whose_connections_stand_still_loses_its_parents_and_takes_part_again(here, services, kube, audit, cluster, folder):
    network = threading.Event()

    def passed(value):
        network.wait()
        return value
    with ApiProxy(cluster.watcher_kubeconfig, folder.path) as proxy, fleet(services, kube, 2) as watchers:
        network.set()
        proxy.before = lambda method, path: passed(None)
        proxy.after = lambda method, path, status, body: passed((status, body))
        proxy.line = lambda path, line: passed([line])
        watchers.add(1, kubeconfig=proxy.kubeconfig)
        watchers.shared_by(3)
        mark = audit.mark()
        with load(here, 10, 200) as names:
            eventually(lambda: len(burst.creations(audit, mark, here)) > 20, what="the burst is under way")
            cut, identity = watchers.watchers[2], watchers.identities()[2]
            led, before = numbers(assignment(kube)["watchers"][identity]), epochs(kube)
            network.clear()
            try:
                watchers.shared_by(2)
                assert all(epochs(kube)[bucket] > before[bucket] for bucket in led), "its plans are refused from now on"
                before_the_end = names[-1]
                here.is_ready(IRIS, before_the_end)
            finally:
                network.set()
            watchers.shared_by(3)
        assert_nothing_lost_or_doubled(here, audit, mark, names)
        assert written_without_a_change(here, audit, mark) == {}, "no watcher repeats what another one has done"
        assert any(record.get("msg") == "Lease lost" for record in cut.log_records())


def test_lists_for_the_buckets_of_a_killed_watcher_stop_neither_other_buckets_nor_watches(here, services, kube, audit, cluster, folder):
    """The lists of the two watchers that are left do not end before the test allows it."""
    may_end, waiting, watches = threading.Event(), [], []  # watches: (time, path)
    may_end.set()

    def on_request(_, path):
        if "/leases" in path:
            return
        if "watch=1" in path:
            watches.append((time.monotonic(), path))
        elif "limit=" in path and not may_end.is_set():
            waiting.append(path)
            may_end.wait()
    with contextlib.ExitStack() as stack:
        proxy = stack.enter_context(ApiProxy(cluster.watcher_kubeconfig, folder.path))
        proxy.before = on_request
        watchers = stack.enter_context(fleet(services, kube, 3, kubeconfig=proxy.kubeconfig))
        mark = audit.mark()
        burst.create(here, MANY)
        burst.all_ready(here, MANY)
        lost = of_buckets(here, numbers(assignment(kube)["watchers"][watchers.identities()[2]]))
        kept = sorted(set(burst.names(MANY)) - set(lost))
        eventually(lambda: time.monotonic() - watches[-1][0] > SHORT_WATCH, what="the short watches of the start have ended")
        may_end.clear()
        watchers.watchers[2].kill()
        killed, opened = audit.mark(), len(watches)
        try:
            watchers.shared_by(2)
            eventually(lambda: sum("/irises?" in path for path in waiting) >= 2, what="both watchers list the parents of their new buckets")
            for name in (*lost, *kept):
                burst.wave(here, name, "changed")
            eventually(lambda: set(kept) <= set(burst.writes(audit, killed, here)), what="the parents of the other buckets are planned")
            assert not set(lost) & set(burst.writes(audit, killed, here)), "planned before the list has ended"
            assert watches[opened:] == []
        finally:
            may_end.set()
        assert_nothing_lost_or_doubled(here, audit, mark, burst.names(MANY))
        assert written_without_a_change(here, audit, mark) == {}, "no watcher repeats what another one has done"


def of_buckets(here, buckets):
    """Names of the parents of these buckets."""
    total = assignment(here.kube)["buckets"]
    return [item["metadata"]["name"] for item in here.kube.list(IRIS, here.name) if bucket_of(item["metadata"]["uid"], total) in buckets]
