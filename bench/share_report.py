# SPDX-License-Identifier: Apache-2.0
"""The table of `./dev bench --watchers`."""

import functools
import operator

from bench.figures import median, reached, spread, table
from bench.report import heading

ALLOWED = 1.15  # times the share of what one watcher needs beyond its base


def flat(runs, count, key):
    """The figures of every watcher in every run."""
    return [value for run in runs for value in run[count][key]]


def row(runs, counts, name, key, digits=1):
    return [name, *(spread(flat(runs, count, key), digits) for count in counts)]


def wanted(runs, counts, memory):
    """The most that a watcher may need of this memory: what as many watchers need without parents + 1.15 × its
    share."""
    before = {count: median(flat(runs, count, f"{memory} before MiB")) for count in counts}
    added = median(flat(runs, 1, f"{memory} MiB")) - before[1]
    bounds = {count: before[count] + ALLOWED * added / count for count in counts if count > 1}
    return [f"{memory} wanted: {memory} before the first parent + {ALLOWED} × {added:.1f} ÷ watchers",
            *(reached(max(flat(runs, count, f"{memory} MiB")) <= bounds[count], f"≤ {bounds[count]:.1f}") if count in bounds else "–" for count in counts)]


def memory_rows(runs, counts, memory):
    return [row(runs, counts, f"{memory}, MiB", f"{memory} MiB"),
            row(runs, counts, f"{memory} before the first parent, MiB", f"{memory} before MiB"),
            wanted(runs, counts, memory)]


def single(runs, counts, name, key, digits=1):
    return [name, *(spread([run[count][key] for run in runs], digits) for count in counts)]


def stops(runs, counts, name, key, stop="stop"):
    return [name, *(spread([run[count][stop][key] for run in runs], 2) if stop in runs[0][count] else "–" for count in counts)]


def shares_table(runs, counts, options):
    return table([f"{options.parents:,} parents, {options.foreign_pods:,} Pods of others; each watcher", *(f"{count}" for count in counts)], [
        row(runs, counts, "parents", "keys", 0),
        *memory_rows(runs, counts, "RSS"),
        *memory_rows(runs, counts, "anonymous memory"),
        row(runs, counts, "PSS, MiB", "PSS MiB"),
        row(runs, counts, "CPU when idle, ms per second", "idle CPU ms/s", 2),
        single(runs, counts, "Lease writes when idle, per minute", "Lease writes per minute"),
        single(runs, counts, "other requests when idle, per minute", "other requests per minute"),
        row(runs, counts, "CPU while parents change, µs per change of any parent", "CPU of a change µs", 0),
        row(runs, counts, "CPU for new parents, µs per new parent", "CPU of a new parent µs", 0),
        row(runs, counts, "CPU while Pods of others appear, µs per Pod", "CPU of a foreign event µs", 0),
        row(runs, counts, "CPU for Pods of others whose events arrive at once, µs per Pod", "CPU of foreign events at once µs", 0),
        single(runs, counts, "start of all until they hold equal shares, s", "shared s", 2),
        stops(runs, counts, "SIGTERM to one until the others hold its buckets, s (wanted: 2)", "shared s"),
        stops(runs, counts, "… until half of its changed parents are planned and written, s", "median s"),
        stops(runs, counts, "… until all of its changed parents are planned and written, s (wanted: 2)", "last s"),
        stops(runs, counts, "SIGTERM to all of these but one until it holds all buckets, s", "shared s", "stop of others"),
        stops(runs, counts, "… until all of their changed parents are planned and written, s (wanted: 2)", "last s", "stop of others")])


def moves_table(runs, options):
    def of(name, *keys):
        return [name, spread([functools.reduce(operator.getitem, keys, run) for run in runs], 2)]
    planned, most = "of its changed parents are planned and written", options.most_watchers
    selects = ", selected by the API server" if options.select else ""
    return table([f"buckets move, {options.moved_parents:,} parents{selects}", "s"], [
        of("one watcher, start of three more until each has its fair share of the parents within 20 % (wanted: 30)", "from one to four s"),
        of("four watchers, SIGTERM to one until the others hold its buckets (wanted: 2)", "stop", "shared s"),
        of(f"… until half {planned}", "stop", "median s"),
        of(f"… until all {planned} (wanted: 2)", "stop", "last s"),
        of("three watchers, `kill -9` of one until the others hold its buckets (wanted: 15)", "crash", "shared s"),
        of(f"… until half {planned}", "crash", "median s"),
        of(f"… until all {planned}", "crash", "last s"),
        of(f"two watchers, start of {most - 2} more until each has its fair share of the parents within 20 % (wanted: 30)", "from two to most s"),
        of(f"SIGTERM to all but one of {most} watchers until it holds all buckets", "stop of others", "shared s"),
        of("… until all of their changed parents are planned and written (wanted: 2)", "stop of others", "last s")])


def capacity_table(runs, options):
    if any(seconds is None for run in runs for seconds in run.values()):
        return "The machine cannot limit the CPU time of a process, so the capacity was not measured."
    times = {count: [run[count] for run in runs] for count in runs[0]}
    limit = f"{1000 * options.cpu_limit:g} ms of CPU per second for each watcher"
    return table([f"{options.limited_parents:,} new parents, {limit}; watchers", *(f"{count}" for count in times)], [
        ["until all children and statuses exist, s", *(spread(seconds) for seconds in times.values())],
        ["new parents per second", *(spread([options.limited_parents / each for each in seconds], 0) for seconds in times.values())],
        ["times the capacity of one watcher", *(spread([one / each for one, each in zip(times[1], seconds)]) for seconds in times.values())]])


def markdown(figures, counts, options, measured):
    parts = [heading(options.runs, measured)]
    if figures["shares"]:
        parts.append(shares_table(figures["shares"], counts, options))
    if figures["capacity"]:
        parts.append(capacity_table(figures["capacity"], options))
    if figures["moves"]:
        parts.append(moves_table(figures["moves"], options))
    return "\n\n".join(parts)
