# SPDX-License-Identifier: Apache-2.0
"""./dev cluster up | down: a control plane in the background, without the services."""

import os
import signal
import subprocess
import sys
import time

from support import paths
from support.cluster import start_cluster
from support.processes import RunFolder, end, is_running, recorded
from support.progress import step

MARK = "cluster-"


def clusters():
    """Folders of the running clusters."""
    if not paths.RUN.exists():
        return []
    return [folder for folder in paths.RUN.iterdir()
            if folder.name.startswith(MARK) and recorded(folder) and is_running(*recorded(folder)[0][:2])]


def hold():
    """The background process, which owns the control plane until it receives SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    folder = RunFolder("cluster")
    try:
        start_cluster(folder)
        (folder.path / "ready").touch()
        while True:
            signal.pause()
    finally:
        folder.close()


def up():
    if running := clusters():
        print(f"A cluster is already running: export KUBECONFIG={running[0]}/kubeconfig")
        return 0
    log = paths.ROOT / "build/log/cluster.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "wb") as output:
        holder = subprocess.Popen([sys.executable, "-m", "devtools.cluster", "hold"], stdin=subprocess.DEVNULL,
                                  stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        with step("start etcd, kube-apiserver and kube-controller-manager"):
            while not any((folder / "ready").exists() for folder in clusters()):
                if holder.poll() is not None:
                    raise RuntimeError(log.read_text())
                time.sleep(0.05)
    except BaseException:
        holder.terminate()
        raise
    print(f"export KUBECONFIG={clusters()[0]}/kubeconfig")
    print("The cluster has no node, so Pods stay Pending. Stop it with: ./dev cluster down")
    return 0


def down():
    running = clusters()
    for folder in running:
        owner, start, _ = recorded(folder)[0]
        os.kill(owner, signal.SIGTERM)
        deadline = time.monotonic() + 10
        while is_running(owner, start) and time.monotonic() < deadline:
            time.sleep(0.05)
        end(folder)
    print("Stopped." if running else "No cluster is running.")
    return 0


if __name__ == "__main__":
    commands = {"up": up, "down": down, "hold": hold}
    if sys.argv[1:2] == [] or sys.argv[1] not in commands:
        sys.exit("Usage: ./dev cluster up | down")
    sys.exit(commands[sys.argv[1]]())
