# SPDX-License-Identifier: Apache-2.0
"""docs/settings.md lists the settings that the built programs have."""

import pathlib
import subprocess

from support import paths


def test_the_settings_reference_matches_the_programs():
    folder = pathlib.Path(paths.service_binary("xebec-watcher")).parent
    done = subprocess.run([paths.ROOT / "scripts/settings_reference.py", "--check", folder], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
