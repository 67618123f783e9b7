# SPDX-License-Identifier: Apache-2.0
"""Clusters that run the original operators: Xebec takes over their CRDs, parents and children unchanged."""

import pathlib

import pytest

from parents import (APP_SERVICE, DATABASE, DATABASE_CO, IMMORTAL, IMMORTAL_TOO, IRIS, IRIS_OF_TEST, POD_SET, parent)
from support import manifests, paths
from support.audit import AuditLog
from support.controlplane import ControlPlane
from support.eventually import eventually
from support.fake_node import FakeNode
from support.manifests import condition
from support.namespace import controller
from support.processes import RunFolder
from support.quiescence import assert_quiescent, wait_for_quiescence
from support.services import Services

FILES = pathlib.Path(__file__).parent / "inherited"
ORIGINAL = "original-operator"
DIGEST = "xebec.dev/desired-digest"
# Whose CRDs serve no status subresource, and what else they lack beside what all lack (scale).
WITHOUT_STATUS = [IRIS, APP_SERVICE, DATABASE]
WITH_STATUS = [IRIS_OF_TEST, POD_SET, IMMORTAL, IMMORTAL_TOO]
WITH_CHILDREN = [IRIS, IRIS_OF_TEST, POD_SET, APP_SERVICE, IMMORTAL, IMMORTAL_TOO]
CHILDREN = {IRIS: "deployments.apps", IRIS_OF_TEST: "deployments.apps"}
RUNNING = ("deployments.apps", "replicasets.apps", "pods")


# ---- a control plane with the CRDs of the originals, and services for it; they shadow those of conftest.py ----

@pytest.fixture(scope="module")
def folder():
    run = RunFolder("test-inherited")
    yield run
    run.close()


@pytest.fixture(scope="module")
def cluster(folder):
    controlplane = ControlPlane(folder)
    controlplane.start()
    client = controlplane.client()
    manifests.apply_all(client, manifests.read(paths.RBAC))
    manifests.install(client, manifests.read(FILES / "crds.yaml"))
    return controlplane


@pytest.fixture(scope="module")
def kube(cluster):
    return cluster.client()


@pytest.fixture(scope="module")
def audit(cluster):
    return AuditLog(cluster.audit_file)


@pytest.fixture(scope="module")
def node(cluster):
    node = FakeNode(cluster.client()).start()
    yield node
    node.stop()


@pytest.fixture(scope="module")
def shared_services(folder, cluster, node):
    services = Services(folder, {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig})
    yield services
    services.stop()


# ---- what an original left behind ------------------------------------------------------------------------------------

def leave_behind(here, resource):
    """The parent and the children of an original operator, as it posted them and with the status that it wrote."""
    wanted, *children = manifests.read(FILES / f"{resource}.yaml")
    made = here.kube.create(wanted, here.name, ORIGINAL)
    if "status" in wanted and "status" not in made:
        made = here.kube.patch(resource, "sample", here.name, {"status": wanted["status"]}, "status")
    for child in children:
        child["metadata"]["ownerReferences"][0]["uid"] = made["metadata"]["uid"]
        here.kube.create(child, here.name, ORIGINAL)
    return made


def running(here):
    """{(kind, name): uid} of all that runs."""
    return {(kind, item["metadata"]["name"]): item["metadata"]["uid"] for kind in RUNNING for item in here.kube.list(kind, here.name)}


def all_pods_ready(here, count):
    eventually(lambda: sum(condition(pod, "Ready").get("status") == "True" for pod in here.kube.list("pods", here.name)) == count,
               what=f"{count} Pods are ready")


def replicas_of(item):
    return item["spec"].get("replicas", 1)


@pytest.fixture
def taken_over(here, services, audit):
    """Leaves an original's objects behind while no watcher runs, then lets the services take them over. Returns what
    ran before."""
    def take(resource):
        services.watcher.stop()
        made = leave_behind(here, resource)
        all_pods_ready(here, replicas_of(made))
        before = running(here)
        services.watcher.start().wait_ready()
        kind = CHILDREN.get(resource, "pods")
        eventually(lambda: all(DIGEST in c["metadata"].get("annotations", {}) for c in here.kube.list(kind, here.name)),
                   what="the children are stamped")
        wait_for_quiescence(audit)
        return before
    return take


@pytest.mark.parametrize("resource", WITH_CHILDREN)
def test_what_an_original_left_behind_is_taken_over_as_it_stands(here, audit, taken_over, resource):
    before = taken_over(resource)

    assert running(here) == before
    parent_now = here.get(resource, "sample")
    for child in here.kube.list(CHILDREN.get(resource, "pods"), here.name):
        assert controller(child)[2] == parent_now["metadata"]["uid"]
    assert [event for event in here.events("sample") if event[0] == "Warning" or event[1] in ("Created", "Deleted", "Scaled")] == []
    assert_quiescent(audit, 2)


@pytest.mark.parametrize("resource", [IRIS, IRIS_OF_TEST, POD_SET, APP_SERVICE])
def test_what_was_taken_over_is_scaled_without_a_replacement(here, audit, taken_over, resource):
    before = taken_over(resource)

    here.change(resource, "sample", {"replicas": 3})

    all_pods_ready(here, 3)
    assert before.items() <= running(here).items()
    here.change(resource, "sample", {"replicas": 1})
    all_pods_ready(here, 1)
    wait_for_quiescence(audit)
    # Which of its Pods a Deployment's ReplicaSet gives up is not ours to say.
    assert {key for key in running(here).items() - before.items() if key[0][0] != "pods" or resource in (POD_SET, APP_SERVICE)} == set()


def test_pods_that_were_taken_over_get_the_labels_that_the_original_forgot(here, taken_over):
    taken_over(POD_SET)
    assert here.get("pods", "sample-pod")["metadata"]["labels"] == {"app": "sample", "version": "v0.1", "xebec.dev/parent-kind": "PodSet"}


@pytest.mark.parametrize("resource,status", [
    (IRIS_OF_TEST, {"readyReplicas": 2}), (POD_SET, {"podNames": ["sample-pod"], "replicas": 1}),
    (IMMORTAL, {"currentPod": "sample-immortalpod", "startTimes": 3})])
def test_the_status_of_the_original_goes_on_in_its_own_fields(here, taken_over, resource, status):
    taken_over(resource)
    assert status.items() <= here.get(resource, "sample")["status"].items()


@pytest.mark.parametrize("resource", [IMMORTAL, IMMORTAL_TOO])
def test_an_immortal_that_was_taken_over_goes_on_living_and_counting(here, audit, taken_over, resource):
    before = taken_over(resource)

    here.delete("pods", "sample-immortalpod")

    here.becomes("pods", "sample-immortalpod", lambda pod: pod["metadata"]["uid"] not in before.values(), "is a new one")
    if resource == IMMORTAL:  # the other is counted, too, from the two starts of its fixture
        here.becomes(resource, "sample", lambda item: item["status"]["startTimes"] == 4, "was started a fourth time")
    wait_for_quiescence(audit)


@pytest.mark.parametrize("resource", [DATABASE, DATABASE_CO])
def test_a_database_that_was_only_read_gets_everything(here, audit, services, resource):
    services.watcher.stop()
    leave_behind(here, resource)
    services.watcher.start().wait_ready()

    here.becomes("statefulsets.apps", "sample", lambda s: s["status"].get("readyReplicas") == 3, "has 3 ready replicas")
    eventually(lambda: [job["status"].get("succeeded") for job in here.kube.list("jobs.batch", here.name)] == [1],
               what="the init Job has succeeded")
    assert_quiescent(audit, 2)
    if resource == DATABASE:
        assert "status" not in here.get(resource, "sample")
    else:  # its CRD preserves unknown fields
        here.has_condition(resource, "sample", "Ready", "True", "DatabaseReady")


def test_what_a_crd_lacks_is_told_once_and_counted(here, services):
    services.watcher.restart()
    before = len(services.watcher.log_records())
    services.watcher.restart()
    told = [record for record in services.watcher.log_records()[before:] if record.get("msg") == "Subresources missing"]

    assert len(told) == 8 - len([IMMORTAL, IMMORTAL_TOO]), told  # an ImmortalContainer has nothing to scale
    for resource in WITHOUT_STATUS:
        [record] = [record for record in told if resource in str(record)]
        assert "no status" in str(record)
        assert services.watcher.metric("xebec_missing_subresources", controller=resource, subresource="status") == 1
    for resource in WITH_STATUS:
        assert services.watcher.metric("xebec_missing_subresources", controller=resource, subresource="status") == 0


def relists(services, resource):
    return services.watcher.metric("xebec_reflector_relists_total", resource=resource)


@pytest.fixture
def with_our_crd(here, kube, services):
    """Replaces the CRD of an original by ours, as a user does who upgrades; it is as before when the test is over."""
    replaced = []

    def apply(crd):
        """Waits until the watcher has relisted: its watch ends with the change, and it waits before it lists."""
        lists = relists(services, crd["metadata"]["name"])
        kube.apply(crd)
        eventually(lambda: relists(services, crd["metadata"]["name"]) > lists, what="is relisted")

    def replace(resource):
        replaced.append(resource)
        apply(manifests.crd_of(resource))
    yield replace
    for crd in manifests.read(FILES / "crds.yaml"):
        if crd["metadata"]["name"] in replaced:
            apply(crd)


@pytest.mark.parametrize("resource", [IRIS, IRIS_OF_TEST, APP_SERVICE])
def test_a_crd_that_is_replaced_by_ours_shows_conditions_without_a_restart(here, services, audit, taken_over, with_our_crd, resource):
    before, process = taken_over(resource), services.watcher.process

    with_our_crd(resource)
    eventually(lambda: services.watcher.metric("xebec_missing_subresources", controller=resource) == 0, what="nothing is missing")
    here.annotate(resource, "sample", "xebec.dev/reconcile-at", "now")

    here.is_ready(resource, "sample")
    assert running(here) == before and services.watcher.process is process and process.alive()
    assert_quiescent(audit, 2)


@pytest.mark.parametrize("resource,spec,good,said", [
    (IRIS_OF_TEST, {"deploymentName": "Not_A_Name", "replicas": 1}, {"deploymentName": "a-name"}, "spec.deploymentName"),
    (POD_SET, {"replicas": -1}, {"replicas": 1}, "spec.replicas"),
    (DATABASE_CO, {"image": "db", "storage-size": "lots"}, {"storage-size": "1Gi"}, "spec.storage-size"),
    (DATABASE_CO, {"image": "db", "port": 70000}, {"port": 5432}, "spec.port"),
    (IRIS, {"deploymentName": "Not_A_Name", "replicas": 1}, {"deploymentName": "a-name"}, "spec.deploymentName"),
    (APP_SERVICE, {"size": "three"}, {"size": 1}, "spec.size"),
    (IMMORTAL_TOO, {}, {"image": "nginx:1"}, "spec.image"),
    (DATABASE, {"name": "n"}, {"image": "db"}, "spec.image"),
])
def test_what_the_schema_of_an_original_let_through_is_told_and_heals(here, audit, resource, spec, good, said):
    here.create(parent(resource, "broken", **spec))
    [(_, reason, note)] = eventually(lambda: [e for e in here.events("broken") if e[0] == "Warning"], what="a Warning event")
    assert reason == "InvalidSpec" and said in note
    assert_quiescent(audit, 2)

    here.change(resource, "broken", good)

    kind = {DATABASE: "statefulsets.apps", DATABASE_CO: "statefulsets.apps"}.get(resource, CHILDREN.get(resource, "pods"))
    eventually(lambda: len(here.names(kind)) == 1, what=f"it has its {kind}")
    wait_for_quiescence(audit)
