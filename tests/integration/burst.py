# SPDX-License-Identifier: Apache-2.0
"""Creates many parents at once and checks the result."""

import collections
import concurrent.futures
import contextlib
import datetime
import itertools
import threading

from parents import IRIS, PROBE, parent
from support.eventually import eventually
from support.manifests import condition
from support.namespace import controller

# The child of which every parent has exactly one.
MAIN_CHILD = {IRIS: "deployments.apps", PROBE: "statefulsets.apps"}
PROBES = 30  # in a burst of them


def in_parallel(work, items):
    """[work(item)] as fast as a few connections can."""
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return list(pool.map(work, items))


def names(count, prefix="iris"):
    return [f"{prefix}-{number:03}" for number in range(count)]


def endless_names(prefix="iris"):
    return (f"{prefix}-{number:03}" for number in itertools.count())


def create(here, count, replicas=0, prefix="iris", resource=IRIS):
    return in_parallel(lambda name: here.create(parent(resource, name, replicas=replicas)), names(count, prefix))


def wave(here, name, value):
    """A change of an Iris that makes one write of its child, and no Pod."""
    here.change(IRIS, name, {"env": [{"name": "WAVE", "value": value}]})


@contextlib.contextmanager
def paced(work, items, rate, least=None):
    """work(item) for each, `rate` of them a second for as long as the block runs. When it ends, those that are left of
    a list are done at once; of endless items, as many as are missing to the `least`. Yields the list of those that are
    done."""
    done, ended = [], threading.Event()

    def run():
        for item in items:
            work(item)
            done.append(item)
            if ended.wait(1 / rate) and least is not None and len(done) >= least:
                return
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        try:
            yield done
        finally:
            ended.set()
            running.result()


def all_ready(here, count, timeout=120, resource=IRIS):
    """Waits until there are `count` parents, each Ready for its present generation and with its main child."""
    def ready():
        items = here.kube.list(resource, here.name)
        behind = [item["metadata"]["name"] for item in items if not (
            item.get("status", {}).get("observedGeneration") == item["metadata"]["generation"] and
            condition(item, "Ready").get("status") == "True")]
        assert len(items) == count and not behind, f"{len(behind)} of {len(items)} are not Ready, e.g. {behind[:3]}"
        return items
    items = eventually(ready, timeout, every=0.2, what=f"{count} {resource} are Ready")
    children = here.kube.list(MAIN_CHILD[resource], here.name)
    assert sorted(controller(child)[2] for child in children) == sorted(item["metadata"]["uid"] for item in items)


def creations(audit, mark, here, resource="deployments"):
    """{name: how often it was created} by the applier in this namespace."""
    counted = {}
    for entry in audit.writes(mark):
        if (entry.resource, entry.ns, entry.code) == (resource, here.name, 201):
            counted[entry.name] = counted.get(entry.name, 0) + 1
    return counted


def writes(audit, mark, here, resource="deployments"):
    """Counter of the requests of the applier that created or changed each object."""
    return collections.Counter(e.name for e in audit.writes(mark) if (e.resource, e.ns) == (resource, here.name) and not e.repairs)


def changes(writes):
    """Counter of the changes of each object by these writes. The first apply of an object that was created by POST is
    followed by the repair of its field ownership and by an apply that completes the repair: both change no field."""
    counted, repaired = collections.Counter(), set()
    for entry in sorted(writes, key=lambda entry: entry.received):
        if entry.repairs:
            repaired.add(entry.name)
        elif entry.name in repaired:
            repaired.remove(entry.name)
        else:
            counted[entry.name] += 1
    return counted


def cut_off(audit, mark, here, resource="deployments"):
    """Names of objects whose creator died: the audit log has them as 504 even if they were carried out."""
    return {e.name for e in audit.writes(mark) if (e.verb, e.resource, e.ns, e.code) == ("create", resource, here.name, 504)}


def delete_probes(here, names):
    in_parallel(lambda name: here.delete(PROBE, name), names)


def only_these_probes_are_left(here, names, timeout=120):
    """Waits until the finalizers of all others are done with, then for what the API server's own controllers still have
    to end."""
    eventually(lambda: here.names(PROBE) == sorted(names), timeout, every=0.2, what=f"{len(names)} Probes are left")
    eventually(lambda: here.names("statefulsets.apps") == sorted(f"{name}-set" for name in names), what="so are their StatefulSets")
    assert [name for name in here.names("configmaps") if name.endswith("-direct")] == sorted(f"{name}-direct" for name in names)
    uids = {here.get(PROBE, name)["metadata"]["uid"] for name in names}
    eventually(lambda: {claim["metadata"]["labels"]["test.xebec.dev/probe-uid"]
                        for claim in here.kube.list("persistentvolumeclaims", here.name)} <= uids, what="so are their claims alone")


def created_in_the_second_of(here, moment, resource="deployments.apps"):
    """Names of the objects that were created less than a second before this UTC time. When an API server is killed, the
    audit log lacks those that it had stored and not yet answered."""
    seconds = {f"{moment - datetime.timedelta(seconds=before):%Y-%m-%dT%H:%M:%SZ}" for before in (0, 1)}
    return {item["metadata"]["name"] for item in here.kube.list(resource, here.name) if item["metadata"]["creationTimestamp"] in seconds}
