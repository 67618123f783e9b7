# SPDX-License-Identifier: Apache-2.0
"""What processes have used: CPU time and memory."""

import collections
import re
import resource
import time

MIB = 2**20
# CPU seconds (user and system); resident set, proportional set and anonymous memory in bytes. The proportional set
# divides each shared page by the number of its users, so that the sum over processes is what they really take.
# Anonymous memory is the part of the resident set that no file backs: heap, stacks and changed pages of programs.
Usage = collections.namedtuple("Usage", "cpu rss pss anonymous")


def set_sizes(rollup):
    """(resident, proportional, anonymous) in bytes, from the text of /proc/PID/smaps_rollup."""
    kilobytes = dict(re.findall(r"^(\w+):\s+(\d+) kB$", rollup, re.M))
    return tuple(int(kilobytes[name]) * 1024 for name in ("Rss", "Pss", "Anonymous"))


def _read(pid, name):
    with open(f"/proc/{pid}/{name}", encoding="utf-8", errors="replace") as file:
        return file.read()


def cpu(pid):
    """CPU seconds of all threads, also of those that have ended. The kernel's CPU clock of the process counts
    nanoseconds; /proc/PID/stat counts hundredths of a second."""
    return time.clock_gettime(~pid << 3 | 2)  # CPUCLOCK_SCHED, see clock_getcpuclockid(3)


def cpu_of_children():
    """CPU seconds of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def usage(pid):
    return Usage(cpu(pid), *set_sizes(_read(pid, "smaps_rollup")))


def total(usages):
    """The sum of several processes."""
    return Usage(*map(sum, zip(*usages)))
