# SPDX-License-Identifier: Apache-2.0
"""The promises of docs/kinds.md, with real containers. Images are substitutes under the names that the examples use."""

import os
import signal

import pytest

from parents import DATABASE, IMMORTAL, IMMORTAL_TOO, IRIS, POD_SET, iris, parent
from support import manifests
from support.eventually import eventually
from support.release import ready

TIMEOUT = 120
DEPLOYMENTS = "deployments.apps"


def pod_is_ready(pod):
    return manifests.condition(pod, "Ready").get("status") == "True"


def restarts(pod):
    return pod["status"]["containerStatuses"][0]["restartCount"]


def test_every_example_runs_as_it_stands(node, kube, release, postgres):
    for file in manifests.example_files():
        node.kubectl("apply", "-n", "default", "-f", file)
    crds = {(crd["spec"]["group"], crd["spec"]["names"]["kind"]): crd["metadata"]["name"] for crd in manifests.crds()}
    documents = [document for file in manifests.example_files() for document in manifests.read(file)]
    assert documents
    for document in documents:
        resource, name = crds[document["apiVersion"].partition("/")[0], document["kind"]], document["metadata"]["name"]
        eventually(lambda: ready(kube.get(resource, name, "default")), TIMEOUT, every=0.5, what=f"{resource} {name} is Ready")
    phases = {pod["metadata"]["name"]: pod["status"]["phase"] for pod in kube.list("pods", "default")}
    assert set(phases.values()) <= {"Running", "Succeeded"}, phases  # the latter are init Jobs
    for document in documents:
        resource = crds[document["apiVersion"].partition("/")[0], document["kind"]]
        kube.delete(resource, document["metadata"]["name"], "default")


def test_a_podset_follows_kubectl_scale(node, here):
    here.create(parent(POD_SET, "set", replicas=1))
    here.becomes("pods", "set-pod-0", pod_is_ready, "is Ready", TIMEOUT)
    node.kubectl("scale", POD_SET, "set", "--replicas=3", "-n", here.name)
    here.becomes("pods", "set-pod-2", pod_is_ready, "is Ready", TIMEOUT)
    assert here.names("pods") == ["set-pod-0", "set-pod-1", "set-pod-2"]


@pytest.mark.brief
def test_an_immortal_containers_process_that_is_killed_comes_back(node, here):
    here.create(parent(IMMORTAL, "phoenix", image="nginx:latest"))
    pod = here.becomes("pods", "phoenix-immortalpod", pod_is_ready, "is Ready", TIMEOUT)

    os.kill(node.pid_of(pod["metadata"]["uid"]), signal.SIGKILL)

    here.becomes("pods", "phoenix-immortalpod", lambda p: pod_is_ready(p) and restarts(p) == 1, "runs again", TIMEOUT)
    assert here.get(IMMORTAL, "phoenix")["status"]["startTimes"] == 1, "the Pod itself was never replaced"


def test_an_immortal_container_that_exits_is_restarted_and_counted(node, here):
    here.create(parent(IMMORTAL_TOO, "phoenix", image="nginx:latest"))  # restart policy OnFailure
    before = here.becomes("pods", "phoenix-immortalpod", pod_is_ready, "is Ready", TIMEOUT)

    node.kubectl("exec", "-n", here.name, "phoenix-immortalpod", "--", "sh", "-c", "echo 0 >/tmp/end")

    here.becomes("pods", "phoenix-immortalpod", lambda p: pod_is_ready(p) and p["metadata"]["uid"] != before["metadata"]["uid"],
                 "is a new one", TIMEOUT)
    here.becomes(IMMORTAL_TOO, "phoenix", lambda i: i["status"]["startTimes"] == 2, "has counted two starts", TIMEOUT)


def test_an_immortal_container_whose_pod_is_deleted_comes_back(node, here):
    here.create(parent(IMMORTAL, "phoenix", image="nginx:latest"))
    before = here.becomes("pods", "phoenix-immortalpod", pod_is_ready, "is Ready", TIMEOUT)
    node.kubectl("delete", "pod", "phoenix-immortalpod", "-n", here.name)
    here.becomes("pods", "phoenix-immortalpod", lambda p: pod_is_ready(p) and p["metadata"]["uid"] != before["metadata"]["uid"],
                 "is a new one", TIMEOUT)


@pytest.mark.brief
def test_an_iris_scales_and_renames_with_running_pods(node, here):
    def is_rolled_out(count):
        return lambda item: item.get("status", {}).get("readyReplicas") == count
    here.create(iris("flower", deploymentName="first", replicas=1))
    here.becomes(DEPLOYMENTS, "first", is_rolled_out(1), "has one ready Pod", TIMEOUT)

    node.kubectl("scale", IRIS, "flower", "--replicas=3", "-n", here.name)
    here.becomes(IRIS, "flower", is_rolled_out(3), "says three", TIMEOUT)

    here.change(IRIS, "flower", {"deploymentName": "second"})
    here.is_gone(DEPLOYMENTS, "first")
    here.becomes(DEPLOYMENTS, "second", is_rolled_out(3), "has three ready Pods", TIMEOUT)


def query(node, here, sql, database="postgres"):
    """As a client would: by the Database's Service and its password."""
    return node.kubectl("exec", "-n", here.name, "db-0", "--", "sh", "-c",
                        f'PGPASSWORD=$POSTGRES_PASSWORD psql -h db-0.db -U postgres -d {database} -Atc "{sql}"').strip()


def test_a_database_runs_on_a_real_server_is_initialized_and_keeps_its_data(node, here, postgres):
    here.create(parent(DATABASE, "db", **{"image": "postgres:16", "name": "shop", "storage-size": "1G"}))
    here.becomes(DATABASE, "db", ready, "is Ready", 180)
    assert manifests.condition(here.get(DATABASE, "db"), "Initialized")["status"] == "True"
    assert query(node, here, "select datname from pg_database where datname = 'shop'") == "shop", "the init Job made it"
    query(node, here, "create table orders as select 42 as number", "shop")

    before = here.get("pods", "db-0")["metadata"]["uid"]
    node.kubectl("delete", "pod", "db-0", "-n", here.name)
    here.becomes("pods", "db-0", lambda pod: pod_is_ready(pod) and pod["metadata"]["uid"] != before, "is a new one", TIMEOUT)

    eventually(lambda: query(node, here, "select number from orders", "shop") == "42", 60, every=0.5, what="the data is there")


def test_a_database_made_again_finds_its_data_and_its_password(node, here, postgres):
    spec = {"image": "postgres:16", "name": "shop", "storage-size": "1G"}
    here.create(parent(DATABASE, "db", **spec))
    here.becomes(DATABASE, "db", ready, "is Ready", 180)
    query(node, here, "create table orders as select 7 as number", "shop")

    node.kubectl("delete", DATABASE, "db", "-n", here.name, "--cascade=foreground")
    here.is_gone("statefulsets.apps", "db")
    eventually(lambda: here.names("pods") == [], 60, what="its Pods are gone")
    here.create(parent(DATABASE, "db", **spec))

    here.becomes(DATABASE, "db", ready, "is Ready", 180)
    assert query(node, here, "select number from orders", "shop") == "7"
