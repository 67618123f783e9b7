# SPDX-License-Identifier: Apache-2.0
"""Watchers that share the parents: memory, CPU and requests of each, their capacity, and how long buckets need to move.
`./dev bench --watchers`."""

import argparse
import time

from bench import audit_times, capacity, procfs, share_report, watcher_moves
from bench.burst import FOREIGN_NS, create_foreign_pods
from bench.cluster import fresh
from bench.report import PAGE, commit, save, write
from bench.watcher_fleet import Fleet
from support.controlplane import ControlPlane, SelectingControlPlane
from support.progress import say, step

AT_ONCE = 1000  # new parents, and Pods whose events wait for stopped watchers: fewer bytes than a connection holds


def measure(options):
    """{number of watchers: {...}} on one cluster."""
    with fresh() as cluster:
        fleet = Fleet(cluster)
        create_foreign_pods(cluster, options.foreign_pods)
        figures = {count: size_before_parents(fleet, count, options) for count in options.watchers}
        fleet.start(1)
        fleet.converge(options.parents)
        for count in options.watchers:  # with the same objects: those that churn creates stay
            fleet.stop()
            figures[count] |= {"shared s": fleet.start(count)} | steady(cluster, fleet, options)
        for count in options.watchers:
            fleet.stop()
            fleet.start(count)
            figures[count] |= churn(cluster, fleet, options)
            if count > 1:
                figures[count]["stop"] = watcher_moves.end(cluster, fleet)
            if count > 2:
                figures[count]["stop of others"] = watcher_moves.end(cluster, fleet, count - 2)
        fleet.end()
        return figures


def moves(options):
    return watcher_moves.measure(options.moved_parents, options.most_watchers, control_plane(options))


def control_plane(options):
    return SelectingControlPlane if options.select else ControlPlane


def capacities(options):
    """{number of watchers: seconds} if the CPU time of each watcher is limited."""
    counts = options.watchers if options.only else range(1, max(options.watchers) + 1)
    return {count: capacity.measure(count, options.limited_parents, options.cpu_limit, control_plane(options)) for count in counts}


def size_before_parents(fleet, count, options):
    fleet.start(count)
    time.sleep(options.calm_seconds)
    figures = size(fleet.usages(), " before")
    fleet.stop()
    return figures


def size(usages, when=""):
    """Of each watcher."""
    memory = {"RSS": "rss", "PSS": "pss", "anonymous memory": "anonymous"}
    return {f"{name}{when} MiB": [getattr(usage, key) / procfs.MIB for usage in usages] for name, key in memory.items()}


def steady(cluster, fleet, options):
    """Idle watchers: memory and keys of each, CPU of each, their requests."""
    time.sleep(options.calm_seconds)
    mark, before = cluster.mark(), fleet.usages()
    time.sleep(options.idle_seconds)
    after, requests = fleet.usages(), [r for r in cluster.requests(mark) if r.user == audit_times.WATCHER]
    leases = sum(r.resource == "leases" and r.verb in audit_times.WRITES for r in requests)
    per_minute = 60 / options.idle_seconds / len(fleet.watchers)
    return size(after) | {"keys": fleet.keys(), "idle CPU ms/s": of_each(before, after, 1000 / options.idle_seconds),
                          "Lease writes per minute": leases * per_minute, "other requests per minute": (len(requests) - leases) * per_minute}


def of_each(before, after, factor):
    """CPU time of each watcher, times the factor."""
    return [(now.cpu - then.cpu) * factor for then, now in zip(before, after)]


def churn(cluster, fleet, options):
    """The CPU of each watcher for each change of a parent, each new parent and each new Pod of others: one by one, and
    many at once."""
    def used(work, count):
        before = fleet.usages()
        work()
        cluster.wait_quiet()
        return of_each(before, fleet.usages(), 1e6 / count)
    parents, changes = options.parents // 2, options.parents  # each changes twice, so that each change changes something
    prefix = f"churn-{len(fleet.watchers)}"

    def new_pods(count, in_flight, kind):
        cluster.load("pods", count, namespace=FOREIGN_NS, prefix=f"{prefix}-{kind}", in_flight=in_flight)

    def new_pods_at_once():
        with fleet.paused():
            new_pods(AT_ONCE, 32, "once")
    return {"CPU of a change µs": used(lambda: cluster.load("updates", changes, parents=parents), changes),
            "CPU of a new parent µs": used(lambda: cluster.load("parents", AT_ONCE, prefix=prefix), AT_ONCE),
            "CPU of a foreign event µs": used(lambda: new_pods(options.new_pods, 8, "each"), options.new_pods),
            "CPU of foreign events at once µs": used(new_pods_at_once, AT_ONCE)}


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --watchers", description=__doc__)
    parser.add_argument("--counts", default="1,2,4", help="numbers of watchers, comma-separated; 1 is one of them; without --only, the capacity is measured for all numbers up to the largest")
    parser.add_argument("--parents", type=int, default=5000)
    parser.add_argument("--foreign-pods", type=int, default=20000, help="Pods of others in the cluster")
    parser.add_argument("--new-pods", type=int, default=5000, help="Pods of others that are created while CPU is measured")
    parser.add_argument("--moved-parents", type=int, default=5000, help="parents while buckets move")
    parser.add_argument("--most-watchers", type=int, default=16, help="the most watchers while buckets move, from 5 to 16")
    parser.add_argument("--limited-parents", type=int, default=2000, help="new parents for watchers whose CPU time is limited")
    parser.add_argument("--cpu-limit", type=float, default=0.015, help="the share of a CPU that each of them may use")
    parser.add_argument("--idle-seconds", type=int, default=60, help="seconds during which idle watchers are measured")
    parser.add_argument("--calm-seconds", type=int, default=15, help="seconds before memory and idle watchers are measured")
    parser.add_argument("--runs", type=int, default=2, help="how often each is measured")
    parser.add_argument("--select", action="store_true", help="the API server sends each watcher only its own parents; for --only capacity and moves")
    parser.add_argument("--only", choices=("shares", "moves", "capacity"), help="measures that alone and leaves the page as it is")
    parser.add_argument("--output", help="write the raw figures there as JSON")
    parser.add_argument("--dry-run", action="store_true", help="leaves the page as it is")
    options = parser.parse_args()
    if options.select and options.only not in ("capacity", "moves"):
        parser.error("--select needs --only capacity or --only moves")
    if not 5 <= options.most_watchers <= 16:
        parser.error("--most-watchers: from 5 to 16")
    options.watchers = [int(count) for count in options.counts.split(",")]
    return options


def main():
    options, measured = arguments(), commit()
    figures = {"shares": [], "moves": [], "capacity": []}
    for run in range(1, options.runs + 1):
        for name, scenario in (("capacity", capacities), ("moves", moves), ("shares", measure)):
            if options.only in (None, name):
                with step(f"run {run}: {name}"):
                    figures[name].append(scenario(options))
                save(figures, options.output)
    text = share_report.markdown(figures, options.watchers, options, measured)
    say(text)
    if not (options.dry_run or options.only):
        write(PAGE, text, "figures of watchers")


if __name__ == "__main__":
    main()
