# SPDX-License-Identifier: Apache-2.0
"""./dev run: a cluster, the trio, the examples, and what becomes of them."""

import argparse
import os
import signal
import subprocess
import sys
import time

from support import manifests, paths
from support.audit import AuditLog
from support.cluster import start_cluster
from support.fake_node import FakeNode
from support.kube import ApiError, Kube
from support.narrator import Narrator, tail
from support.processes import RunFolder, free_port
from support.progress import listener_gone, say, step
from support.trio import Trio

PATIENCE = float(os.environ.get("XEBEC_RUN_PATIENCE", "180"))  # seconds until every example has to be as promised


def parse():
    parser = argparse.ArgumentParser(prog="./dev run")
    parser.add_argument("--once", action="store_true", help="stop and exit as soon as every example is as promised")
    parser.add_argument("--kubeconfig", help="use this cluster instead of a local one")
    parser.add_argument("--context", help="the context in it")
    options = parser.parse_args()
    if options.context and not options.kubeconfig:
        options.kubeconfig = os.environ.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")
    return options


def kubectl(kubeconfig, *arguments):
    command = [paths.controlplane_binary("kubectl"), "--kubeconfig", kubeconfig, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)


class Local:
    """A control plane of our own, with a pretended node."""

    def __init__(self, folder):
        with step("start etcd, kube-apiserver and kube-controller-manager"):
            self.controlplane = start_cluster(folder)
        self.kube = self.controlplane.client()
        self.kubeconfig = self.controlplane.kubeconfig
        self.kubeconfigs = {"watcher": self.controlplane.watcher_kubeconfig, "applier": self.controlplane.applier_kubeconfig}
        self.audit = AuditLog(self.controlplane.audit_file)
        self._node = FakeNode(self.controlplane.client()).start()

    def stop(self):
        self._node.stop()


class Existing:
    """The user's cluster: reached through `kubectl proxy`, so that whatever way of logging in works."""

    audit = None

    def __init__(self, folder, kubeconfig, context):
        if not any(map(os.path.isfile, kubeconfig.split(os.pathsep))):  # $KUBECONFIG may be a list
            raise RuntimeError(f"{kubeconfig} is missing: name a kubeconfig with --kubeconfig")
        view = [paths.controlplane_binary("kubectl"), "config", "view", "--raw", "--minify", "--flatten"]
        flat = subprocess.run(view + (["--context", context] if context else []), env=os.environ | {"KUBECONFIG": kubeconfig},
                              check=False, capture_output=True, text=True)
        if flat.returncode:
            raise RuntimeError(f"cannot use {kubeconfig}: {flat.stderr.strip()}")
        self.kubeconfig = folder.path / "kubeconfig"
        self.kubeconfig.write_text(flat.stdout)
        self.kubeconfig.chmod(0o600)
        self.kubeconfigs = {"watcher": self.kubeconfig, "applier": self.kubeconfig}
        port = free_port()
        proxy = folder.start("kubectl-proxy", [paths.controlplane_binary("kubectl"), "--kubeconfig", self.kubeconfig, "proxy",
                                               f"--port={port}"])
        self.kube = Kube(f"http://127.0.0.1:{port}", None)
        self._wait_for(proxy)
        with step("install the CRDs"):
            self.kube.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "xebec-system"}})
            manifests.install_crds(self.kube)

    def _wait_for(self, proxy):
        """Until the proxy is there. Whoever names a wrong cluster wants to know it at once: its answer is final."""
        deadline = time.monotonic() + 30
        while True:
            try:
                return self.kube.request("GET", "/version")
            except ApiError as error:
                raise RuntimeError(f"the cluster does not answer: {str(error).strip()}") from error
            except OSError as error:
                if not proxy.alive() or time.monotonic() > deadline:
                    raise RuntimeError(f"the cluster cannot be reached: {error}\n{tail(proxy)}") from error
                time.sleep(0.05)

    def stop(self):
        pass


class Examples:
    """What examples/*/*.yaml hold."""

    def __init__(self, kube):
        self._kube = kube
        self._ours = {crd["spec"]["names"]["kind"]: f'{crd["spec"]["names"]["plural"]}.{crd["spec"]["group"]}'
                      for crd in manifests.crds()}
        self._plurals = {(crd["spec"]["group"], crd["spec"]["names"]["kind"]): crd["spec"]["names"]["plural"]
                         for crd in manifests.crds()}
        self.documents = [document for file in manifests.example_files() for document in manifests.read(file)]
        self.parents = [d for d in self.documents if self._resource(d)]

    def _resource(self, document):
        group = document["apiVersion"].partition("/")[0]
        plural = self._plurals.get((group, document["kind"]))
        return f"{plural}.{group}" if plural else None

    def apply(self):
        manifests.apply_all(self._kube, self.documents)

    def waiting(self):
        """{"iris default/sample": why} of those that are not as promised yet."""
        return {key: why for key, why in map(self._why_not, self.parents) if why}

    def _why_not(self, document):
        name, ns = document["metadata"]["name"], document["metadata"].get("namespace", "default")
        key = f"{self._resource(document)} {ns}/{name}"
        item = self._kube.get(self._resource(document), name, ns)
        if item is None:
            return key, "is gone"
        status = item.get("status", {})
        if status.get("observedGeneration") != item["metadata"]["generation"]:
            return key, "not seen yet"
        ready = manifests.condition(item, "Ready")
        if ready.get("status") != "True":
            return key, f"{ready.get('reason', 'no condition Ready')}: {ready.get('message', '')}"
        return key, None

    def event_lines(self, kubeconfig):
        """What `kubectl get events -A` shows of our parents."""
        lines = kubectl(kubeconfig, "get", "events", "-A", "--sort-by=.metadata.creationTimestamp").stdout.splitlines()
        ours = tuple(f"{kind.lower()}/" for kind in self._ours)
        return [line for number, line in enumerate(lines)
                if number == 0 or any(word.startswith(ours) for word in line.split()[4:5])]


def converge(examples):
    """True when every example is as promised within PATIENCE."""
    waiting = {"the examples": ""}
    deadline = time.monotonic() + PATIENCE

    def detail():
        return f"{len(examples.parents) - len(waiting)} of {len(examples.parents)} are; waiting for {next(iter(waiting), '')}"

    try:
        with step("wait until every example is as promised", detail):
            while waiting := examples.waiting():
                if time.monotonic() > deadline:
                    raise TimeoutError
                time.sleep(0.1)
        return True
    except TimeoutError:
        for key, why in waiting.items():
            say(f"    {key}: {why}")
        return False


def everything_of_ours(cluster, examples, patience=30):
    """What kubectl shows of the category; it may know kinds a moment later than those who watch them. What it says, if it never does."""
    deadline = time.monotonic() + patience
    while True:
        done = kubectl(cluster.kubeconfig, "get", "xebec", "-A")
        rows = [line for line in done.stdout.splitlines() if line and not line.startswith("NAMESPACE ")]
        if done.returncode == 0 and len(rows) >= len(examples.parents) or time.monotonic() > deadline:
            return done.stdout + done.stderr
        time.sleep(0.5)


def show(cluster, examples):
    say("\n$ kubectl get xebec -A\n" + everything_of_ours(cluster, examples))
    say("$ kubectl get events -A   (those of the examples)\n" + "\n".join(examples.event_lines(cluster.kubeconfig)))


def work(options, folder):
    cluster = Existing(folder, options.kubeconfig, options.context) if options.kubeconfig else Local(folder)
    trio = Trio(folder, cluster.kubeconfigs)
    narrator = None
    try:
        mark = cluster.audit.mark() if cluster.audit else 0
        with step("start planner, applier and watcher"):
            trio.start()
        narrator = Narrator(trio, cluster.audit, mark)
        examples = Examples(cluster.kube)
        examples.apply()
        say(f"  applied {len(examples.documents)} objects from {len(manifests.example_files())} files in examples/")
        converged = converge(examples)
        if not converged:
            for service in trio.services:
                say(tail(service.process))
        show(cluster, examples)
        if not options.once:
            say(guide(cluster, trio))
            stay(trio)
        return 0 if converged else 1
    finally:
        if narrator:
            narrator.stop()
        say("Stopping.")
        stop(trio)
        cluster.stop()


def stop(trio):
    """Whoever breaks off a start may meet a service that does not know yet what SIGTERM means."""
    try:
        trio.stop()
    except AssertionError as error:
        say(f"./dev run: {error}")


def guide(cluster, trio):
    return (f"\nIt runs. In another terminal:\n"
            f"  export KUBECONFIG={cluster.kubeconfig}\n"
            f"  alias kubectl={paths.controlplane_binary('kubectl')} grpcurl={paths.controlplane_binary('grpcurl')}\n"
            f"  kubectl get xebec -A\n"
            f"  grpcurl -plaintext -d @ {trio.planner.address} xebec.v1.PlannerService/Plan < examples/iris/request.json\n"
            f"Logs and data: {cluster.kubeconfig.parent}   Metrics: "
            + "  ".join(f"{service.name} http://{service.metrics_address}/metrics" for service in trio.services)
            + "\nCtrl-C stops everything.\n")


def stay(trio):
    """Until Ctrl-C, until nobody listens any more, or until one of the three ends."""
    while not listener_gone.is_set():
        for service in trio.services:
            if not service.running():
                raise RuntimeError(f"{service.name} ended with {service.process.exit_code()}:\n{tail(service.process)}")
        time.sleep(0.5)


def main():
    options = parse()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    folder = RunFolder("run")
    code = 1
    try:
        code = work(options, folder)
    except KeyboardInterrupt:
        code = 130
    except (RuntimeError, AssertionError, ApiError) as error:
        say(f"./dev run: {error}")
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        folder.close()
    return code


if __name__ == "__main__":
    sys.exit(main())
