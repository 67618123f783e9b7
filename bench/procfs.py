# SPDX-License-Identifier: Apache-2.0
"""What processes have used: CPU time and memory."""

import collections
import re
import resource
import time

MIB = 2**20
# CPU seconds (user and system), resident set and proportional set in bytes. The proportional set divides each shared
# page by the number of its users, so that the sum over processes is what they really take.
Usage = collections.namedtuple("Usage", "cpu rss pss")


def set_sizes(rollup):
    """(resident, proportional) in bytes, from the text of /proc/PID/smaps_rollup."""
    kilobytes = dict(re.findall(r"^(Rss|Pss):\s+(\d+) kB$", rollup, re.M))
    return int(kilobytes["Rss"]) * 1024, int(kilobytes["Pss"]) * 1024


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
