# SPDX-License-Identifier: Apache-2.0
"""What processes have used: CPU time and memory, from /proc."""

import collections
import os
import re
import resource

MIB = 2**20
# CPU seconds (user and system), resident set and proportional set in bytes. The proportional set divides each shared
# page by the number of its users, so that the sum over processes is what they really take.
Usage = collections.namedtuple("Usage", "cpu rss pss")


def cpu_seconds(stat, ticks=os.sysconf("SC_CLK_TCK")):
    """From the text of /proc/PID/stat."""
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / ticks


def set_sizes(rollup):
    """(resident, proportional) in bytes, from the text of /proc/PID/smaps_rollup."""
    kilobytes = dict(re.findall(r"^(Rss|Pss):\s+(\d+) kB$", rollup, re.M))
    return int(kilobytes["Rss"]) * 1024, int(kilobytes["Pss"]) * 1024


def _read(pid, name):
    with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
        return file.read()


def cpu(pid):
    return cpu_seconds(_read(pid, "stat"))


def cpu_of_children():
    """CPU seconds of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def usage(pid):
    return Usage(cpu(pid), *set_sizes(_read(pid, "smaps_rollup")))


def total(usages):
    """The sum of several processes."""
    return Usage(*map(sum, zip(*usages)))
