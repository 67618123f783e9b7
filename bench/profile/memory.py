# SPDX-License-Identifier: Apache-2.0
"""Memory of a process by owner, from /proc/PID/smaps, and what the allocator says."""

import collections
import os
import re

_HEAD = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ *(.*)$")
Mapping = collections.namedtuple("Mapping", "begin end permissions path rss pss")


def mappings(smaps):
    found, head, sizes = [], None, {}
    for line in [*smaps.splitlines(), "0-0 ---p 0 0 0 "]:
        match = _HEAD.match(line)
        if not match:
            name, _, value = line.partition(":")
            sizes[name] = value
            continue
        if head:
            found.append(Mapping(int(head[1], 16), int(head[2], 16), head[3], head[4], kilobytes(sizes, "Rss"), kilobytes(sizes, "Pss")))
        head, sizes = match, {}
    return found


def kilobytes(sizes, name):
    return int(sizes.get(name, "0 kB").split()[0])


def owner(mapping, before, program):
    """`before`: the mapping at the next lower address, or None."""
    kind = "text" if "x" in mapping.permissions else "data"
    if mapping.path == program:
        return f"program, {kind}"
    if mapping.path.startswith("/"):
        return f"libraries, {kind}"
    if mapping.path == "[stack]" or (before and before.end == mapping.begin and before.permissions == "---p" and not mapping.path):
        return "stacks"  # below each stack of a thread is a guard page
    return "heap" if mapping.path in ("", "[heap]") else "other"


def by_owner(smaps, program):
    """{owner: (resident, proportional)} in kB."""
    total, before = collections.defaultdict(lambda: (0, 0)), None
    for mapping in mappings(smaps):
        rss, pss = total[name := owner(mapping, before, program)]
        total[name] = rss + mapping.rss, pss + mapping.pss
        before = mapping
    return dict(total)


def libraries(smaps, number=8):
    """[(library, resident, proportional)] in kB, largest first."""
    total = collections.defaultdict(lambda: (0, 0))
    for mapping in mappings(smaps):
        if ".so" in mapping.path:
            rss, pss = total[name := os.path.basename(mapping.path)]
            total[name] = rss + mapping.rss, pss + mapping.pss
    return sorted(((name, *sizes) for name, sizes in total.items()), key=lambda row: -row[2])[:number]


def allocator(log):
    """What jemalloc last printed: {"allocated": bytes, "active": ..., "metadata": ..., "resident": ...}. Empty without
    it."""
    lines = re.findall(r"^Allocated: (\d+), active: (\d+), metadata: (\d+)[^,]*, resident: (\d+)", log, re.M)
    return dict(zip(("allocated", "active", "metadata", "resident"), map(int, lines[-1]))) if lines else {}


def read(pid):
    """(smaps, path of the program)"""
    with open(f"/proc/{pid}/smaps", encoding="utf-8", errors="replace") as file:
        return file.read(), os.readlink(f"/proc/{pid}/exe")
