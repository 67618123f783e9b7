# SPDX-License-Identifier: Apache-2.0
"""An enclosure leaves no process and no file behind, however it ends."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

from support import cgroups, paths, processes
from support.eventually import eventually

# Makes one of everything that a node makes; a process of a session of its own is what a container's shim is.
BUSY = """
mkdir "$XEBEC_NODE_FOLDER/mounted"
mount -t tmpfs tmpfs "$XEBEC_NODE_FOLDER/mounted"
ip netns add pod
group=/sys/fs/cgroup/pids/${XEBEC_NODE_FOLDER##*/}
[ -d "$group" ] || group=/sys/fs/cgroup/${XEBEC_NODE_FOLDER##*/}
mkdir -p "$group/kubepods/pod"
setsid sh -c "echo \\$\\$ >$group/kubepods/pod/cgroup.procs; exec sleep 4321" &
touch "$XEBEC_NODE_FOLDER/up"
"""


def start(cache, script):
    environment = os.environ | {"PYTHONPATH": str(paths.ROOT / "tests"), "XEBEC_CACHE": str(cache)}
    return subprocess.Popen([sys.executable, "-B", "-m", "support.enclosure", "sh", "-c", script], env=environment)


def folder_of(cache):
    return eventually(lambda: next((path.parent for path in cache.glob("run/node-*/up")), None), what="the enclosure is up")


def groups(name):
    return [str(path) for path in pathlib.Path("/sys/fs/cgroup").glob(f"*/{name}")]


def processes_of(folder):
    """Those that know of the folder, ourselves excepted."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"XEBEC_NODE_FOLDER={folder}\0".encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_its_end_takes_everything_along_and_its_code_is_the_commands(tmp_path):
    owner = start(tmp_path, BUSY + "exit 7")
    assert owner.wait(60) == 7
    assert list((tmp_path / "run").iterdir()) == []
    assert not [line for line in pathlib.Path("/proc/mounts").read_text().splitlines() if str(tmp_path) in line]
    assert not pathlib.Path("/run/netns/pod").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_its_owners_end_is_everybodys_and_a_later_start_sweeps(tmp_path, monkeypatch, number):
    owner = start(tmp_path, BUSY + "sleep 4321")
    folder = folder_of(tmp_path)
    assert groups(folder.name) and len(processes_of(folder)) >= 2

    owner.send_signal(number)
    owner.wait(60)

    eventually(lambda: processes_of(folder) == [], what="all its processes have ended")
    monkeypatch.setattr(paths, "RUN", tmp_path / "run")
    processes.sweep()
    assert not folder.exists() and groups(folder.name) == []


def test_signals_that_come_in_rows_do_not_break_off_its_end(tmp_path):
    owner = start(tmp_path, BUSY + "sleep 4321")
    folder = folder_of(tmp_path)
    while owner.poll() is None:
        owner.send_signal(signal.SIGTERM)
    assert not folder.exists() and groups(folder.name) == []


def test_groups_with_processes_in_them_are_waited_for_but_not_for_ever():
    name = f"xebec-test-{os.getpid()}"
    cgroups.make(name)
    assert groups(name)
    cgroups.remove(name)
    assert groups(name) == []


@pytest.mark.parametrize("prefix, reason", [
    ([], ""), (["setpriv", "--reuid", "65534"], "it needs root"), (["unshare", "--user", "--map-root-user"], "root of a user namespace is not enough"),
    (["setpriv", "--bounding-set", "-sys_admin", "--inh-caps", "-sys_admin"], "namespaces cannot be made")])
def test_where_none_can_be_made_the_reason_is_said(prefix, reason):
    said = subprocess.run([*prefix, "/usr/bin/python3", "-B", "-m", "support.enclosure", "--why-not"], cwd=paths.ROOT / "tests",
                          capture_output=True, text=True, check=True).stdout
    assert said.strip() == reason
