# SPDX-License-Identifier: Apache-2.0
"""Runs a command in an enclosure: network, mount and process namespaces of its own, with root's rights in them.

enclosure.py COMMAND...   The command finds its data folder in $XEBEC_NODE_FOLDER. enclosure.py --why-not    Prints why
this machine cannot run one; prints nothing if it can.

Whatever the command does there ends with it: the kernel kills every process of the namespaces when their first one
ends, which ends when we end, and takes mounts and network away with them. Left over after a kill of us can only be the
data folder and control groups of its name, which the next start sweeps.
"""

import os
import shutil
import signal
import subprocess
import sys
import time

from support import cgroups, paths
from support.processes import RunFolder, is_running, start_time

ADDRESS = "10.77.0.2"
_GATEWAY = "10.77.0.1"

# kubelet sees the values of these machine-wide settings that it would set.
_TUNABLES = {"vm/overcommit_memory": 1, "vm/panic_on_oom": 0, "kernel/panic": 10, "kernel/panic_on_oops": 1,
             "kernel/keys/root_maxkeys": 1000000, "kernel/keys/root_maxbytes": 25000000}

# bash, the first process, buries whatever loses its parent. /run and the rest are where container runtimes keep traces;
# which packages are installed stays to be read.
_ENTER = f"""
set -e
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/netns /run/dpkg
[ ! -d /var/lib/dpkg ] || mount --bind -o ro /var/lib/dpkg /run/dpkg
for place in /var/lib /var/log; do mount -t tmpfs -o mode=755 tmpfs "$place"; done
mkdir /var/lib/dpkg
mount --bind -o ro /run/dpkg /var/lib/dpkg
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


# The system calls that a node needs. Root in a container is often denied them.
_TRIALS = {
    "namespaces cannot be made": "true",
    "nothing can be mounted": "mount -t tmpfs tmpfs /run",
    "the kernel has no overlay file system": "mount -t tmpfs tmpfs /run && cd /run && mkdir low up work all && "
                                             "mount -t overlay overlay -o lowerdir=low,upperdir=up,workdir=work all",
    "the kernel has no veth, bridge or NAT": "ip link add node0 type veth peer name peer0 && ip link add cni0 type bridge && "
                                             "iptables -t nat -A POSTROUTING -j MASQUERADE",
}
_UNSHARE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc", "--")


def why_not():
    """Why this machine cannot run an enclosure; None if it can. Ignores missing programs that ./dev e2e installs."""
    if os.geteuid() != 0:
        return "it needs root"
    with open("/proc/self/uid_map", encoding="utf-8") as file:
        if file.read().split() != ["0", "0", "4294967295"]:
            return "root of a user namespace is not enough"
    name = f"xebec-trial-{os.getpid()}"
    try:
        cgroups.make(name)
    except OSError:
        return "control groups cannot be made"
    finally:
        cgroups.remove(name)
    for reason, trial in _TRIALS.items():
        if "iptables" in trial and not (shutil.which("iptables") and shutil.which("ip")):
            continue
        if subprocess.run([*_UNSHARE, "sh", "-c", trial], capture_output=True, check=False).returncode != 0:
            return reason
    return None


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
            *_UNSHARE, "bash", "-c", _ENTER, "enclosure", *command], env=os.environ | {"XEBEC_NODE_FOLDER": str(folder.path)})
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
    if sys.argv[1:] == ["--why-not"]:
        print(why_not() or "")
    else:
        sys.exit(run(sys.argv[1:]))
