# SPDX-License-Identifier: Apache-2.0
"""A fresh control plane for one measurement, and the load on it."""

import contextlib
import json
import subprocess
import time

from bench import audit_times, procfs
from support import manifests, paths, pki
from support.cluster import start_cluster
from support.controlplane import ControlPlane
from support.processes import RunFolder

# The controllers that a Deployment without Pods does not need are off: the contender alone is measured.
CONTROLLERS = "namespace-controller,garbage-collector-controller,serviceaccount-controller"
NS, ACCOUNTS_NS = "default", "xebec-system"
QUIET_SECONDS, QUIET_BYTES = 3, 20_000
TOKEN = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 24 * 3600}}


class BenchCluster:
    """`folder` owns the processes, `controlplane` is the control plane."""

    def __init__(self, folder, kind):
        self.folder, self.controlplane = folder, start_cluster(folder, kind, controllers=CONTROLLERS)
        self.audit_file, self.kubeconfig = self.controlplane.audit_file, self.controlplane.kubeconfig
        manifests.apply_all(self.client(), manifests.read(paths.ROOT / "bench/rbac.yaml"))

    def client(self):
        return self.controlplane.client()

    def account(self, name):
        """Path of a kubeconfig with a token of that service account."""
        path = f"/api/v1/namespaces/{ACCOUNTS_NS}/serviceaccounts/{name}/token"
        token = self.client().request("POST", path, body=TOKEN)["status"]["token"]
        file = self.folder.path / f"{name}.account.kubeconfig"
        pki.write_kubeconfig(file, self.controlplane.server, self.folder.path / "pki/ca.crt", {"token": token})
        return file

    def load(self, mode, count, **flags):
        """Runs the load program; returns what it prints. `flags`: prefix="bench", in_flight=32, namespace=...,
        watch=[...]."""
        command = [paths.service_binary("xebec-bench-load"), "--kubeconfig", str(self.kubeconfig), "--mode", mode, "--count", str(count)]
        for flag, value in ({"namespace": NS} | flags).items():
            for each in value if isinstance(value, list) else [value]:
                command += [f"--{flag.replace('_', '-')}", str(each)]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)

    def cpu(self):
        """CPU seconds of the API server and of etcd until now."""
        return {"API server": procfs.cpu(self.controlplane.apiserver.pid), "etcd": procfs.cpu(self.controlplane.etcd.pid)}

    def mark(self):
        """A position in the audit log."""
        return self.audit_file.stat().st_size

    def requests(self, mark=0):
        return audit_times.read(self.audit_file, mark)

    def wait_quiet(self, mark=0, done=lambda requests: True, timeout=1800):
        """Waits until the audit log has stopped growing (Leases are renewed all the time, which is little) and `done`
        accepts the requests since the mark; returns these. Until then, only the size of the log is read, which leaves
        the CPU to what is measured."""
        size, deadline = -1, time.monotonic() + timeout
        while time.monotonic() < deadline:
            time.sleep(QUIET_SECONDS)
            before, size = size, self.mark()
            if 0 <= before and size - before <= QUIET_BYTES and done(requests := self.requests(mark)):
                return requests
        raise SystemExit(f"not converged after {timeout} s")


@contextlib.contextmanager
def fresh(kind=ControlPlane):
    """`kind`: of the control plane."""
    folder = RunFolder("bench")
    try:
        yield BenchCluster(folder, kind)
    finally:
        folder.close()


def create_iris(kube, name, replicas=1):
    kube.create({"apiVersion": "example.com/v1alpha1", "kind": "Iris", "metadata": {"name": name, "namespace": NS},
                 "spec": {"deploymentName": name, "replicas": replicas, "image": "registry.example.com/iris:1"}})
