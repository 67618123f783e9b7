# SPDX-License-Identifier: Apache-2.0
"""Helpers of the checks: the list of files, and C++ text without comments and strings."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CPP = (".h", ".cc")
# Libraries without clock, threads, sockets, files, randomness and unordered containers (docs/architecture.md).
PURE = ("common/base", "common/model", "planner/core", "planner/kinds", "applier/engine", "watcher/engine", "hooks/engine", "devcluster/engine")


def files(*suffixes):
    """The project's files (tracked, or new and not ignored) with these endings, relative to ROOT."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split("\0")
    return [path for path in sorted(set(listed)) if path and (not suffixes or path.endswith(suffixes)) and (ROOT / path).is_file()]


def read(path):
    return (ROOT / path).read_text(encoding="utf-8", errors="replace")


_TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'',
                     re.S)


def bare(text):
    """C++ with comments and literals blanked out; line numbers stay."""
    return _TOKENS.sub(lambda m: ('""' if m[0][0] in '"R' else "") + "\n" * m[0].count("\n"), text)


def under(path, folders):
    return any(path.startswith(folder + "/") for folder in folders)


def finish(question, problems):
    """Prints the problems and ends with 1 if there are any."""
    for problem in problems:
        print(problem)
    print(f"{question}: {'no' if problems else 'yes'}" + (f", {len(problems)} problems" if problems else ""))
    sys.exit(1 if problems else 0)
