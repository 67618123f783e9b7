# SPDX-License-Identifier: Apache-2.0
"""Short runs of the benchmarks measure every figure of docs/performance.md."""

import os
import re
import subprocess
import sys

import pytest

from support import paths

PAGE = paths.ROOT / "docs/performance.md"
of_what_ships = pytest.mark.skipif(os.environ.get("XEBEC_PRESET") != "release", reason="measures what ships")


def names_of_rows(text):
    """The first column of each table where it is words, without numbers and without what is wanted only for some
    numbers of parents."""
    columns = [line.split("|")[1].strip() for line in text[text.index("\n| "):].splitlines() if line.startswith("| ")]
    return [re.sub(r"[\d,.]+", "N", column) for column in columns if not column[:1].isdigit() and column[:1] != "≥"]


def figures_of(mark):
    return PAGE.read_text().partition(f"<!-- {mark} -->")[2].partition("<!-- end -->")[0]


def run(module, *flags):
    """What a short run prints. The page stays as it is."""
    before = PAGE.read_text()
    done = subprocess.run([sys.executable, "-m", module, "--dry-run", "--counts", "5,6", "--runs", "1", "--idle-seconds", "1", *flags],
                          env=os.environ | {"PYTHONPATH": f"{paths.ROOT / 'tests'}:{paths.ROOT}"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert PAGE.read_text() == before
    return done.stdout


@of_what_ships
def test_a_short_run_measures_every_figure():
    printed = run("bench.measure", "--latency-parents", "3", "--updates", "6", "--foreign-pods", "9", "--namespace-parents", "3")
    assert names_of_rows(printed) == names_of_rows(figures_of("figures"))


@of_what_ships
def test_a_short_run_measures_every_figure_of_hooks():
    printed = run("bench.hooks", "--latency-parents", "20", "--slow-parents", "5", "--hanging-parents", "6", "--declarations", "20")
    assert names_of_rows(printed) == names_of_rows(figures_of("figures of hooks"))


@of_what_ships
def test_a_short_run_measures_every_figure_of_watchers():
    printed = run("bench.shares", "--counts", "1,3", "--parents", "20", "--foreign-pods", "20", "--new-pods", "20",
                  "--limited-parents", "20", "--cpu-limit", "0.5", "--calm-seconds", "1", "--moved-parents", "2000", "--most-watchers", "5")
    assert names_of_rows(printed) == names_of_rows(figures_of("figures of watchers"))
