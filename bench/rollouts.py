# SPDX-License-Identifier: Apache-2.0
"""How often a contender writes the status of a parent while its Deployment starts Pods."""

import time

from bench import audit_times
from bench.cluster import NS, create_iris

PARENTS, REPLICAS = 20, 3
PAUSE = 0.2  # seconds between two steps of a Deployment


def _condition(kind, status, reason):
    return {"type": kind, "status": status, "reason": reason, "message": reason}


def steps():
    """The statuses that the Deployment controller writes if the Pods become ready one by one, as merge patches."""
    waiting = [_condition("Available", "False", "MinimumReplicasUnavailable"), _condition("Progressing", "True", "ReplicaSetUpdated")]
    available = _condition("Available", "True", "MinimumReplicasAvailable")
    for ready in range(REPLICAS + 1):
        yield {"observedGeneration": 1, "replicas": REPLICAS, "updatedReplicas": REPLICAS, "readyReplicas": ready, "availableReplicas": ready,
               "unavailableReplicas": REPLICAS - ready, "conditions": waiting if ready < REPLICAS else [available, waiting[1]]}
    yield {"conditions": [available, _condition("Progressing", "True", "NewReplicaSetAvailable")]}


def status_writes(cluster, contender):
    """Writes of the status for each parent, from the first change of its Deployment until all is quiet."""
    kube, names, mark = cluster.client(), [f"rollout-{number}" for number in range(PARENTS)], cluster.mark()
    for name in names:
        create_iris(kube, name, REPLICAS)
    cluster.wait_quiet(mark, lambda requests: audit_times.converged(requests, contender.users).keys() >= set(names) and not contender.waiting())
    mark = cluster.mark()
    for status in steps():
        for name in names:
            kube.patch("deployments.apps", name, NS, {"status": status}, "status")
        time.sleep(PAUSE)
    requests = cluster.wait_quiet(mark)
    return sum(r.user in contender.users and r.write and r.what() == audit_times.STATUS for r in requests) / PARENTS
