# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/operators.md for a cluster, in their order, with the example in Go, on a node whose images are
already there."""

import pytest

from support import paths
from support.namespace import Namespace
from support.terminal import Terminal, documented

OUTPUT = paths.ROOT / "build/operators.txt"  # what the page shows is taken from here
PYTHON, GO = "examples/operators/python-website", "examples/operators/go-website"


@pytest.fixture
def terminal(node, tmp_path):
    return Terminal(node, tmp_path, OUTPUT)


def step(terminal, title):
    """Runs the commands of a step and returns what they print."""
    return terminal.run("\n".join(documented("operators.md", title)).replace(PYTHON, GO), timeout=300)


@pytest.mark.brief
def test_an_operator_runs_in_a_cluster_as_written(release, kube, terminal):
    step(terminal, "Step 7: allow Xebec to manage the kinds")
    release.wait_whole()
    try:
        step(terminal, "Step 8: start the program in the cluster")
        assert "<h1>Hello from Xebec</h1>" in step(terminal, "Step 9: create a Website in the cluster")
        default = Namespace(kube, "default")
        assert 'Created website "hello"' in [note for _, _, note in default.events("hello")]
        step(terminal, "Clean up")
        default.is_gone("deployments.apps", "hello")
    finally:
        release.upgrade()
