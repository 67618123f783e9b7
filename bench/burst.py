# SPDX-License-Identifier: Apache-2.0
"""Many new parents at once, until each has its child and its status."""

import collections
import time

from bench import audit_times, procfs
from bench.cluster import NS, fresh
from bench.contenders import usages

FOREIGN_NS = "foreign"
LOOP_IN_FLIGHT = 256  # parents of a bare loop; as many as the applier has requests in flight at most
IDLE_AFTER = 15  # seconds; an idle process returns memory to the system


def measure(make, count, foreign_pods=0, afterwards=lambda cluster, contender: {}):
    """`make`: makes the contender on a cluster. `afterwards`: measures more on the same cluster and returns figures."""
    with fresh() as cluster:
        if foreign_pods:
            create_foreign_pods(cluster, foreign_pods)
        contender = (make(cluster, watch_pods=True) if foreign_pods else make(cluster)).start()
        before, cpu_before, mark = usages(contender), cluster.cpu(), cluster.mark()
        cluster.load("parents", count)
        requests = cluster.wait_quiet(mark, lambda requests: len(audit_times.converged(requests, contender.users)) == count and not contender.waiting())
        after, cpu_after = usages(contender), cluster.cpu()
        after = with_idle_memory(after, contender)
        check_converged(cluster, count)
        figures = span(requests, contender.users)
        figures["requests per parent"] = len(audit_times.asked(requests, contender.users)) / count
        figures["watches"] = sorted({r.uri.partition("?")[0]: r.uri for r in cluster.requests() if r.user in contender.users and r.verb == "watch"
                                     and r.resource != "leases"}.values())
        figures["services"] = {name: growth(before[name], after[name], count) for name in after}
        figures |= costs(list(before.values()), list(after.values()), cpu_before, cpu_after, count)
        figures |= afterwards(cluster, contender)
        contender.stop()
        return figures


def with_idle_memory(used, contender):
    """The CPU that was used, and the memory when the processes have been idle for a while: until then, it depends on
    the moment."""
    time.sleep(IDLE_AFTER)
    now = usages(contender)
    return {name: now[name]._replace(cpu=usage.cpu) for name, usage in used.items()}


def create_foreign_pods(cluster, count):
    cluster.client().create_namespace(FOREIGN_NS)
    kube = cluster.client()
    while kube.get("serviceaccounts", "default", FOREIGN_NS) is None:
        pass
    cluster.load("pods", count, namespace=FOREIGN_NS, in_flight=8)


def span(requests, users):
    """From the arrival of the first parent to the answer to the last first write of a child or a status, and of an
    event."""
    parents = audit_times.parents_created(requests)
    begin, end = min(r.received for r in parents.values()), max(audit_times.converged(requests, users).values())
    writes = sum(r.write and r.user in users | {audit_times.LOADER} and r.answered <= end for r in requests)
    return {"seconds": end - begin, "seconds with events": max(end, audit_times.last_event(requests, users)) - begin,
            "writes per second": writes / (end - begin)}


def costs(before, after, cpu_before, cpu_after, count):
    """CPU from the start of the load until all is quiet, and memory at the end."""
    base, own = procfs.total(before), procfs.total(after)
    used = {f"CPU of the {name} s": cpu_after[name] - cpu_before[name] for name in cpu_after}
    return used | {"own CPU s": own.cpu - base.cpu, "own CPU per parent ms": (own.cpu - base.cpu) * 1000 / count,
                   "CPU of the API server per parent ms": used["CPU of the API server s"] * 1000 / count,
                   "RSS MiB": own.rss / procfs.MIB, "PSS MiB": own.pss / procfs.MIB, "base PSS MiB": base.pss / procfs.MIB}


def growth(before, after, parents):
    """Of one process."""
    return {"base PSS MiB": before.pss / procfs.MIB, "PSS MiB": after.pss / procfs.MIB,
            "base RSS MiB": before.rss / procfs.MIB, "RSS MiB": after.rss / procfs.MIB,
            "KiB per parent": (after.pss - before.pss) / 1024 / parents, "CPU ms per parent": (after.cpu - before.cpu) * 1000 / parents}


def check_converged(cluster, count):
    kube = cluster.client()
    irises = kube.list("irises.example.com", NS)
    if len(irises) != count or len(kube.list("deployments.apps", NS)) != count:
        raise SystemExit("not every Iris has its Deployment")
    behind = [i["metadata"]["name"] for i in irises if i.get("status", {}).get("observedGeneration") != i["metadata"]["generation"]]
    if behind:
        raise SystemExit(f"{len(behind)} Irises without a status, e.g. {behind[0]}")


def loop(mode, count, watches):
    """The bare loop: one process that creates the parents and sends what they need, with the same watches open. It
    neither watches nor remembers. `mode`: "bare" (Xebec's requests), "cheapest", or "numbers" (the cheapest, with a
    status of two numbers)."""
    with fresh() as cluster:
        cpu_before, mark, own_before = cluster.cpu(), cluster.mark(), procfs.cpu_of_children()
        cluster.load(mode, count, prefix="bare", watch=watches, in_flight=LOOP_IN_FLIGHT)
        cpu_after, requests, own = cluster.cpu(), cluster.requests(mark), procfs.cpu_of_children() - own_before
    check_loop(requests, count)
    figures = span(requests, {audit_times.LOADER})
    used = {"own CPU": own, "CPU of the API server": cpu_after["API server"] - cpu_before["API server"]}
    return figures | {f"{name} per parent ms": seconds * 1000 / count for name, seconds in used.items()}


def check_loop(requests, count):
    """A loop that omitted something, or failed, would measure nothing: each write once for each parent, and
    accepted."""
    sent = collections.Counter(r.what() for r in requests if r.write and r.user == audit_times.LOADER and r.code < 300)
    wanted = dict.fromkeys([("irises", ""), audit_times.CHILD, audit_times.STATUS, audit_times.EVENT], count)
    if any(sent[what] != number for what, number in wanted.items()):
        raise SystemExit(f"the bare loop sent {dict(sent)}, not {wanted}")
