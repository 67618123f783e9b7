# SPDX-License-Identifier: Apache-2.0
"""What Helm shows after an installation."""

import re
import subprocess

import pytest

from support import chart


@pytest.mark.parametrize("name", ["default", "namespaces", "hooks", "podset-alone"])
def test_every_command_of_the_notes_is_complete(name):
    """A user copies the indented lines into a shell, which must not wait for more."""
    commands = re.findall(r"^  (?:kubectl|helm|echo|grpcurl) .*$", chart.notes(chart.VARIANTS[name]), re.M)
    assert any("kind: PodSet" in command for command in commands)
    for command in commands:
        done = subprocess.run(["bash", "-n"], input=command + "\n", capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), command
