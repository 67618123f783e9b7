# SPDX-License-Identifier: Apache-2.0
"""Many parents at once, and what must be true of them afterwards."""

import concurrent.futures

from parents import IRIS, iris
from support.eventually import eventually
from support.manifests import condition
from support.namespace import controller


def create(here, count, replicas=0, prefix="iris"):
    """`count` Irises as fast as a few connections can."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda number: here.create(iris(f"{prefix}-{number:03}", replicas=replicas)), range(count)))


def all_ready(here, count, patience=120):
    """Waits until there are `count` Irises, each Ready for its present generation and with its Deployment."""
    def ready():
        items = here.kube.list(IRIS, here.name)
        behind = [item["metadata"]["name"] for item in items if not (
            item.get("status", {}).get("observedGeneration") == item["metadata"]["generation"] and
            condition(item, "Ready").get("status") == "True")]
        assert len(items) == count and not behind, f"{len(behind)} of {len(items)} are not Ready, e.g. {behind[:3]}"
        return items
    items = eventually(ready, patience, every=0.2, what=f"{count} Irises are Ready")
    deployments = here.kube.list("deployments.apps", here.name)
    assert sorted(controller(d)[2] for d in deployments) == sorted(item["metadata"]["uid"] for item in items)


def creations(audit, mark, here, resource="deployments"):
    """{name: how often it was created} by the applier in this namespace."""
    counted = {}
    for entry in audit.writes(mark):
        if (entry.resource, entry.ns, entry.code) == (resource, here.name, 201):
            counted[entry.name] = counted.get(entry.name, 0) + 1
    return counted
