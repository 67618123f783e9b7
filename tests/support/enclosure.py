# SPDX-License-Identifier: Apache-2.0
"""Runs a command in an enclosure: network, mount and process namespaces of its own, with root's rights in them.

enclosure.py COMMAND...   The command finds its data folder in $XEBEC_NODE_FOLDER.

Whatever the command does there ends with it: the kernel kills every process of the namespaces when their first one ends, which
ends when we end, and takes mounts and network away with them. Left over after a kill of us can only be the data folder and
control groups of its name, which the next start sweeps.
"""

import os
import signal
import sys
import time

from support import paths
from support.processes import RunFolder, is_running, start_time

ADDRESS = "10.77.0.2"
_GATEWAY = "10.77.0.1"

# What kubelet wants to set for the whole machine is shown to it as if it were so.
_TUNABLES = {"vm/overcommit_memory": 1, "vm/panic_on_oom": 0, "kernel/panic": 10, "kernel/panic_on_oops": 1,
             "kernel/keys/root_maxkeys": 1000000, "kernel/keys/root_maxbytes": 25000000}

# bash, the first process, buries whatever loses its parent. /run and the rest are where container runtimes keep traces.
_ENTER = f"""
set -e
for place in /run /var/lib /var/log; do mount -t tmpfs -o mode=755 tmpfs "$place"; done
mkdir -p /run/lock /run/netns
mkdir "$XEBEC_NODE_FOLDER/tunables"
{"".join(f'''
echo {value} >"$XEBEC_NODE_FOLDER/tunables/{name.replace("/", "-")}"
mount --bind "$XEBEC_NODE_FOLDER/tunables/{name.replace("/", "-")}" /proc/sys/{name}''' for name, value in _TUNABLES.items())}
ip link set lo up
ip link add node0 type veth peer name node0-peer
ip address add {ADDRESS}/24 dev node0
ip link set node0 up
ip link set node0-peer up
ip route add default via {_GATEWAY} dev node0 onlink
echo 1 >/proc/sys/net/ipv4/ip_forward
echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
bridged=/proc/sys/net/bridge/bridge-nf-call-iptables
[ ! -e "$bridged" ] || echo 1 >"$bridged"
"$@"
"""


def _first_processes(unshare):
    """[(pid, start time)] of the enclosure's first process."""
    try:
        with open(f"/proc/{unshare}/task/{unshare}/children", encoding="utf-8") as file:
            return [(int(pid), start_time(int(pid)) or 0) for pid in file.read().split()]
    except OSError:
        return []


def _end(process):
    """When the first process has ended, so has every other."""
    first = _first_processes(process.pid)
    process.kill()
    deadline = time.monotonic() + 30
    while any(is_running(*each) for each in first) and time.monotonic() < deadline:
        time.sleep(0.02)


def _leave(number, _frame):
    """Once: a second signal must not break off what ends the enclosure."""
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def run(command):
    """The command's exit code."""
    signal.signal(signal.SIGTERM, _leave)
    signal.signal(signal.SIGHUP, _leave)
    for place in ("/run", "/var/lib", "/var/log"):
        if paths.CACHE.is_relative_to(place) or paths.ROOT.is_relative_to(place):
            sys.exit(f"{place} is hidden in a node: neither the sources nor $XEBEC_CACHE may be in it")
    folder, process = RunFolder("node"), None
    try:
        folder.make_cgroups()
        process = folder.start_in_terminal("enclosure", [
            "unshare", "--net", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--",
            "bash", "-c", _ENTER, "enclosure", *command], env=os.environ | {"XEBEC_NODE_FOLDER": str(folder.path)})
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # the command has got it too, and ends what it has begun
                continue
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if process:
            _end(process)
        folder.close()


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
