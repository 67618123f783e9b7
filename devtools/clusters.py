# SPDX-License-Identifier: Apache-2.0
"""The clusters that ./dev run can use: a local control plane, or the cluster of a kubeconfig."""

import os
import pathlib
import shutil
import subprocess
import time

from support import manifests, paths
from support.audit import AuditLog
from support.cluster import start_cluster
from support.fake_node import FakeNode
from support.kube import ApiError, Kube
from support.processes import free_port, tail
from support.progress import step


class LocalCluster:
    """A control plane on loopback ports. A simulated node marks Pods as running; no container is started."""

    is_local = True

    def __init__(self, folder):
        self.kubectl = paths.controlplane_binary("kubectl")
        with step("start etcd, kube-apiserver and kube-controller-manager"):
            self._controlplane = start_cluster(folder)
        self.kube = self._controlplane.client()
        self.kubeconfig = self._controlplane.kubeconfig
        self.kubeconfigs = {"watcher": self._controlplane.watcher_kubeconfig, "applier": self._controlplane.applier_kubeconfig}
        self.audit = AuditLog(self._controlplane.audit_file)
        self._node = FakeNode(self._controlplane.client()).start()

    def stop(self):
        self._node.stop()


class ExistingCluster:
    """The cluster of a kubeconfig. It is reached through `kubectl proxy`, which supports every authentication method of
    kubectl."""

    is_local = False
    audit = None

    def __init__(self, folder, kubeconfig, context):
        if not any(map(os.path.isfile, kubeconfig.split(os.pathsep))):  # $KUBECONFIG may be a list
            raise RuntimeError(f"{kubeconfig} does not exist: pass the path of a kubeconfig with --kubeconfig")
        self.kubectl = find_kubectl()
        self.kubeconfig = folder.path / "kubeconfig"
        self._write_kubeconfig(kubeconfig, context)
        self.kubeconfigs = {"watcher": self.kubeconfig, "applier": self.kubeconfig}
        port = free_port()
        proxy = folder.start("kubectl-proxy", [self.kubectl, "--kubeconfig", self.kubeconfig, "proxy", f"--port={port}"])
        self.kube = Kube(f"http://127.0.0.1:{port}", None)
        self._wait_for(proxy)
        with step("install the CRDs"):
            self.kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "xebec-system"}})
            manifests.install_crds(self.kube)

    def _write_kubeconfig(self, kubeconfig, context):
        """One context alone, with all certificates in the file."""
        view = [self.kubectl, "config", "view", "--raw", "--minify", "--flatten"] + (["--context", context] if context else [])
        flat = subprocess.run(view, env=os.environ | {"KUBECONFIG": kubeconfig}, check=False, capture_output=True, text=True)
        if flat.returncode:
            raise RuntimeError(f"cannot use {kubeconfig}: {flat.stderr.strip()}")
        self.kubeconfig.touch(mode=0o600)
        self.kubeconfig.write_text(flat.stdout)

    def _wait_for(self, proxy):
        """Waits until the proxy answers. An error from the cluster itself is final: the user may have named a wrong
        cluster."""
        deadline = time.monotonic() + 30
        while True:
            try:
                return self.kube.request("GET", "/version")
            except ApiError as error:
                raise RuntimeError(f"the cluster rejected a request: {str(error).strip()}") from error
            except OSError as error:
                if not proxy.alive() or time.monotonic() > deadline:
                    raise RuntimeError(f"cannot connect to the cluster: {error}\n{tail(proxy)}") from error
                time.sleep(0.05)

    def stop(self):
        """Nothing to stop: the proxy is a process of the run folder."""


def find_kubectl():
    """The kubectl in PATH, or the one that ./dev setup has built."""
    built = pathlib.Path(os.environ.get("XEBEC_CONTROLPLANE") or paths.CACHE / "controlplane/current") / "kubectl"
    found = shutil.which("kubectl") or (str(built) if built.exists() else None)
    if not found:
        raise RuntimeError("kubectl is not in PATH: install it, or run ./dev setup")
    return found
