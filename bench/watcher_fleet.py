# SPDX-License-Identifier: Apache-2.0
"""Several watchers beside one planner and one applier, and what they say of themselves."""

import contextlib
import signal
import time

from bench import audit_times, procfs
from support import assignment, grpcurl
from support.services import Services, stop_together

PROTO = grpcurl.proto("watcher")
PAGE = 1000


class Fleet:
    """`watchers`: those that run. Each has an instance and an address of its own, as in a Pod."""

    def __init__(self, cluster):
        self._cluster, self._kube = cluster, cluster.client()
        self._services = Services(cluster.folder, {name: cluster.account(f"xebec-{name}") for name in ("watcher", "applier")})
        for service in (self._services.planner, self._services.applier):
            service.start()
        self.applier, self.watchers, self._number = self._services.applier, [], 0

    def add(self, count):
        for _ in range(count):
            self._number += 1
            watcher = self._services.another("watcher", f"watcher-{self._number}")
            self.watchers.append(watcher.start(f"--lease-instance=bench-{self._number}", "--advertise=127.0.0.1"))

    def start(self, count):
        """So many fresh ones. Returns the seconds until they hold equal shares of the buckets and have streams to the
        applier."""
        begin = time.monotonic()
        self.add(count)
        self.wait_shared()
        while any(watcher.metric("xebec_applier_credits") < 1 for watcher in self.watchers):
            time.sleep(0.1)
        return time.monotonic() - begin

    def stop(self):
        stop_together(self.watchers)
        self.watchers = []

    def end(self):
        self.stop()
        stop_together([self._services.planner, self._services.applier])

    @contextlib.contextmanager
    def paused(self):
        """The watchers do not run meanwhile: what is sent to them arrives at once afterwards. For less time than a
        Lease lives."""
        for watcher in self.watchers:
            watcher.process.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            for watcher in self.watchers:
                watcher.process.signal(signal.SIGCONT)

    def converge(self, count):
        """Creates so many parents, and waits until they have converged and their events are written. Returns the
        requests since."""
        mark, users = self._cluster.mark(), {audit_times.WATCHER, audit_times.APPLIER}
        self._cluster.load("parents", count)
        return self._cluster.wait_quiet(mark, lambda requests: len(audit_times.converged(requests, users)) == count and
                                        self.applier.metric("xebec_apply_events_waiting") == 0)

    def wait_shared(self):
        while not self.is_shared():
            time.sleep(0.05)

    def is_shared(self):
        now = assignment.assignment(self._kube)
        if now is None:
            return False
        shares = [assignment.count(ranges) for ranges in now["watchers"].values()]
        return len(shares) == len(self.watchers) and sum(shares) == now["buckets"] and max(shares) - min(shares) <= 1

    def bucket_shares(self):
        return assignment.shares(self._kube)

    def usages(self):
        return [procfs.usage(watcher.process.pid) for watcher in self.watchers]

    def keys(self):
        return [int(watcher.metric("xebec_parents")) for watcher in self.watchers]


def parents_of(watcher):
    """Names of the parents that this watcher plans."""
    names, token = [], ""
    while True:
        answer = grpcurl.call(watcher.address, "WatcherService/ListKeys", {"thisWatcherOnly": True, "pageSize": PAGE, "pageToken": token}, PROTO)
        names += [key["ref"]["name"] for key in answer.get("keys", [])]
        token = answer.get("nextPageToken", "")
        if not token:
            return names
