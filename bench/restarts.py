# SPDX-License-Identifier: Apache-2.0
"""Idle parents, restarts, crashes and failovers. Each function measures on a cluster that has converged."""

import signal
import time

from bench import audit_times
from bench.cluster import create_iris
from bench.contenders import INSTANCE, wait_leading
from support.processes import free_port
from support.services import Service, arguments

LEASE = ("leases.coordination.k8s.io", "xebec-watcher-assignment", "xebec-system")


def at_rest(cluster, contender, seconds):
    """The requests of idle parents."""
    mark = cluster.mark()
    time.sleep(seconds)
    asked = audit_times.asked(cluster.requests(mark), contender.users)
    writes = sum(r.write for r in asked)
    return {"seconds": seconds, "writes": writes, "reads": len(asked) - writes}


def kill_all(cluster, contender):
    """kill -9 of everything, which is started again at once; seconds from then until a new parent has its child."""
    contender.kill()
    mark, begin = cluster.mark(), time.time()
    contender.launch()
    create_iris(cluster.client(), "after-kill-all")
    return first_child(cluster, contender, mark, "after-kill-all").answered - begin


def first_child(cluster, contender, mark, parent):
    """The first write of the parent's child."""
    def found(requests):
        return audit_times.first_writes(requests, contender.users, audit_times.CHILD).get(parent)
    return found(cluster.wait_quiet(mark, found))


def restart(cluster, contender):
    """The watcher is asked to stop and started again, and a parent is created meanwhile."""
    contender.services.watcher.stop()
    return start_watcher(cluster, contender, "after-restart")


def crash(cluster, contender):
    """The same after `kill -9` of the only watcher, which is started again in its own instance, as the kubelet does in a Pod."""
    contender.services.watcher.wait_ready()
    wait_leading(contender.services.watcher)
    contender.services.watcher.kill()
    return start_watcher(cluster, contender, "after-crash")


def start_watcher(cluster, contender, parent):
    """Starts the watcher and creates `parent`: the first write for it, and the requests that are not for it."""
    mark, begin = cluster.mark(), time.time()
    contender.services.watcher.start()
    create_iris(cluster.client(), parent)
    first = first_child(cluster, contender, mark, parent)
    asked = audit_times.asked(cluster.requests(mark), contender.users)
    others = [r for r in asked if parent not in r.uri and r.resource != "events" and r.verb != "list" and r.name != parent]
    return {"first write s": first.received - begin, "writes": sum(r.write for r in others), "gets": sum(r.verb == "get" for r in others)}


def failover(cluster, contender, end):
    """The leading watcher is killed or asked to stop (`end`: "kill" or "stop") beside another one, and a parent is created: when does the
    other lead, and write?"""
    services = contender.services
    second = second_watcher(cluster, services, end)
    mark, begin = cluster.mark(), time.time()
    services.watcher.process.signal(signal.SIGKILL if end == "kill" else signal.SIGTERM)
    create_iris(cluster.client(), f"after-{end}")
    wait_leading(second)
    first = first_child(cluster, contender, mark, f"after-{end}")
    acquired = audit_times.seconds(cluster.client().get(*LEASE)["spec"]["acquireTime"])
    second.stop()
    if end == "stop":
        services.watcher.stop()  # it has ended by now, and well
    services.watcher.start().wait_ready()
    wait_leading(services.watcher)
    return {"acquired s": acquired - begin, "first write s": first.received - begin}


def second_watcher(cluster, services, end):
    """A standby in another instance, with a warm cache."""
    addresses = services.addresses | {"watcher": f"127.0.0.1:{free_port()}", "watcher metrics": f"127.0.0.1:{free_port()}"}
    account = {"watcher": cluster.account("xebec-watcher")}
    argv = arguments("watcher", addresses, account) + [f"{INSTANCE[0]}-2"]
    second = Service("watcher", cluster.folder, argv, addresses["watcher"], addresses["watcher metrics"], f"watcher-{end}")
    second.start().wait_ready()
    time.sleep(2)
    return second
