# SPDX-License-Identifier: Apache-2.0
"""The way of one parent through the services, from the records of bench/socket_trace.cc."""

import collections

from bench.figures import median

Record = collections.namedtuple("Record", "at service thread direction remote size")
QUIET = 0.015  # seconds without the watcher receiving from the API server: a new parent begins
ACKNOWLEDGEMENT = 64  # bytes; gRPC acknowledges each message with fewer, and no message is so short

# The hops in order: service, direction, remote.
HOPS = (
    ("watcher receives the parent", "watcher", "in", "API server"), ("watcher sends to the planner", "watcher", "out", "planner"),
    ("planner receives", "planner", "in", "watcher"), ("planner sends the plan", "planner", "out", "watcher"),
    ("watcher receives the plan", "watcher", "in", "planner"), ("watcher sends to the applier", "watcher", "out", "applier"),
    ("applier receives", "applier", "in", "watcher"), ("applier sends the request", "applier", "out", "API server"))


def records(text, service, ports):
    """`ports`: {remote port: name}; the remote of what a planner or an applier accepted is the watcher. Without what
    gRPC sends of its own."""
    found = []
    for line in text.splitlines():
        at, thread, direction, port, size = line.split()
        record = Record(int(at) / 1e9, service, int(thread), direction, ports.get(int(port), "watcher"), int(size))
        if record.remote == "API server" or record.size > ACKNOWLEDGEMENT:
            found.append(record)
    return found


def parents(all_records):
    """The records of each parent, for parents that were created one by one with pauses."""
    found, last = [], None
    for record in sorted(all_records):
        arrival = (record.service, record.direction, record.remote) == HOPS[0][1:]
        if arrival and (last is None or record.at - last > QUIET):
            found.append([])
        if found:
            found[-1].append(record)
            last = record.at if arrival else last
    return found


def walk(one):
    """The first record of each hop after the hop before; None if one is missing."""
    path, rest = [], iter(one)
    for _, *hop in HOPS:
        record = next((r for r in rest if [r.service, r.direction, r.remote] == hop), None)
        if record is None:
            return None
        path.append(record)
    return path


def paths(all_records):
    """That of each parent whose path is complete."""
    return [path for one in parents(all_records) if (path := walk(one))]


def steps_of(path):
    """Microseconds since the hop before, of each hop."""
    return [(record.at - before.at) * 1e6 for before, record in zip([path[0], *path], path)]


def slowest(all_records, count):
    """The steps of the paths that took longest, as [microseconds of each hop]."""
    return sorted(map(steps_of, paths(all_records)), key=sum, reverse=True)[:count]


def hops(all_records):
    """[(hop, median microseconds since the hop before, median of the sum so far, threads)] and the number of
    parents."""
    paths_found = paths(all_records)
    rows = []
    for number, (name, *_) in enumerate(HOPS):
        steps = [steps_of(path)[number] for path in paths_found]
        sums = [(path[number].at - path[0].at) * 1e6 for path in paths_found]
        threads = len({path[number].thread for path in paths_found})
        rows.append((name, median(steps), median(sums), threads) if paths_found else (name, 0, 0, 0))
    return rows, len(paths_found)
