# SPDX-License-Identifier: Apache-2.0
"""How many new parents several watchers reconcile if the CPU time of each is limited, as in Kubernetes by
resources.limits.cpu."""

import contextlib

from bench import audit_times, burst
from bench.cluster import fresh
from bench.watcher_fleet import Fleet
from support import cgroups
from support.progress import say


def measure(count, parents, cpu_share, kind):
    """Seconds until `parents` new parents have converged with `count` watchers, of which each may use that share of a
    CPU; None if this machine cannot limit the CPU time. `kind`: of the control plane."""
    with fresh(kind) as cluster, contextlib.ExitStack() as limits:
        fleet = Fleet(cluster)
        fleet.start(count)
        try:
            for watcher in fleet.watchers:
                limits.enter_context(cgroups.limited(watcher.process.pid, cpu_share))
        except OSError as error:
            say(f"the capacity of watchers is not measured: cannot limit the CPU time of a process ({error})")
            return None
        finally:
            limits.callback(fleet.end)  # before the control groups are removed
        return burst.span(fleet.converge(parents), {audit_times.WATCHER, audit_times.APPLIER})["seconds"]
