# SPDX-License-Identifier: Apache-2.0
"""What people see with kubectl."""

import subprocess

import pytest

from parents import IRIS, iris
from support import paths


@pytest.fixture
def kubectl(cluster, here):
    """kubectl in the test's namespace; returns what it prints."""
    def run(*arguments):
        command = [paths.controlplane_binary("kubectl"), "--kubeconfig", cluster.kubeconfig, "-n", here.name, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


def test_get_xebec_shows_our_objects_with_useful_columns(here, kubectl):
    here.create(iris("sample", deploymentName="iris", replicas=2))
    here.is_ready(IRIS, "sample")

    shown = kubectl("get", "xebec")

    header, line = shown.strip().splitlines()
    assert header.split() == ["NAME", "DEPLOYMENT", "DESIRED", "READY", "STATUS", "AGE"], shown
    assert line.split()[1:4] == ["iris", "2", "2"] and "sample" in line, shown


def test_the_short_name_works(here, kubectl):
    here.create(iris("sample"))
    assert "sample" in kubectl("get", "ir")


def test_describe_shows_conditions_and_events(here, kubectl):
    here.create(iris("sample", deploymentName="iris"))
    here.is_ready(IRIS, "sample")
    here.has_event("sample", "Normal", "Created", 'Created deployment "iris"')

    shown = kubectl("describe", IRIS, "sample")

    assert "Ready" in shown and 'Created deployment "iris"' in shown, shown


def test_explain_knows_the_fields(kubectl):
    assert "deploymentName" in kubectl("explain", f"{IRIS.partition('.')[0]}.spec")
