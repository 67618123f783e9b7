# SPDX-License-Identifier: Apache-2.0
"""Control groups of a node's containers: one group of a run's name in each hierarchy. And groups that limit the CPU
time of a process."""

import contextlib
import os
import pathlib
import time

_MOUNTED = pathlib.Path("/sys/fs/cgroup")
_PERIOD_US = 100_000  # as kubelet sets it


def _is_version_2():
    return (_MOUNTED / "cgroup.controllers").exists()


def _hierarchies():
    if _is_version_2():
        return [_MOUNTED]
    mounted = _MOUNTED.iterdir() if _MOUNTED.is_dir() else []
    return [path for path in mounted if path.is_dir() and not path.is_symlink() and (path / "cgroup.procs").exists()]


def make(name):
    for hierarchy in _hierarchies():
        group = hierarchy / name
        group.mkdir()
        for file in ("cpuset.cpus", "cpuset.mems"):  # a new group of version 1 has none, and could hold no process
            if (group / file).exists() and not (hierarchy / "cgroup.controllers").exists():
                (group / file).write_text((hierarchy / file).read_text())


def remove(name, timeout=10):
    """With all groups in them, as soon as the processes that were in them have ended."""
    deadline = time.monotonic() + timeout
    while left := [group for group in (hierarchy / name for hierarchy in _hierarchies()) if group.is_dir()]:
        for group in left:
            for path, _, _ in os.walk(group, topdown=False):
                try:
                    os.rmdir(path)
                except OSError:
                    pass
        if time.monotonic() > deadline:
            return
        time.sleep(0.02)


@contextlib.contextmanager
def limited(pid, cpu_share):
    """The process may use that share of a CPU, in a control group of its own. It has to end before the context does."""
    group, quota = (_MOUNTED if _is_version_2() else _MOUNTED / "cpu") / f"xebec-limited-{pid}", int(_PERIOD_US * cpu_share)
    group.mkdir()
    try:
        if _is_version_2():
            (group / "cpu.max").write_text(f"{quota} {_PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(quota))
        (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        with contextlib.suppress(OSError):
            group.rmdir()
