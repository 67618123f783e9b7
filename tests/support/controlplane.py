# SPDX-License-Identifier: Apache-2.0
"""A real control plane on free loopback ports: etcd, kube-apiserver, kube-controller-manager."""

import http.client
import secrets
import ssl
import time

from support import kube, paths, pki
from support.processes import free_port


class ControlPlane:
    """`folder`: the RunFolder that owns the processes. The data is not kept, so etcd does not sync it to disk."""

    # The simulated node sends no heartbeats.
    CONTROLLERS = "*,-node-lifecycle-controller,-node-ipam-controller"
    ADDRESS = "127.0.0.1"
    # No client uses the Service of the API server.
    APISERVER_FLAGS = ("--endpoint-reconciler-type=none",)

    def __init__(self, folder, controllers=CONTROLLERS):
        self._controllers = controllers
        self.folder, self.dir = folder, folder.path
        self._etcd_port, self._peer_port, self._kcm_port = free_port(), free_port(), free_port()
        self.port = free_port()
        self.server = f"https://{self.ADDRESS}:{self.port}"
        self.audit_file = self.dir / "audit.log"
        self.kubeconfig = self.dir / "kubeconfig"
        self.watcher_kubeconfig = self.dir / "watcher.kubeconfig"
        self.applier_kubeconfig = self.dir / "applier.kubeconfig"
        self._write_credentials()

    def start(self, timeout=180):
        self.start_etcd()
        self.start_apiserver()
        self.wait_ready(timeout)
        self.start_controller_manager()
        self.wait_for_default_account(timeout)

    def client(self):
        return kube.Kube.from_kubeconfig(self.kubeconfig)

    # ---- its parts, for tests that break one ------------------------------------------------------------------

    def start_etcd(self):
        clients, peers = f"http://127.0.0.1:{self._etcd_port}", f"http://127.0.0.1:{self._peer_port}"
        self.etcd = self.folder.start("etcd", [
            paths.controlplane_binary("etcd"), "--data-dir", self.dir / "etcd", "--unsafe-no-fsync", "--log-level=warn",
            "--listen-client-urls", clients, "--advertise-client-urls", clients, "--listen-peer-urls", peers,
            "--initial-advertise-peer-urls", peers, "--initial-cluster", f"default={peers}"])
        self._wait(30, "etcd", lambda: self._answers_200(http.client.HTTPConnection("127.0.0.1", self._etcd_port), "/health"))

    def start_apiserver(self):
        pki_dir = self.dir / "pki"
        self.apiserver = self.folder.start("kube-apiserver", [
            paths.controlplane_binary("kube-apiserver"), f"--etcd-servers=http://127.0.0.1:{self._etcd_port}",
            f"--bind-address={self.ADDRESS}", f"--advertise-address={self.ADDRESS}", f"--secure-port={self.port}",
            *self.APISERVER_FLAGS, f"--tls-cert-file={pki_dir}/apiserver.crt",
            f"--tls-private-key-file={pki_dir}/apiserver.key", f"--client-ca-file={pki_dir}/ca.crt",
            f"--token-auth-file={self.dir}/tokens.csv", "--authorization-mode=RBAC",
            # Off by default. It requires the right to update finalizers subresources.
            "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--service-account-key-file={pki_dir}/sa.pub", f"--service-account-signing-key-file={pki_dir}/sa.key",
            "--service-cluster-ip-range=10.96.0.0/16", "--allow-privileged=true",
            f"--audit-policy-file={paths.AUDIT_POLICY}", f"--audit-log-path={self.audit_file}", "--audit-log-maxsize=100000"])

    def start_controller_manager(self):
        config = self.kubeconfig
        self.controller_manager = self.folder.start("kube-controller-manager", [
            paths.controlplane_binary("kube-controller-manager"), f"--kubeconfig={self.dir}/kcm.kubeconfig",
            f"--authentication-kubeconfig={config}", f"--authorization-kubeconfig={config}", "--bind-address=127.0.0.1",
            f"--secure-port={self._kcm_port}", "--leader-elect=false", "--kube-api-qps=500", "--kube-api-burst=1000",
            "--concurrent-deployment-syncs=20", "--concurrent-replicaset-syncs=20", "--concurrent-gc-syncs=20",
            f"--controllers={self._controllers}", "--horizontal-pod-autoscaler-sync-period=1s",
            f"--service-account-private-key-file={self.dir}/pki/sa.key", f"--root-ca-file={self.dir}/pki/ca.crt"])

    def wait_ready(self, timeout=60):
        self._wait(timeout, "kube-apiserver", self.ready)

    def wait_for_default_account(self, timeout=60):
        """The API server rejects Pods until the account exists. The controllers create it when they run."""
        client = self.client()
        self._wait(timeout, "kube-controller-manager",
                   lambda: client.get("serviceaccounts", "default", "default") is not None)

    def ready(self):
        context = ssl.create_default_context(cafile=self.dir / "pki/ca.crt")
        connection = http.client.HTTPSConnection(self.ADDRESS, self.port, context=context, timeout=2)
        return self._answers_200(connection, "/readyz")

    # ---- details ----------------------------------------------------------------------------------------------

    @staticmethod
    def _answers_200(connection, path):
        try:
            connection.request("GET", path)
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def _wait(self, timeout, name, condition):
        deadline = time.monotonic() + timeout
        process = {"etcd": "etcd", "kube-apiserver": "apiserver", "kube-controller-manager": "controller_manager"}[name]
        while True:
            try:
                if condition():
                    return
            except (OSError, http.client.HTTPException, kube.ApiError):
                pass
            process_now = getattr(self, process)
            if not process_now.alive():
                raise RuntimeError(f"{name} ended:\n{process_now.last_lines()}")
            if time.monotonic() > deadline:
                raise RuntimeError(f"{name} is not ready after {timeout} s:\n{process_now.last_lines()}")
            time.sleep(0.02)

    def _write_credentials(self):
        folder = self.dir / "pki"
        pki.make_pki(folder, self.ADDRESS)
        tokens = {name: secrets.token_hex(16) for name in ("admin", "kcm", "xebec-applier")}
        (self.dir / "tokens.csv").write_text(
            f'{tokens["admin"]},admin,admin,"system:masters"\n'
            f'{tokens["kcm"]},system:kube-controller-manager,kcm,"system:masters"\n'
            f'{tokens["xebec-applier"]},xebec-applier,xebec-applier\n')
        ca = folder / "ca.crt"
        pki.write_kubeconfig(self.kubeconfig, self.server, ca, {"token": tokens["admin"]})
        pki.write_kubeconfig(self.dir / "kcm.kubeconfig", self.server, ca, {"token": tokens["kcm"]})
        # One service authenticates with a certificate and one with a token, to test both.
        pki.write_kubeconfig(self.watcher_kubeconfig, self.server, ca, pki.certificate_user(folder, "xebec-watcher"))
        pki.write_kubeconfig(self.applier_kubeconfig, self.server, ca, {"token": tokens["xebec-applier"]})


class SelectingControlPlane(ControlPlane):
    """Its API server sends each watcher only its own parents (KEP-5866)."""

    APISERVER_FLAGS = (*ControlPlane.APISERVER_FLAGS, "--feature-gates=ShardedListAndWatch=true")
