# SPDX-License-Identifier: Apache-2.0
"""Several watchers that share the parents, load for them, and the proof that nothing was lost or doubled."""

import contextlib
import itertools

import burst
from parents import IRIS, iris
from support.assignment import assignment, shares
from support.eventually import eventually
from support.kube import ApiError
from support.quiescence import assert_quiescent
from support.services import stop_together

LAG = 40  # a parent is changed when so many later ones have been created
_numbers = itertools.count(1)


class Fleet:
    """Watchers with the flags of the services' one. Each has an instance of its own, as in a Pod: a restart takes its
    predecessor's place."""

    def __init__(self, services, kube, flags, kubeconfig=None, addresses=None):
        self._services, self._kube, self._flags = services, kube, flags
        self._kubeconfig, self._addresses = kubeconfig, addresses or {}
        self.watchers = []

    def add(self, count, *flags, instance=None, kubeconfig=None):
        for _ in range(count):
            log = f"watcher-of-fleet-{next(_numbers)}"
            self.watchers.append(self._services.another("watcher", log, kubeconfig or self._kubeconfig, **self._addresses))
            self.start(len(self.watchers) - 1, *flags, instance=instance)

    def start(self, index, *flags, instance=None):
        self.watchers[index].start(f"--lease-instance=place-{index if instance is None else instance}", *self._flags, *flags)

    def stop(self):
        stop_together([each for each in self.watchers if each.running()])

    def identities(self):
        """{index of a watcher: its identity}, of those that hold buckets."""
        return {int(identity.split("_")[-2].removeprefix("place-")): identity for identity in assignment(self._kube)["watchers"]}

    def shared_by(self, count, timeout=60):
        """Waits until so many watchers hold equal shares of all buckets."""
        def shared():
            now = shares(self._kube)
            assert len(now) == count and sum(now.values()) == assignment(self._kube)["buckets"] and max(now.values()) - min(now.values()) <= 1, now
            return now
        return eventually(shared, timeout, every=0.2, what=f"{count} watchers share the buckets")


@contextlib.contextmanager
def fleet(services, kube, count, *flags, kubeconfig=None, **addresses):
    """`count` watchers with equal shares, in place of the services' one, perhaps with another kubeconfig or other
    addresses of their peers. Those that still run are stopped at the end of the context."""
    services.watcher.stop()
    watchers = Fleet(services, kube, ("--advertise", "127.0.0.1", *flags), kubeconfig, addresses)
    try:
        watchers.add(count)
        watchers.shared_by(count)
        yield watchers
    finally:
        watchers.stop()
        services.watcher.start().wait_ready()


def at_last(work):
    """An API server that is away is asked again; it may have carried out what it did not answer."""
    def done():
        try:
            work()
        except ApiError as error:
            assert error.code == 409, error
        return True
    eventually(done, what="the API server has done it")


@contextlib.contextmanager
def load(here, rate, least):
    """While the block runs, parents are created, and each is changed later. Yields the names of those that were
    created."""
    names = []

    def work(name):
        at_last(lambda: here.create(iris(name, replicas=0)))
        names.append(name)
        if len(names) > LAG:
            at_last(lambda: burst.wave(here, names[-LAG - 1], "changed"))
    with burst.paced(work, burst.endless_names(), rate, least):
        yield names
    for name in names[-LAG:]:
        at_last(lambda: burst.wave(here, name, "changed"))


def assert_nothing_lost_or_doubled(here, audit, mark, names, unlogged=frozenset()):
    """Every parent has exactly its child, which was created once and changed at most once since, to what its parent
    says; nothing was deleted. Then the services are idle. `unlogged`: children whose creation the audit log may
    lack."""
    burst.all_ready(here, len(names), 180)
    made = burst.creations(audit, mark, here)
    twice = sorted(name for name, count in made.items() if count > 1)
    assert set(made.values()) == {1}, f"created more than once: {twice}"
    differing = sorted((set(made) | burst.cut_off(audit, mark, here) | unlogged) ^ set(names))
    assert not differing, f"parents without a creation of a child, or children without a parent: {differing}"
    deleted = [entry for entry in audit.writes(mark) if entry.ns == here.name and entry.verb == "delete"]
    assert not deleted, f"deleted: {deleted}"
    for child in here.kube.list("deployments.apps", here.name):
        name, [container] = child["metadata"]["name"], child["spec"]["template"]["spec"]["containers"]
        assert {"name": "WAVE", "value": "changed"} in container["env"], f"{name} lacks the change of its parent"
        assert child["metadata"]["generation"] <= 2, f"{name} was changed {child['metadata']['generation'] - 1} times"
    assert_quiescent(audit, 5)


def written_without_a_change(here, audit, mark):
    """{child: writes} of the children that were written more often than they have changed."""
    written = burst.changes(entry for entry in audit.writes(mark) if (entry.resource, entry.ns) == ("deployments", here.name))
    return {child["metadata"]["name"]: written[child["metadata"]["name"]] for child in here.kube.list("deployments.apps", here.name)
            if written[child["metadata"]["name"]] != child["metadata"]["generation"]}
