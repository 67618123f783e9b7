# SPDX-License-Identifier: Apache-2.0
"""docker-compose.yml on a Docker daemon that the test starts; the cluster has no node."""

import json
import os
import urllib.request

import pytest

from parents import IRIS, iris
from support import grpcurl, paths
from support.cluster import start_cluster
from support.eventually import eventually
from support.namespace import Namespace
from support.processes import SharedFolder

CALLER = 4242, 4243  # user and group that nothing else here has
PLANNER = "127.0.0.1:7443"
METRICS = {"planner": (8080, "xebec_plans_total"), "watcher": (8081, "workqueue_adds_total"), "applier": (8082, "xebec_apply_writes_allowed")}


@pytest.fixture(scope="module", autouse=True)
def image(docker):
    [archive] = paths.image_folder().glob("xebec-*.tar")
    docker.run("load", "-i", archive)


@pytest.fixture
def down(docker):
    """Takes away what the test has brought up; every service has ended by itself, in good order."""
    yield
    docker.compose("stop")
    ids = docker.run("ps", "--all", "--quiet").split()
    ended = {each["Name"]: each["State"]["ExitCode"] for each in json.loads(docker.run("inspect", *ids))}
    docker.compose("down")
    assert set(ended.values()) == {0}, ended


def running(docker):
    return set(docker.compose("ps", "--services", "--filter", "status=running").split())


def test_up_planner_gives_a_planner_to_ask(docker, down):
    docker.compose("up", "-d", "planner")
    answer = eventually(lambda: grpcurl.call(PLANNER, "PlannerService/Plan", (paths.EXAMPLES / "iris/request.json").read_text()), 30)
    assert answer["plan"]["children"]
    assert running(docker) == {"planner"}


@pytest.mark.parametrize("usual_place", [False, True], ids=["of-the-variable", "in-the-home-folder"])
def test_up_gives_the_services_on_the_cluster_of_the_callers_kubeconfig(docker, down, folder, usual_place):
    beside = SharedFolder(folder.path / f"compose-{usual_place}")
    beside.path.mkdir()
    cluster = start_cluster(beside)
    kubeconfig = beside.path / (".kube/config" if usual_place else "of-the-caller")
    kubeconfig.parent.mkdir(exist_ok=True)
    kubeconfig.write_text(cluster.kubeconfig.read_text())
    kubeconfig.chmod(0o600)
    os.chown(kubeconfig, *CALLER)
    here = Namespace(cluster.client(), "default")

    place = {"HOME": str(beside.path), "KUBECONFIG": ""} if usual_place else {"KUBECONFIG": str(kubeconfig)}
    docker.compose("up", "-d", **place, XEBEC_USER="{}:{}".format(*CALLER))

    here.create(iris("composed"))
    here.becomes("deployments.apps", "composed", lambda deployment: deployment["spec"]["replicas"] == 1, "is there", 60)
    here.becomes(IRIS, "composed", lambda item: item["status"]["observedGeneration"] == 1, "has a status of ours", 60)
    assert running(docker) == {"planner", "watcher", "applier"}
    for name, (port, family) in METRICS.items():
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            assert family in answer.read().decode(), name
