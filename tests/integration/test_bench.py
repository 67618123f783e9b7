# SPDX-License-Identifier: Apache-2.0
"""A short run of the benchmark measures every figure of docs/performance.md."""

import os
import re
import subprocess
import sys

import pytest

from support import paths

PAGE = paths.ROOT / "docs/performance.md"


def names_of_rows(text):
    """The first column of each table where it is words, without numbers and without what is wanted only for some numbers of parents."""
    columns = [line.split("|")[1].strip() for line in text[text.index("|  |"):].splitlines() if line.startswith("| ")]
    return [re.sub(r"[\d,.]+", "N", column) for column in columns if not column[:1].isdigit() and column[:1] != "≥"]


@pytest.mark.skipif(os.environ.get("XEBEC_PRESET") != "release", reason="measures what ships")
def test_a_short_run_measures_every_figure_and_leaves_the_page_as_it_is():
    before = PAGE.read_text()
    done = subprocess.run(
        [sys.executable, "-m", "bench.measure", "--dry-run", "--counts", "5,6", "--runs", "1", "--rest-seconds", "1", "--latency-parents", "3",
         "--updates", "6", "--foreign-pods", "9", "--namespace-parents", "3"], env=os.environ | {"PYTHONPATH": f"{paths.ROOT / 'tests'}:{paths.ROOT}"}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert PAGE.read_text() == before
    assert names_of_rows(done.stdout) == names_of_rows(before.partition("<!-- figures -->")[2].partition("<!-- end -->")[0])
