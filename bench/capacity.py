# SPDX-License-Identifier: Apache-2.0
"""How many new parents several watchers reconcile if the CPU time of each is limited, as in Kubernetes by resources.limits.cpu."""

import contextlib
import os
import pathlib

from bench import audit_times
from bench.cluster import fresh
from bench.watcher_fleet import Fleet
from support.progress import say

PERIOD_US = 100_000  # as kubelet sets it
_MOUNTED = pathlib.Path("/sys/fs/cgroup")


def measure(count, parents, cpu_share):
    """Seconds until `parents` new parents have converged with `count` watchers, of which each may use that share of a CPU; None if this
    machine cannot limit the CPU time."""
    with fresh() as cluster, contextlib.ExitStack() as limits:
        fleet = Fleet(cluster)
        fleet.start(count)
        try:
            for watcher in fleet.watchers:
                limits.enter_context(limited(watcher.process.pid, cpu_share))
        except OSError as error:
            say(f"the capacity of watchers is not measured: cannot limit the CPU time of a process ({error})")
            return None
        finally:
            limits.callback(fleet.end)
        return seconds(cluster, parents)


def seconds(cluster, parents):
    """From the arrival of the first parent until the child and the status of the last one are written."""
    users, mark = {audit_times.WATCHER, audit_times.APPLIER}, cluster.mark()
    cluster.load("parents", parents)
    requests = cluster.wait_quiet(mark, lambda requests: len(audit_times.converged(requests, users)) == parents)
    begin = min(request.received for request in audit_times.parents_created(requests).values())
    return max(audit_times.converged(requests, users).values()) - begin


@contextlib.contextmanager
def limited(pid, cpu_share):
    """The process belongs to a control group of its own; it has to end before the context does."""
    unified = (_MOUNTED / "cgroup.controllers").exists()
    group = _MOUNTED / ("" if unified else "cpu") / f"xebec-bench-{os.getpid()}-{pid}"
    quota = int(PERIOD_US * cpu_share)
    group.mkdir()
    try:
        if unified:
            (group / "cpu.max").write_text(f"{quota} {PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
        (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()
