# SPDX-License-Identifier: Apache-2.0
"""One parent at a time: latencies, conflicts under quick updates, and writes of the status during a rollout."""

from bench import audit_times, procfs, rollouts
from bench.cluster import fresh
from bench.contenders import usages
from bench.figures import percentile

UPDATED_PARENTS, UPDATES_IN_FLIGHT = 10, 2
ROLLOUT = "status writes during a rollout"
SHARES = (0.5, 0.9, 0.99)
KINDS, HOPS = ("new", "changed"), ("before", "write")
WRITES = 2  # of the user for each parent: it is created and changed


def measure(make, parents, updates):
    with fresh() as cluster:
        contender = make(cluster).start()
        before, mark = usages(contender), cluster.mark()
        seen = cluster.load("latency", parents, prefix="calm")
        figures = percentiles(seen) | {"own CPU per write of a user ms": own_cpu(before, usages(contender)) * 1000 / (parents * WRITES)}
        requests = cluster.wait_quiet(mark, lambda requests: not contender.waiting())
        figures |= first_writes(requests, contender.users, parents) | hops(requests, contender.users)
        if updates:
            figures["conflicts"] = conflicts(cluster, contender, min(parents, UPDATED_PARENTS), updates)
        figures[ROLLOUT] = rollouts.status_writes(cluster, contender)
        contender.stop()
        return figures


def own_cpu(before, after):
    return procfs.total(after.values()).cpu - procfs.total(before.values()).cpu


def percentiles(seen):
    """Of the latencies that the load program prints."""
    return {f"{name} p{share * 100:.0f} ms": percentile(seen[f"{name} ms"], share) for name in ("created", "changed") for share in SHARES}


def first_writes(requests, users, parents):
    """At the API server: from the answer to the creation of a parent to the arrival of the first write for it; and the
    whole, from the arrival of the creation to the answer to that write."""
    created, first = audit_times.parents_created(requests), audit_times.first_writes(requests, users, audit_times.CHILD)
    if created.keys() - first.keys() or len(created) != parents:
        raise SystemExit(f"{len(first)} of {parents} parents got a Deployment")
    between = [(first[name].received - created[name].answered) * 1000 for name in created]
    whole = [(first[name].answered - created[name].received) * 1000 for name in created]
    return {f"{name}p{share * 100:.0f} ms": percentile(delays, share) for name, delays in (("", between), ("whole ", whole)) for share in SHARES}


def hops(requests, users):
    """Where the time of a new and of a changed parent goes: from the answer to the user to the arrival of the write of
    the child ("before"), and until the answer to that write ("write")."""
    found = {}
    for kind, asked in zip(KINDS, (audit_times.parents_created(requests), audit_times.parents_changed(requests))):
        writes = {name: audit_times.child_write_after(requests, users, name, request.received) for name, request in asked.items()}
        delays = {"before": [write.received - asked[name].answered for name, write in writes.items()],
                  "write": [write.answered - write.received for write in writes.values()]}
        found |= {f"{kind}: {hop} p{share * 100:.0f} ms": percentile(delays[hop], share) * 1000 for hop in HOPS for share in SHARES if writes}
    return found


def conflicts(cluster, contender, parents, updates):
    """Conflicts of the contender with itself, while a user changes a few parents quickly."""
    mark = cluster.mark()
    cluster.load("updates", updates, prefix="calm", parents=parents, in_flight=UPDATES_IN_FLIGHT)
    return audit_times.conflicts(cluster.wait_quiet(mark, lambda requests: not contender.waiting()), contender.users)
