# SPDX-License-Identifier: Apache-2.0
"""`xebec-watcher check`, which `helm test` runs: one line, and a code that tells."""

import re
import subprocess

from support import paths
from support.trio import environment


def check(trio):
    addresses = [f"--{service.name}={service.address}" for service in trio.services]
    return subprocess.run([paths.service_binary("xebec-watcher"), "check", "--timeout=2s", *addresses], capture_output=True, text=True,
                          env=environment(), check=False)


def test_three_services_that_serve_pass(trio):
    done = check(trio)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(r"xebec-watcher check: watcher \(1\), planner \(1\), applier \(1\) serve; a new Iris would get a plan of "
                        r"\d+ operations?\n", done.stdout)


def test_a_service_that_is_gone_fails_it_by_name(trio):
    trio.applier.stop()
    done = check(trio)
    assert done.returncode == 1 and done.stderr.startswith("xebec-watcher check: applier at ipv4:127.0.0.1:"), done
    assert done.stderr.count("\n") == 1
