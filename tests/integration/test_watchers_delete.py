# SPDX-License-Identifier: Apache-2.0
"""Several watchers come and go while parents shrink and parents are deleted: each Pod is deleted once, and no other
Pod."""

import collections

import pytest

import burst
from parents import POD_SET, parent
from shared_load import fleet
from support.audit import APPLIER
from support.eventually import eventually
from support.quiescence import assert_quiescent, wait_for_quiescence
from support.services import stop_together

LAG, LEAST = 12, 90
BUDGET, INTERVAL = 12, 6  # deletions of parents in so many seconds
LATE = 3  # seconds; a busy machine may send the first of several requests later


def pods_of(names, ordinals):
    return {f"{name}-pod-{ordinal}" for name in names for ordinal in ordinals}


def deletions(audit, mark, here):
    """{name of a Pod: how often the applier deleted it}."""
    return collections.Counter(entry.name for entry in audit.writes(mark, APPLIER)
                               if (entry.verb, entry.resource, entry.ns, entry.code) == ("delete", "pods", here.name, 200))


def test_pod_sets_shrink_and_go_while_watchers_come_and_go(here, services, kube, audit):
    names = []

    def shrink(name):
        """Every third parent is deleted instead."""
        if names.index(name) % 3 == 2:
            here.delete(POD_SET, name)
        else:
            here.change(POD_SET, name, {"replicas": 1})

    def work(name):
        here.create(parent(POD_SET, name, replicas=3))
        names.append(name)
        if len(names) > LAG:
            shrink(names[-LAG - 1])
    with fleet(services, kube, 1) as watchers:
        mark = audit.mark()
        with burst.paced(work, burst.endless_names("set"), 10, LEAST):
            eventually(lambda: deletions(audit, mark, here), what="the first Pods are deleted")
            watchers.add(2)
            watchers.shared_by(3)
            begun = len(names)
            eventually(lambda: len(names) > begun + LAG, what="three watchers work")
            stop_together(watchers.watchers[:2])
            watchers.shared_by(1)
        for name in names[-LAG:]:
            shrink(name)
        kept = [name for number, name in enumerate(names) if number % 3 != 2]
        eventually(lambda: here.names("pods") == sorted(pods_of(kept, [0])), 120, what="one Pod of each parent is left")
        wait_for_quiescence(audit)

        created, deleted = burst.creations(audit, mark, here, "pods"), deletions(audit, mark, here)
        assert set(created.values()) == {1} and pods_of(kept, range(3)) <= set(created) <= pods_of(names, range(3))
        assert set(deleted.values()) == {1} and set(deleted) & pods_of(kept, range(3)) == pods_of(kept, [1, 2])
        assert_quiescent(audit, 5)


def one_stops(watchers):
    stop_together(watchers.watchers[:1])
    watchers.shared_by(2)


def one_is_killed(watchers):
    watchers.watchers[0].kill()
    watchers.shared_by(2)


def another_comes(watchers):
    watchers.add(1)
    watchers.shared_by(4)


@pytest.mark.parametrize("change", [one_stops, one_is_killed, another_comes])
def test_the_deletion_budget_is_that_of_all_watchers_while(change, here, services, kube, audit):
    names = [f"set-{number:02}" for number in range(3 * BUDGET)]
    with fleet(services, kube, 3, "--deletion-budget", str(BUDGET), "--deletion-interval", f"{INTERVAL}s") as watchers:
        burst.in_parallel(lambda name: here.create(parent(POD_SET, name, replicas=2)), names)
        for name in names:
            here.is_ready(POD_SET, name)
        mark = audit.mark()
        burst.in_parallel(lambda name: here.change(POD_SET, name, {"replicas": 1}), names[:2 * BUDGET])
        eventually(lambda: deletions(audit, mark, here), what="the first Pods are deleted")
        change(watchers)
        burst.in_parallel(lambda name: here.change(POD_SET, name, {"replicas": 1}), names[2 * BUDGET:])
        eventually(lambda: here.names("pods") == sorted(pods_of(names, [0])), 120, what="the deletions go on")
        times = sorted(entry.received_at for entry in audit.writes(mark, APPLIER)
                       if (entry.verb, entry.resource, entry.ns) == ("delete", "pods", here.name))
        least = (len(names) / BUDGET - 1) * INTERVAL - 1  # with a budget for each watcher, two thirds would be deleted at once
        assert len(times) == len(names) and (times[-1] - times[0]).total_seconds() >= least, times
        apart = [(later - earlier).total_seconds() for earlier, later in zip(times, times[BUDGET:])]
        assert min(apart) >= INTERVAL - LATE, f"more than {BUDGET} deletions in {INTERVAL} s: {times}"
