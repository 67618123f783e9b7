# SPDX-License-Identifier: Apache-2.0
"""Idle parents, restarts, crashes and failovers. Each function measures on a cluster that has converged."""

import signal
import time

from bench import audit_times
from bench.cluster import create_iris
from bench.contenders import INSTANCE, wait_leading
from support.assignment import holders
from support.processes import free_port
from support.services import Service, arguments

NEW_PARENTS = 16  # during a failover


def idle(cluster, contender, seconds):
    """The requests of idle parents."""
    mark = cluster.mark()
    time.sleep(seconds)
    asked = audit_times.asked(cluster.requests(mark), contender.users)
    writes = sum(r.write for r in asked)
    return {"seconds": seconds, "writes": writes, "reads": len(asked) - writes}


def writes_since(cluster, contender, mark):
    return sum(r.write for r in audit_times.asked(cluster.requests(mark), contender.users))


def kill_all(cluster, contender):
    """kill -9 of everything, which is started again at once; seconds from then until a new parent has its child."""
    contender.kill()
    mark, begin = cluster.mark(), time.time()
    contender.launch()
    create_iris(cluster.client(), "after-kill-all")
    return first_child(cluster, contender, mark, "after-kill-all").answered - begin


def first_child(cluster, contender, mark, parent):
    """The first write of the parent's child."""
    [first] = first_children(cluster, contender, mark, [parent])
    return first


def first_children(cluster, contender, mark, parents):
    def found(requests):
        first = audit_times.first_writes(requests, contender.users, audit_times.CHILD)
        return [first[parent] for parent in parents] if first.keys() >= set(parents) else []
    return found(cluster.wait_quiet(mark, found))


def restart(cluster, contender):
    """The watcher is asked to stop and started again, and a parent is created meanwhile."""
    contender.services.watcher.stop()
    return start_watcher(cluster, contender, "after-restart")


def crash(cluster, contender):
    """The same after `kill -9` of the only watcher, which is started again in its own instance, as the kubelet does in
    a Pod."""
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
    """One of two watchers is killed or asked to stop (`end`: "kill" or "stop"), and parents are created: when does the
    other hold all buckets, and when has it written for each parent? About half of them belonged to the one that
    ended."""
    services, kube = contender.services, cluster.client()
    second = second_watcher(cluster, services, end)
    mark, begin = cluster.mark(), time.time()
    services.watcher.process.signal(signal.SIGKILL if end == "kill" else signal.SIGTERM)
    names = [f"after-{end}-{number}" for number in range(NEW_PARENTS)]
    for name in names:
        create_iris(kube, name)
    wait_holders(kube, 1)
    acquired = time.time() - begin
    last = max(request.received for request in first_children(cluster, contender, mark, names))
    second.stop()
    if end == "stop":
        services.watcher.stop()  # it has ended by now, and well
    services.watcher.start().wait_ready()
    wait_leading(services.watcher)
    return {"acquired s": acquired, "last write s": last - begin}


def wait_holders(kube, count):
    while len(holders(kube)) != count:
        time.sleep(0.02)


def second_watcher(cluster, services, end):
    """Another one in another instance, which shares the buckets."""
    addresses = services.addresses | {"watcher": f"127.0.0.1:{free_port()}", "watcher metrics": f"127.0.0.1:{free_port()}"}
    account = {"watcher": cluster.account("xebec-watcher")}
    argv = arguments("watcher", addresses, account) + [f"{INSTANCE[0]}-2"]
    second = Service("watcher", cluster.folder, argv, addresses["watcher"], addresses["watcher metrics"], f"watcher-{end}")
    second.start().wait_ready()
    wait_holders(cluster.client(), 2)
    time.sleep(2)
    return second
