# SPDX-License-Identifier: Apache-2.0
"""Control groups of a node's containers: one group of a run's name in each hierarchy."""

import os
import pathlib
import time

_MOUNTED = pathlib.Path("/sys/fs/cgroup")


def _hierarchies():
    if (_MOUNTED / "cgroup.controllers").exists():  # version 2 alone
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


def remove(name, patience=10):
    """With all groups in them, as soon as the processes that were in them have ended."""
    deadline = time.monotonic() + patience
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
