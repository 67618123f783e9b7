# SPDX-License-Identifier: Apache-2.0
"""A control plane with one real node: containerd, kubelet, kube-proxy, kube-scheduler, cluster DNS. It runs in an
enclosure."""

import json
import os
import pathlib
import shutil
import subprocess

from support import images, manifests, paths, pki
from support.controlplane import ControlPlane
from support.enclosure import ADDRESS
from support.eventually import eventually

_REGISTRY_PORT = 5000
_DNS = "10.96.0.10"
_FILES = paths.ROOT / "tests/node"

_CONTAINERD = """version = 2
root = "{dir}/containerd/root"
state = "{dir}/containerd/state"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.devmapper"]
[grpc]
address = "{dir}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
restrict_oom_score_adj = true
sandbox_image = "docker.io/library/sandbox:1"
[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "{dir}/certs.d"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "{cni}"
conf_dir = "{dir}/cni"
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = false
"""


def _full(name):
    """The name of an image in a registry."""
    repository, _, tag = name.partition(":")
    return (repository if "/" in repository else f"library/{repository}") + ":" + (tag or "latest")


class Node(ControlPlane):
    NAME = "node1"
    ADDRESS = ADDRESS

    def __init__(self, folder):
        self.APISERVER_FLAGS = ("--enable-admission-plugins=NodeRestriction", "--kubelet-preferred-address-types=InternalIP",
                                f"--kubelet-client-certificate={folder.path}/pki/kubelet-client.crt",
                                f"--kubelet-client-key={folder.path}/pki/kubelet-client.key")
        super().__init__(folder, controllers="*")
        pki.make_certificate(self.dir / "pki", "kubelet-client", "/O=system:masters/CN=kubelet-client", "clientAuth")
        self._images = {}
        self._path = paths.unpacked("containers")
        self.socket = self.dir / "containerd.sock"
        self._write_settings()

    def start(self, timeout=180):
        self._start_registry()
        self.folder.start("containerd", [self._program("containerd"), "-c", self.dir / "containerd.toml"], os.environ | {"PATH": self._path})
        super().start(timeout)
        config = f"--kubeconfig={self.kubeconfig}"
        self.folder.start("kube-scheduler", [
            paths.node_binary("kube-scheduler"), config, f"--authentication-kubeconfig={self.kubeconfig}",
            f"--authorization-kubeconfig={self.kubeconfig}", "--bind-address=127.0.0.1", "--leader-elect=false", "--kube-api-qps=500",
            "--kube-api-burst=1000"])
        self.folder.start("kubelet", [
            paths.node_binary("kubelet"), config, f"--config={self.dir}/kubelet.yaml", f"--hostname-override={self.NAME}",
            f"--node-ip={ADDRESS}", f"--root-dir={self.dir}/kubelet"])
        self.folder.start("kube-proxy", [paths.node_binary("kube-proxy"), f"--config={self.dir}/proxy.yaml"])
        self._wait_for_node(timeout)
        self._start_dns(timeout)

    # ---- images -----------------------------------------------------------------------------------------------------

    def offer(self, name, folder):
        """Makes an image pullable; "busybox" and "busybox:latest" are one name."""
        self._images[_full(name)] = str(folder)
        draft = self.dir / "images.new"
        draft.write_text(json.dumps(self._images))
        draft.rename(self.dir / "images.json")

    def digest(self, name):
        """Of an image that is offered."""
        return "sha256:" + (pathlib.Path(self._images[_full(name)]) / "manifest").read_text()

    def _start_registry(self):
        self.offer("sandbox:1", images.made("sandbox"))
        self.offer("coredns:1", images.of_program(paths.node_binary("coredns"), self.dir / "coredns-image"))
        self.registry = self.folder.start("registry", ["/usr/bin/python3", "-B", "-m", "support.registry", "127.0.0.1",
                                                       _REGISTRY_PORT, self.dir / "images.json"],
                                          os.environ | {"PYTHONPATH": str(paths.ROOT / "tests")})

    # ---- commands --------------------------------------------------------------------------------------------------

    def kubectl(self, *arguments, stdin=None, check=True):
        """Its standard output."""
        done = subprocess.run([paths.controlplane_binary("kubectl"), "--kubeconfig", self.kubeconfig, *map(str, arguments)],
                              input=stdin, capture_output=True, text=True, check=False, timeout=300)
        assert not check or done.returncode == 0, f"kubectl {arguments}: {done.stderr}"
        return done.stdout

    def ctr(self, *arguments):
        """containerd's own command line, in the namespace of kubelet's images and containers; its standard output."""
        done = subprocess.run([self._program("ctr"), "-a", self.socket, "-n", "k8s.io", *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=300)
        assert done.returncode == 0, f"ctr {arguments}: {done.stderr}"
        return done.stdout

    def pid_of(self, pod_uid):
        """Of the first process of the Pod's only container."""
        listed = self.ctr("containers", "ls", "-q",
                          f'labels."io.kubernetes.pod.uid"=={pod_uid},labels."io.cri-containerd.kind"==container').split()
        tasks = self.ctr("tasks", "ls")
        [pid] = [int(line.split()[1]) for line in tasks.splitlines() if line.split()[0] in listed and line.split()[2] == "RUNNING"]
        return pid

    def make_volumes(self, kube, count):
        """Creates PersistentVolumes without a claim."""
        for number in range(count):
            folder = self.dir / f"volumes/{number}"
            folder.mkdir(parents=True)
            kube.create({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"volume-{number}"}, "spec": {
                "capacity": {"storage": "100Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": str(folder)}}})

    def _program(self, name):
        return shutil.which(name, path=self._path)

    # ---- details --------------------------------------------------------------------------------------------

    def _write_settings(self):
        def write(name, content):
            path = self.dir / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
        write("containerd.toml", _CONTAINERD.format(dir=self.dir, cni=paths.CACHE / "node/containers/usr/lib/cni"))
        registry = f"http://127.0.0.1:{_REGISTRY_PORT}"
        write("certs.d/_default/hosts.toml", f'server = "{registry}"\n[host."{registry}"]\ncapabilities = ["pull", "resolve"]\n')
        write("resolv.conf", f"nameserver {ADDRESS}\n")
        write("cni/10-bridge.conflist", {"cniVersion": "1.0.0", "name": "pods", "plugins": [
            {"type": "bridge", "bridge": "cni0", "isGateway": True, "ipMasq": True, "hairpinMode": True,
             "ipam": {"type": "host-local", "dataDir": f"{self.dir}/cni-addresses", "ranges": [[{"subnet": "10.244.0.0/24"}]],
                      "routes": [{"dst": "0.0.0.0/0"}]}},
            {"type": "portmap", "capabilities": {"portMappings": True}}]})
        write("kubelet.yaml", self._kubelet_settings())
        write("proxy.yaml", {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration", "mode": "iptables",
            "clusterCIDR": "10.244.0.0/16", "clientConnection": {"kubeconfig": str(self.kubeconfig)}, "hostnameOverride": self.NAME,
            "conntrack": {"maxPerCore": 0, "min": 0}, "iptables": {"minSyncPeriod": "100ms"}, "healthzBindAddress": "127.0.0.1:10256",
            "metricsBindAddress": "127.0.0.1:10249"})

    def _kubelet_settings(self):
        return {
            "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "address": ADDRESS,
            "failCgroupV1": False, "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{self.dir.name}",
            "containerRuntimeEndpoint": f"unix://{self.socket}", "clusterDNS": [_DNS], "clusterDomain": "cluster.local",
            "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": True},
                               "x509": {"clientCAFile": f"{self.dir}/pki/ca.crt"}}, "authorization": {"mode": "Webhook"},
            "resolvConf": f"{self.dir}/resolv.conf", "failSwapOn": False, "podLogsDir": f"{self.dir}/pod-logs",
            "evictionHard": {"memory.available": "100Mi", "nodefs.available": "1%", "imagefs.available": "1%", "nodefs.inodesFree": "1%"},
            "imageGCHighThresholdPercent": 100, "serializeImagePulls": False, "nodeStatusUpdateFrequency": "4s", "syncFrequency": "5s"}

    def _wait_for_node(self, timeout):
        client = self.client()

        def ready():
            node = client.get("nodes", self.NAME)
            return manifests.condition(node, "Ready").get("status") == "True" and not node["spec"].get("taints")
        eventually(ready, timeout, what="the node is Ready")

    def _start_dns(self, timeout):
        client = self.client()
        manifests.apply_all(client, manifests.read(_FILES / "dns.yaml"))
        eventually(lambda: client.get("deployments.apps", "coredns", "kube-system")["status"].get("readyReplicas") == 1, timeout,
                   what="the cluster's DNS is Ready")


def folder():
    """The data folder of the enclosure that we are in."""
    path = os.environ.get("XEBEC_NODE_FOLDER")
    if not path:
        raise RuntimeError("a node lives in an enclosure: ./dev e2e")
    return pathlib.Path(path)
