# SPDX-License-Identifier: Apache-2.0
"""Helm 4, which evaluates parents with kstatus, and `kubectl wait` recognise readiness and failure."""

import json
import subprocess

import pytest

from parents import DATABASE, DATABASE_CO, IMMORTAL, IMMORTAL_TOO, IRIS, POD_SET, parent
from support import chart, manifests, paths

RESOURCES = [crd["metadata"]["name"] for crd in manifests.crds_of_kinds()]
IMAGE = {DATABASE: {"image": "postgres"}, DATABASE_CO: {"image": "postgres"}, IMMORTAL: {"image": "nginx"}, IMMORTAL_TOO: {"image": "nginx"}}
LONG = "5m"  # Nobody waits that long here: it ends of itself.


@pytest.fixture
def helm_installs(cluster, here, tmp_path):
    """Puts manifests into a chart and installs it as Helm 4 does when it is to wait."""
    def install(*parents, timeout=LONG):
        (tmp_path / "templates").mkdir()
        (tmp_path / "Chart.yaml").write_text(json.dumps({"apiVersion": "v2", "name": "theirs", "version": "1.0.0"}))
        (tmp_path / "templates/parents.yaml").write_text("\n---\n".join(map(json.dumps, parents)))
        return chart.helm("install", "theirs", tmp_path, "--namespace", here.name, "--kubeconfig", cluster.kubeconfig, "--wait",
                          "--timeout", timeout, version=4)
    return install


def test_helm_waits_until_every_kind_is_ready(here, helm_installs):
    done = helm_installs(*(parent(resource, resource, **IMAGE.get(resource, {})) for resource in RESOURCES))
    assert done.returncode == 0, done.stderr
    for resource in RESOURCES:
        assert here.condition(resource, resource, "Ready")["status"] == "True"


def test_helm_does_not_take_what_nobody_has_seen_for_ready(services, helm_installs):
    services.watcher.stop()
    done = helm_installs(*(parent(resource, resource, **IMAGE.get(resource, {})) for resource in RESOURCES), timeout="1s")
    services.watcher.start()
    assert done.returncode != 0 and [line for line in done.stderr.splitlines() if "not ready. status: InProgress" in line] != [], done.stderr
    for resource in RESOURCES:
        assert f"/{resource} not ready" in done.stderr, done.stderr


def test_helm_gives_up_at_once_what_is_stalled(helm_installs):
    done = helm_installs(parent(IRIS, "good"), parent(IRIS, "bad", image=" blanks around "))
    assert done.returncode != 0
    assert "/bad not ready. status: Failed, message: spec.image" in done.stderr, done.stderr


def test_kubectl_waits_for_either_condition(cluster, here):
    here.create(parent(POD_SET, "good"))
    here.create(parent(POD_SET, "bad", image=" blanks around "))
    for name, awaited in ("good", "Ready"), ("bad", "Stalled"):
        command = [paths.controlplane_binary("kubectl"), "--kubeconfig", cluster.kubeconfig, "-n", here.name, "wait",
                   f"--for=condition={awaited}", f"--timeout={LONG}", f"{POD_SET}/{name}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
