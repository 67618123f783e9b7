# SPDX-License-Identifier: Apache-2.0
"""Own CPU by function and by thread, from perf."""

import collections
import re
import shutil
import subprocess

HERTZ = 499
# A line of perf script -F comm,pid,ip,sym.
_SAMPLE = re.compile(r"^\s*(?P<comm>.+)\s+(?P<pid>\d+)\s+[0-9a-f]{6,}\s+(?P<symbol>.*)$")


class Perf:
    """Samples processes until stop()."""

    def __init__(self, folder, pids):
        self._data = folder / "perf.data"
        self._process = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(HERTZ), "-o", self._data, "-p",
                                          ",".join(map(str, pids))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        """[(pid, thread, function)] of each sample."""
        self._process.terminate()
        self._process.wait()
        text = subprocess.run(["perf", "script", "-i", self._data, "-F", "comm,pid,ip,sym"], capture_output=True, text=True, check=True).stdout
        return samples(text)


def available():
    return shutil.which("perf") is not None


def samples(text):
    matches = filter(None, map(_SAMPLE.match, text.splitlines()))
    return [(int(match["pid"]), match["comm"].strip(), short(match["symbol"])) for match in matches]


def short(symbol):
    """A C++ name without arguments and template arguments."""
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)( const)?", "", symbol)) != symbol:
        symbol = shorter
    return symbol.strip() or "(unknown)"


def most(counted, number):
    """[(name, share)] of the most frequent."""
    counts = collections.Counter(counted)
    everything = sum(counts.values())
    return [(name, count / everything) for name, count in counts.most_common(number)]
