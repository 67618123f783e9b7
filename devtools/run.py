# SPDX-License-Identifier: Apache-2.0
"""./dev run: starts the services on a cluster, applies the examples and shows their state."""

import argparse
import os
import signal
import subprocess
import sys
import time

from devtools.clusters import ExistingCluster, LocalCluster
from devtools.examples import Examples
from devtools.narrator import Narrator
from support import paths
from support.hooks import gateway_of
from support.kube import ApiError
from support.processes import RunFolder, tail
from support.progress import listener_gone, say, step
from support.services import Services

SECONDS_UNTIL_READY = float(os.environ.get("XEBEC_RUN_TIMEOUT", "180"))


def parse():
    parser = argparse.ArgumentParser(prog="./dev run")
    parser.add_argument("--once", action="store_true", help="stop and exit as soon as every example is ready")
    parser.add_argument("--kubeconfig", help="use the cluster of this kubeconfig instead of a local one")
    parser.add_argument("--context", help="the context in the kubeconfig (default: its current context)")
    parser.add_argument("--hooks", action="store_true", help="run the gateway too: operators can be declared (docs/operators.md), "
                        "and Xebec has all rights of the kubeconfig")
    options = parser.parse_args()
    if options.context and not options.kubeconfig:
        options.kubeconfig = os.environ.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")
    return options


def kubectl(cluster, *arguments):
    command = [cluster.kubectl, "--kubeconfig", cluster.kubeconfig, *arguments]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def get_parents(cluster, examples, seconds=30):
    """The output of `kubectl get xebec -A`. Discovery may list new kinds a moment after the watcher has found them."""
    deadline = time.monotonic() + seconds
    while True:
        done = kubectl(cluster, "get", "xebec", "-A")
        rows = [line for line in done.stdout.splitlines() if line and not line.startswith("NAMESPACE ")]
        if done.returncode == 0 and len(rows) >= len(examples.parents) or time.monotonic() > deadline:
            return done.stdout + done.stderr
        time.sleep(0.5)


def get_events(cluster, examples):
    """The lines of `kubectl get events -A` that are about parents."""
    lines = kubectl(cluster, "get", "events", "-A", "--sort-by=.metadata.creationTimestamp").stdout.splitlines()
    ours = tuple(f"{kind.lower()}/" for kind in examples.kinds)
    return "\n".join(line for number, line in enumerate(lines)
                     if number == 0 or any(word.startswith(ours) for word in line.split()[4:5]))


def show(cluster, examples):
    say("\n$ kubectl get xebec -A\n" + get_parents(cluster, examples))
    say("$ kubectl get events -A   (events of the examples)\n" + get_events(cluster, examples))


def work(options, folder):
    cluster = ExistingCluster(folder, options.kubeconfig, options.context) if options.kubeconfig else LocalCluster(folder)
    services = services_of(options, cluster, folder)
    narrator = None
    try:
        mark = cluster.audit.mark() if cluster.audit else 0
        with step("start gateway, planner, applier and watcher" if options.hooks else "start planner, applier and watcher"):
            start(services)
        narrator = Narrator(services, cluster.audit, mark)
        examples = Examples(cluster)
        examples.apply()
        ready = examples.wait_ready(SECONDS_UNTIL_READY)
        if not ready:
            for service in services.all:
                say(tail(service.process))
        show(cluster, examples)
        if not options.once:
            say(guide(cluster, services))
            stay(services)
        return 0 if ready else 1
    finally:
        if narrator:
            narrator.stop()
        say("Stopping.")
        stop(services)
        cluster.stop()


def services_of(options, cluster, folder):
    more = {"planner": ["--log-level", "debug"]}  # it logs plans at this level
    if not options.hooks:
        return Services(folder, cluster.kubeconfigs, more)
    gateway = gateway_of(folder)
    services = Services(folder, dict.fromkeys(cluster.kubeconfigs, cluster.kubeconfig), more | {"watcher": ["--hooks-gateway", gateway.address]})
    services.all.insert(0, gateway)
    return services


def start(services):
    """Starts each service after those that it connects to. Otherwise the watcher would warn of streams that are
    down."""
    for service in services.all:
        service.start().wait_ready()


def stop(services):
    """A service that is interrupted during its start may not handle SIGTERM yet."""
    try:
        services.stop()
    except AssertionError as error:
        say(f"./dev run: {error}")


def guide(cluster, services):
    aliases = f"kubectl={paths.controlplane_binary('kubectl')} grpcurl={paths.controlplane_binary('grpcurl')}" if cluster.is_local else ""
    return ("\nXebec is running. In another terminal:\n"
            f"  export KUBECONFIG={cluster.kubeconfig}\n"
            + (f"  alias {aliases}\n" if aliases else "") +
            "  kubectl get xebec -A\n"
            f"  {paths.service_binary('xebec')} keys --watcher {services.watcher.address}\n"
            f"  grpcurl -plaintext -d @ {services.planner.address} xebec.v1.PlannerService/Plan < examples/iris/request.json\n"
            f"Logs and data: {cluster.kubeconfig.parent}   Metrics: "
            + "  ".join(f"{service.name} http://{service.metrics_address}/metrics" for service in services.all)
            + "\nPress Ctrl-C to stop everything.\n")


def stay(services):
    """Returns when the reader of our output has closed it. Raises on Ctrl-C and when a service exits."""
    while not listener_gone.is_set():
        for service in services.all:
            if not service.running():
                raise RuntimeError(f"{service.name} exited with status {service.process.exit_code()}:\n{tail(service.process)}")
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
