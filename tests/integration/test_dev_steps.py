# SPDX-License-Identifier: Apache-2.0
"""Steps of ./dev: they show for how long they run, and none outlives the shell that began it."""

import re
import subprocess

import pytest

from support import paths, processes
from support.eventually import eventually

# Two steps side by side, as ./dev test has them. Each tells the processes of its group: itself and a child.
SCRIPT = """
. scripts/lib/common.sh
logs=$1 progress_every=1
group='$BEFORE echo $$; sleep 600 & echo $!; wait; wait'
begin_step beside bash -c "$group"
step 'a long one' bash -c "$group"
"""


@pytest.mark.parametrize("before", ["", "trap '' TERM;"])
def test_a_step_shows_how_long_it_runs_and_ends_with_the_shell(tmp_path, before):
    out = tmp_path / "out"
    with open(out, "wb") as file:
        shell = subprocess.Popen(processes.guarded(["bash", "-c", SCRIPT.replace("$BEFORE", before.replace("'", "'\\''")), "dev", tmp_path]),
                                 cwd=paths.ROOT, stdout=file, stderr=subprocess.STDOUT)
    eventually(lambda: re.search(r"^  … a long one, [1-9]\d* s", out.read_text(), re.M), what="it shows for how long it has been running")
    pids = [int(pid) for log in ("beside", "a-long-one") for pid in (tmp_path / f"{log}.log").read_text().split()]
    begun = {pid: processes.start_time(pid) for pid in pids}
    assert len(begun) == 4 and None not in begun.values()

    shell.kill()
    shell.wait()

    eventually(lambda: not any(processes.is_running(pid, start or 0) for pid, start in begun.items()), what="none of them is left")
