# SPDX-License-Identifier: Apache-2.0
"""The commands of README.md that need no cluster, on a free port."""

import os
import re
import subprocess

import pytest

from support import paths
from test_planner_alone import planner  # noqa: F401 - a fixture


def commands():
    """Those of "Request a plan from the planner", but for the build and for the planner itself, which runs already."""
    section = re.split(r"(?m)^## ", (paths.ROOT / "README.md").read_text(encoding="utf-8").partition("## Request a plan from the planner\n")[2])[0]
    found = re.findall(r"(?m)^ {4}(.*)$", section)
    assert found[0] == "./dev build" and found[1] == "build/dev/bin/xebec-planner --listen 127.0.0.1:7443 &"
    return found[2:]


@pytest.fixture
def terminal(planner):  # noqa: F811
    path = os.pathsep.join([os.path.dirname(paths.controlplane_binary("grpcurl")), os.environ["PATH"]])

    def run(command):
        command = command.replace("127.0.0.1:7443", planner.address).replace("build/dev/bin/xebec ", paths.service_binary("xebec") + " ")
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=paths.ROOT, env=os.environ | {"PATH": path}, capture_output=True,
                              text=True, check=False, timeout=60)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout
    return run


def test_the_planner_answers_the_commands_of_the_readme(terminal):
    plan, describe, offline = commands()
    assert '"INTENT_ENSURE"' in terminal(plan)
    assert "message Observation {" in terminal(describe)
    assert "apply   Deployment default/iris" in terminal(offline)
