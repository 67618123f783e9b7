# SPDX-License-Identifier: Apache-2.0
"""The table of Xebec beside the peer: medians, the ratio of each run, and what is wanted."""

import collections

from bench.figures import median, ratios, reached, spread, table

# Resident memory in MiB that is wanted, by the number of parents.
RSS_WANTED = {1000: 60, 5000: 75, 10000: 95}
RSS_WANTED_WITH_FOREIGN_PODS = 65
FLAT = 1.1  # at most this much more for each parent with the most parents than with the fewest

# `ours`, `theirs`, `untuned`: a figure of each run. `ratio`: wanted at most, of the peer's figure; `most`: wanted at
# most.
Row = collections.namedtuple("Row", "name ours theirs untuned digits ratio most", defaults=(None, None))


def of(contenders, name, *keys):
    """That figure of each run that has it."""
    found = []
    for run in contenders.get(name, []):
        for key in keys:
            run = run.get(key) if isinstance(run, dict) else None
        if run is not None:
            found.append(run)
    return found


def row(name, contenders, *keys, digits=1, ratio=None, most=None):
    return Row(name, *(of(contenders, who, *keys) for who in ("xebec", "peer", "untuned")), digits, ratio, most)


def load_rows(loads):
    rows = [row(f"{count:,} new parents until all children and statuses exist, s", who, "seconds", ratio=0.85) for count, who in loads.items()]
    rows += [row(f"{count:,} new parents until all events exist, too, s", who, "seconds with events") for count, who in loads.items()]
    rows += [row(f"CPU of the API server for {count:,}, s", who, "CPU of the API server s", ratio=0.9) for count, who in loads.items()]
    rows += [row(f"CPU of etcd for {count:,}, s", who, "CPU of the etcd s") for count, who in loads.items()]
    rows += [row(f"own CPU for {count:,}, s", who, "own CPU s", ratio=0.7) for count, who in loads.items()]
    rows += [row(f"resident memory (RSS) with {count:,} parents, MiB", who, "RSS MiB", digits=0, most=RSS_WANTED.get(count)) for count, who in loads.items()]
    rows += [row(f"proportional memory (PSS) with {count:,} parents, MiB", who, "PSS MiB", digits=0) for count, who in loads.items()]
    return rows


def latency_rows(contenders):
    titles = (("parent created → child seen on a watch", "created"), ("parent changed → change of the child seen", "changed"))
    return [row(f"{title}, {share} ms", contenders, f"{key} {share} ms", ratio=wanted)
            for title, key in titles for share, wanted in (("p50", 1.1), ("p99", 1.0))]


def fewest(loads):
    """The contenders with the fewest parents: restarts are measured there."""
    return loads[min(loads)] if loads else {}


def rows_of(figures):
    loads, foreign = figures["loads"], figures["foreign"]
    first = fewest(loads)
    pods = figures["foreign pods"]
    return [
        *load_rows(loads), *latency_rows(figures["latency"]),
        row("own CPU for each creation or change at low load, ms", figures["latency"], "own CPU per write of a user ms", digits=2),
        row(f"RSS with {min(loads, default=0):,} parents beside {pods:,} Pods of others that are watched, MiB", foreign, "RSS MiB", digits=0,
            most=RSS_WANTED_WITH_FOREIGN_PODS),
        row("`kill -9` of everything, then a new parent: its child after, s", first, "kill all s", digits=2, most=1),
        row("unnecessary 409s during quick updates", figures["latency"], "conflicts", digits=0, most=0),
        row("writes of the status while a Deployment starts three Pods", figures["latency"], "status writes during a rollout"),
        row("idle: writes, without Leases", first, "rest", "writes", digits=0, most=0), row("idle: reads, without Leases", first, "rest", "reads", digits=0, most=0)]


def cell(values, digits):
    return spread(values, digits) if values else "–"


def line(one):
    shares = ratios(one.ours, one.theirs)
    wanted, verdict = "–", "–"
    if one.ratio is not None:
        wanted = f"≤ {one.ratio:.2f} × peer"
        verdict = reached(median(shares) <= one.ratio, f"{median(shares):.2f}") if shares else "–"
    elif one.most is not None:
        wanted = f"≤ {one.most:g}"
        verdict = reached(median(one.ours) <= one.most, cell([median(one.ours)], one.digits)) if one.ours else "–"
    return [one.name, *(cell(values, one.digits) for values in (one.ours, one.theirs, one.untuned)), cell(shares, 2), wanted, verdict]


def growth_line(name, loads, key):
    """Medians with each number of parents; flat is wanted."""
    def medians(who):
        return [median(values) for contenders in loads.values() if (values := of(contenders, who, key))]
    texts = [" / ".join(f"{value:.2f}" for value in medians(who)) or "–" for who in ("xebec", "peer", "untuned")]
    ours = medians("xebec")
    verdict = reached(ours[-1] <= FLAT * ours[0], f"{ours[-1] / ours[0]:.2f}") if len(ours) > 1 else "–"
    return [name, *texts, "–", "flat", verdict]


def peer_table(figures):
    lines = [line(one) for one in rows_of(figures)]
    at = " / ".join(f"{count:,}" for count in figures["loads"])
    lines += [growth_line(f"own CPU per parent with {at}, ms", figures["loads"], "own CPU per parent ms"),
              growth_line(f"CPU of the API server per parent with {at}, ms", figures["loads"], "CPU of the API server per parent ms")]
    return table(["", "Xebec", "peer", "peer, defaults", "Xebec ÷ peer", "wanted", "reached"], lines)


def speed_table(figures):
    """The frameworks beside each other, with the fewest parents."""
    names = (("xebec", "Xebec"), ("peer", "controller-runtime, 16 workers"), ("untuned", "controller-runtime, kubebuilder's defaults"), ("kopf", "Kopf"))
    keys = (("seconds", 1), ("CPU of the API server per parent ms", 1), ("own CPU per parent ms", 1), ("requests per parent", 2), ("RSS MiB", 0))
    contenders = fewest(figures["loads"])
    rows = [[title, *(cell(of(contenders, name, key), digits) for key, digits in keys)] for name, title in names if name in contenders]
    head = f"{min(figures['loads']):,} new parents"
    return table([head, "s until all have child and status", "CPU of the API server per parent, ms", "own CPU per parent, ms", "requests per parent",
                  "RSS, MiB"], rows)
