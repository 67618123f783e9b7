# SPDX-License-Identifier: Apache-2.0
"""Own CPU by function, by library and by thread, from perf."""

import collections
import re
import shutil
import subprocess

HERTZ = 499
# A line of perf script -F comm,pid,ip,sym,dso.
_SAMPLE = re.compile(r"^\s*(?P<comm>.+)\s+(?P<pid>\d+)\s+[0-9a-f]{6,}\s+(?P<symbol>.*?)\s+\((?P<dso>\S+)\)$")

Sample = collections.namedtuple("Sample", "pid thread function library")


class Perf:
    """Samples processes until stop()."""

    def __init__(self, folder, pids):
        self._data = folder / "perf.data"
        self._process = subprocess.Popen(["perf", "record", "-q", "-e", "cpu-clock", "-F", str(HERTZ), "-o", self._data, "-p",
                                          ",".join(map(str, pids))], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def stop(self):
        """[Sample]"""
        self._process.terminate()
        self._process.wait()
        text = subprocess.run(["perf", "script", "-i", self._data, "-F", "comm,pid,ip,sym,dso"], capture_output=True, text=True, check=True).stdout
        return samples(text)


def available():
    return shutil.which("perf") is not None


def samples(text):
    return [sample(match) for match in map(_SAMPLE.match, text.splitlines()) if match]


def sample(match):
    """The functions of a library without symbols are one function."""
    library, function = owner(match["dso"]), short(match["symbol"])
    return Sample(int(match["pid"]), match["comm"].strip(), f"{library}, without a symbol" if function == "[unknown]" else function, library)


def owner(dso):
    """The kernel, or the name of a file without its version."""
    return "kernel" if dso.startswith("[kernel") else re.sub(r"\.so[.0-9]*$", "", dso.rpartition("/")[2])


def short(symbol):
    """A C++ name without arguments and template arguments."""
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)( const)?", "", symbol)) != symbol:
        symbol = shorter
    return symbol.strip() or "[unknown]"


def most(counted, number):
    """[(name, share)] of the most frequent."""
    counts = collections.Counter(counted)
    everything = sum(counts.values())
    return [(name, count / everything) for name, count in counts.most_common(number)]
