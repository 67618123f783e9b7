# SPDX-License-Identifier: Apache-2.0
"""How long buckets need to move: watchers are added, stop in order, and crash."""

import concurrent.futures
import itertools
import signal
import time

from bench import audit_times
from bench.cluster import NS, fresh
from bench.watcher_fleet import Fleet, parents_of

CHANGED_AT_ONCE = 50  # parents of watchers that end
FAIR_WITHIN = 30  # seconds
_replicas = itertools.count(100)


def measure(parents, most, kind):
    """One watcher becomes four, one of which stops. Another one crashes. The two that are left become `most`, of which
    all but one stop. `kind`: of the control plane."""
    with fresh(kind) as cluster:
        fleet = Fleet(cluster)
        fleet.start(1)
        fleet.converge(parents)
        figures = {"from one to four s": grow(fleet, 4), "stop": end(cluster, fleet), "crash": end(cluster, fleet, how=signal.SIGKILL)}
        figures |= {"from two to most s": grow(fleet, most), "stop of others": end(cluster, fleet, most - 1)}
        fleet.end()
        return figures


def grow(fleet, count):
    """Seconds from the start of more watchers until there are so many and each has its fair share of the keys within
    20 %. Few parents never have: the UID of a parent determines its bucket."""
    begin = time.monotonic()
    fleet.add(count - len(fleet.watchers))
    while not (fleet.is_shared() and is_fair(fleet.keys())):
        if time.monotonic() - begin > FAIR_WITHIN:
            raise SystemExit(f"after {FAIR_WITHIN} s, the watchers have {fleet.bucket_shares()} buckets and {fleet.keys()} parents; "
                             "with few parents, shares are never fair: --moved-parents")
        time.sleep(0.1)
    return time.monotonic() - begin


def is_fair(keys):
    return sum(keys) and all(abs(each * len(keys) / sum(keys) - 1) <= 0.2 for each in keys)


def end(cluster, fleet, leaving=1, how=signal.SIGTERM):
    """So many watchers get the signal, and some of their parents are changed at the same time: seconds until the first,
    half and the last of them have been planned and written, by these watchers or others, and until the others hold all
    buckets."""
    leavers, kube, mark = [fleet.watchers.pop() for _ in range(leaving)], cluster.client(), cluster.mark()
    names = [name for leaver in leavers for name in parents_of(leaver)[:CHANGED_AT_ONCE // leaving]]
    buckets = fleet.bucket_shares()
    begin = time.time()
    for leaver in leavers:
        leaver.process.signal(how)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        changes = pool.map(lambda name: kube.patch("irises.example.com", name, NS, {"spec": {"replicas": next(_replicas)}}), names)
        fleet.wait_shared()
        shared = time.time() - begin
        list(changes)
    for leaver in leavers:
        leaver.process.end_within(30)

    def written(requests):
        first = audit_times.first_writes(requests, {audit_times.APPLIER}, audit_times.CHILD)
        return names and all(name in first for name in names) and first
    first = written(cluster.wait_quiet(mark, written))
    seconds = sorted(first[name].answered - begin for name in names)
    return {"buckets": max(buckets.values()), "shared s": shared, "first s": seconds[0], "median s": seconds[len(seconds) // 2], "last s": seconds[-1]}
