# SPDX-License-Identifier: Apache-2.0
"""Child processes that never outlive us.

Every child is killed by the kernel when the thread that started it ends (PR_SET_PDEATHSIG), so start children from a
thread that lives as long as they should: the main thread. Besides, each folder under RUN lists its processes with their
start times, and sweep() ends what a killed owner left behind: by pid and start time, so never anybody else's process.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import time

from support import cgroups, paths


def start_time(pid):
    """Clock ticks between boot and the start of the process; None when it does not exist (a zombie does not count)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else int(fields[19])


def free_port(taken=set()):  # noqa: B006 - the default is the memory of this process
    """A loopback port that nobody listens on, below the range of outgoing connections; never the same one twice, and
    none that another worker of the same test run (pytest-xdist) may choose."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    while True:
        port = random.randrange(20000, 32000, 8) + worker % 8
        if port in taken:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        taken.add(port)
        return port


# The kernel kills the child when its parent ends. If the parent ended before setpriv ran, the child has another parent
# and does not start.
_GUARD = ("setpriv", "--pdeathsig", "KILL", "--", "sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"', str(os.getpid()))


def guarded(argv):
    """The command line of a child that never outlives us."""
    return [*_GUARD, *map(str, argv)]


class Process:
    """One child. Its output goes to `log`, or to our terminal if that is None."""

    def __init__(self, name, argv, log, env=None):
        self.name, self.log = name, log
        if log is None:
            self._popen = subprocess.Popen(guarded(argv), env=env)
        else:
            with open(log, "ab") as output:
                self._popen = subprocess.Popen(guarded(argv), stdin=subprocess.DEVNULL,
                                               stdout=output, stderr=subprocess.STDOUT, start_new_session=True, env=env)
        self.pid = self._popen.pid

    def alive(self):
        return self._popen.poll() is None

    def exit_code(self):
        return self._popen.poll()

    def signal(self, number):
        if self.alive():
            self._popen.send_signal(number)

    def wait(self):
        return self._popen.wait()

    def kill(self):
        self.signal(signal.SIGKILL)
        self._popen.wait()

    def stop(self, seconds=10):
        """Sends SIGTERM. Returns the exit code, or None if the process was killed after `seconds`."""
        self.signal(signal.SIGTERM)
        return self.end_within(seconds)

    def end_within(self, seconds):
        """Waits for the process. Returns its exit code, or None if it was killed after `seconds`."""
        try:
            return self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def last_lines(self, count=20):
        if not os.path.exists(self.log):
            return "(its log is removed already)"
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-count:])


def tail(process, lines=20):
    """The end of a process's output, for failures."""
    return f"--- {process.name} ({os.fspath(process.log)})\n{process.last_lines(lines)}"


class RunFolder:
    """A fresh folder under RUN for the data of one owner and the list of its processes."""

    def __init__(self, label):
        if "XEBEC_NODE_FOLDER" in os.environ:
            raise RuntimeError("from within an enclosure the owners of other folders cannot be seen: SharedFolder")
        paths.RUN.mkdir(parents=True, exist_ok=True)
        sweep()
        self.path = paths.RUN / f"{label}-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
        # The owner is written before the folder gets its name: sweep() never meets a folder without one.
        draft = paths.RUN / f".{self.path.name}"
        draft.mkdir(mode=0o700)
        self._record(draft / "processes", os.getpid(), "owner")
        draft.rename(self.path)
        self._started = []

    @staticmethod
    def _record(file, pid, name):
        with open(file, "a", encoding="utf-8") as out:
            out.write(f"{pid} {start_time(pid) or 0} {name}\n")

    def start(self, name, argv, env=None):
        return self._own(Process(name, argv, self.path / f"{name}.log", env))

    def start_in_terminal(self, name, argv, env=None):
        return self._own(Process(name, argv, None, env))

    def _own(self, process):
        self._record(self.path / "processes", process.pid, process.name)
        self._started.append(process)
        return process

    def make_cgroups(self):
        """Creates control groups with the name of the folder; close() removes them."""
        cgroups.make(self.path.name)

    def close(self, keep=False):
        """Kills the running processes, youngest first, and removes the folder."""
        for process in reversed(self._started):
            process.kill()
        cgroups.remove(self.path.name)
        if not keep:
            shutil.rmtree(self.path, ignore_errors=True)


class SharedFolder(RunFolder):
    """A folder of an owner outside of our process namespace, who ends that namespace and removes the folder: what we
    start needs no record, and others' processes cannot be seen from here."""

    def __init__(self, path):
        self.path, self._started = path, []

    @staticmethod
    def _record(file, pid, name):
        pass

    def make_cgroups(self):
        raise RuntimeError("they are the owner's")

    def close(self, keep=True):
        """Everything goes with the namespace."""


def recorded(folder):
    """[(pid, start time, name)], the owner first; empty if the list is missing or incomplete."""
    try:
        lines = (folder / "processes").read_text(encoding="utf-8").splitlines()
        return [(int(pid), int(start), name) for pid, start, name in (line.split() for line in lines)]
    except (OSError, ValueError):
        return []


def is_running(pid, start):
    return start != 0 and start_time(pid) == start


def end(folder):
    """Kills the processes recorded in a folder, the owner first, and removes it."""
    for pid, start, _ in recorded(folder):
        if is_running(pid, start):
            os.kill(pid, signal.SIGKILL)
    cgroups.remove(folder.name)
    shutil.rmtree(folder, ignore_errors=True)


def sweep():
    """Ends the processes of owners that no longer run, and removes their folders."""
    for folder in paths.RUN.iterdir():
        if folder.is_symlink() or not folder.is_dir():
            continue
        entries = recorded(folder)
        if (not entries or not is_running(*entries[0][:2])) and not just_being_made(folder):
            end(folder)


def just_being_made(folder):
    """True while another process creates the folder."""
    try:
        return folder.name.startswith(".") and time.time() - folder.stat().st_mtime < 60
    except FileNotFoundError:
        return True
