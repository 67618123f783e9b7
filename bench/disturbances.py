# SPDX-License-Identifier: Apache-2.0
"""What the built-in Iris notices of hooks that hang and of declarations that come and go."""

import concurrent.futures
import time

from bench import audit_times, burst, calm
from bench.cluster import NS, fresh
from bench.figures import in_turn
from bench.hooked import Beside
from support import hooks
from support.eventually import eventually

FOREVER_MS = 3600_000
ALIVE = 10  # declarations at a time
ROUNDS = 2  # alone and beside, in turns
SECONDS_PER_PARENT = 0.09  # that is created and changed once


def hanging(options, run):
    """{"alone" | "beside": figures} of Irises, each on a cluster of its own."""
    orders = (("alone", lone), ("beside", beside_hanging))
    return {name: function(options) for name, function in in_turn(run, orders)}


def lone(options):
    with fresh() as cluster:
        return irises(cluster, Beside(cluster).start(), options)


def beside_hanging(options):
    with fresh() as cluster:
        xebec, kube = Beside(cluster, delay_ms=FOREVER_MS).start().declare("pages"), cluster.client()
        for index in range(options.hanging_parents):
            kube.create(hooks.page(f"page-{index}") | {"metadata": {"name": f"page-{index}", "namespace": NS}})
        eventually(lambda: xebec.gateway.metric("xebec_hook_calls_total", result="timeout") > 0, what="calls of the hook time out")
        return irises(cluster, xebec, options)


def irises(cluster, xebec, options):
    """Latencies, then a burst."""
    figures = calm.percentiles(cluster.load("latency", options.beside_parents, prefix="calm"))
    cluster.wait_quiet()
    count, mark = options.hanging_parents, cluster.mark()
    cluster.load("parents", count)
    requests = cluster.wait_quiet(mark, lambda requests: len(audit_times.converged(requests, xebec.users)) == count)
    figures |= burst.span(requests, xebec.users)
    xebec.stop()
    return figures


def declarations(options):
    """{"alone" | "beside": latencies} of Irises on one cluster."""
    seen = {"alone": {}, "beside": {}}
    with fresh() as cluster, concurrent.futures.ThreadPoolExecutor(1) as pool:
        xebec = Beside(cluster).start()
        each = options.declarations // ROUNDS
        pause = SECONDS_PER_PARENT * options.beside_parents / (each + ALIVE)
        for number in range(ROUNDS):
            merge(seen["alone"], cluster.load("latency", options.beside_parents, prefix=f"alone-{number}"))
            traffic = pool.submit(come_and_go, cluster.client(), xebec.hook.address, f"guest-{number}", each, pause)
            merge(seen["beside"], cluster.load("latency", options.beside_parents, prefix=f"beside-{number}"))
            traffic.result()
        xebec.stop()
    return {name: calm.percentiles(lists) for name, lists in seen.items()}


def come_and_go(kube, address, prefix, count, pause):
    """Creates so many declarations and deletes each of them a little later. They share a parent, so none of them has
    its status."""
    for index in range(count + ALIVE):
        time.sleep(pause)
        if index < count:
            kube.create(hooks.operator(f"{prefix}-{index}", address, status=False))
        if index >= ALIVE:
            kube.delete(hooks.OPERATORS, f"{prefix}-{index - ALIVE}")


def merge(lists, more):
    for key, values in more.items():
        if isinstance(values, list):
            lists.setdefault(key, []).extend(values)
