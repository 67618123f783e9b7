# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/quickstart.md for kind and minikube, in their order, on a node whose images are already
there."""

import pytest

from support import paths
from support.eventually import eventually
from support.namespace import Namespace
from support.release import NS
from support.terminal import Terminal, documented

POD_SET = "podsets.app.example.com"
OUTPUT = paths.ROOT / "build/quickstart.txt"  # what the page shows is taken from here


@pytest.fixture
def terminal(node, tmp_path):
    return Terminal(node, tmp_path, OUTPUT)


@pytest.mark.brief
def test_the_quickstart_works_as_written(release, kube, terminal):
    default = Namespace(kube, "default")
    terminal.run(f"helm list --namespace {NS}")
    install, wait, pods, check = documented("quickstart.md", "Step 3: install the chart")
    assert install.startswith("helm install xebec charts/xebec ")  # the fixture has done it
    for command in (wait, pods, check):
        terminal.run(command)

    apply, wait, show = documented("quickstart.md", "Step 4: create a PodSet")
    terminal.run(apply)
    terminal.run(wait)
    assert "example-podset-pod-2" in terminal.run(show)

    delete, wait, show, describe = documented("quickstart.md", "Step 5: delete a Pod")
    for command in (delete, wait, show):
        terminal.run(command)
    assert "Created pod" in terminal.run(describe)

    for command in documented("quickstart.md", "Step 6: explain the state of the PodSet"):
        terminal.run(command)

    save, preview = documented("quickstart.md", "Step 7: preview a change")
    terminal.run(save)
    assert "example-podset-pod-2" in terminal.run(preview)

    remove, *uninstall = documented("quickstart.md", "Step 8: clean up")
    terminal.run(remove)
    eventually(lambda: default.names("pods") == [], 120, what="the Pods go with the PodSet")
    assert uninstall[0].startswith("helm uninstall xebec ")
