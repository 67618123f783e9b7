# SPDX-License-Identifier: Apache-2.0
"""The operators that are measured: Xebec, and the same operator on other frameworks."""

import os
import time

from bench import audit_times, procfs
from support import paths
from support.processes import free_port
from support.services import Services

# The chart gives the watcher the UID of its Pod: a container that restarts there takes its Lease back.
INSTANCE = ["--lease-instance=bench"]
STARTED_AFTER = 11  # seconds; 10 s after its start, a service unmaps the code that only the start needed
TUNED = ("-workers=16", "-qps=1000", "-burst=2000", "-zap-devel=false")


class Xebec:
    """The three services."""

    users = {audit_times.WATCHER, audit_times.APPLIER}

    def __init__(self, cluster, watch_pods=False, applier=()):
        """`applier`: more flags of that service."""
        del watch_pods  # they always are
        accounts = {name: cluster.account(f"xebec-{name}") for name in ("watcher", "applier")}
        self.services = Services(cluster.folder, accounts, more={"watcher": INSTANCE, "applier": list(applier)})

    def launch(self, env=None):
        """Starts the programs, with more environment variables."""
        for service in self.services.all:
            service.start(env=env)

    def start(self, env=None):
        """Starts the programs and waits until they work."""
        self.launch(env)
        for service in self.services.all:
            service.wait_ready()
        wait_leading(self.services.watcher)
        while self.services.watcher.metric("xebec_applier_credits") < 1:
            time.sleep(0.1)
        time.sleep(STARTED_AFTER)
        return self

    def processes(self):
        return {service.name: service.process for service in self.services.all}

    def waiting(self):
        """True while something is to be sent later."""
        return self.services.applier.metric("xebec_apply_events_waiting") > 0

    def kill(self):
        """kill -9 of everything."""
        for service in self.services.all:
            service.kill()

    def stop(self):
        self.services.stop()


class Peer:
    """An operator in one process. `resources`: what it watches."""

    users = {audit_times.PEER}

    def __init__(self, cluster, argv, resources):
        self._cluster, self._argv, self._resources = cluster, argv, set(resources)
        self._env = {"KUBECONFIG": str(cluster.account("peer")), "HOME": str(cluster.folder.path), "PATH": os.environ["PATH"]}
        self._process = None

    def launch(self, env=None):
        self._process = self._cluster.folder.start("peer", self._argv, self._env | (env or {}))

    def start(self, env=None):
        mark = self._cluster.mark()
        self.launch(env)
        while self._resources - self._watched(mark):
            if not self._process.alive():
                raise SystemExit(f"the peer ended:\n{self._process.last_lines()}")
            time.sleep(0.1)
        time.sleep(1)
        return self

    def _watched(self, mark):
        return {r.resource for r in self._cluster.requests(mark) if r.user in self.users and r.verb == "watch"}

    def processes(self):
        return {"peer": self._process}

    def waiting(self):
        return False

    def kill(self):
        self._process.kill()

    def stop(self):
        self._process.stop()


def usages(contender):
    return {name: procfs.usage(process.pid) for name, process in contender.processes().items()}


def controller_runtime(cluster, watch_pods=False, flags=TUNED):
    """The operator of bench/peers/controller-runtime."""
    argv = [paths.peer("irisop"), *flags, f"-health-probe-bind-address=127.0.0.1:{free_port()}"]
    if watch_pods:
        return Peer(cluster, [*argv, "-watch-pods"], ["irises", "deployments", "pods"])
    return Peer(cluster, argv, ["irises", "deployments"])


def untuned(cluster):
    """The same as kubebuilder's project template starts it."""
    return controller_runtime(cluster, flags=())


def kopf(cluster):
    """The operator of bench/peers/kopf."""
    argv = [paths.peer("kopf/bin/kopf"), "run", "--standalone", "--all-namespaces", str(paths.ROOT / "bench/peers/kopf/iris.py")]
    return Peer(cluster, argv, ["irises", "deployments"])


def wait_leading(watcher):
    while watcher.metric("leader_election_master_status") < 1:
        time.sleep(0.1)
