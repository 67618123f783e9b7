# SPDX-License-Identifier: Apache-2.0
"""CRDs that are installed late, and CRDs that change while objects exist."""

import copy

import pytest

from parents import DATABASE, IMMORTAL, IRIS, POD_SET, PROBE, iris, parent
from support import manifests
from support.eventually import eventually
from support.kube import ApiError
from support.quiescence import assert_quiescent, wait_for_quiescence

CRDS = "customresourcedefinitions.apiextensions.k8s.io"
SAMPLES = {IRIS: {"replicas": 1}, POD_SET: {"replicas": 2}, IMMORTAL: {"image": "nginx:1"},
           DATABASE: {"image": "super-great-docker-image", "storage-size": "1Gi"}}
AND_PROBES = SAMPLES | {PROBE: {"replicas": 1}}
CHILDREN = ("deployments.apps", "replicasets.apps", "statefulsets.apps", "pods", "services", "configmaps", "jobs.batch",
            "persistentvolumeclaims", "secrets")


def grown(crd):
    """The CRD with one more served version and, in both, one more field, which has a default."""
    crd = copy.deepcopy(crd)
    [old] = crd["spec"]["versions"]
    spec = old["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["later"] = {"type": "string", "default": "than the objects"}
    crd["spec"]["versions"].append(copy.deepcopy(old) | {"name": "v2", "storage": False})
    return crd


def children(here):
    """{(resource, name): (uid, generation)} of all that stands in the namespace, whoever made it."""
    return {(resource, item["metadata"]["name"]): (item["metadata"]["uid"], item["metadata"].get("generation"))
            for resource in CHILDREN for item in here.kube.list(resource, here.name)}


def serves(kube, group, version):
    """Whether all resources of the version can be listed: discovery names them before that."""
    try:
        path = f"/apis/{group}/{version}"
        found = [each["name"] for each in kube.request("GET", path)["resources"] if "/" not in each["name"]]
        return bool(found) and all(kube.request("GET", f"{path}/{each}", query={"limit": 1}) is not None for each in found)
    except ApiError as error:
        if error.code in (404, 503):
            return False
        raise


@pytest.fixture(params=[POD_SET, PROBE])
def late(request, here, kube, services):
    """A resource whose CRD the cluster lacks when the watcher begins, which looks for it often. Gives it and the number
    of the watcher's log lines so far."""
    resource = request.param
    services.watcher.stop()
    kube.delete(CRDS, resource)
    eventually(lambda: kube.get(CRDS, resource) is None and not manifests.served(kube, resource), what="the CRD is gone")
    before = len(services.watcher.log_records())
    services.watcher.start("--discovery-interval", "300ms").wait_ready()
    yield resource, before
    manifests.install(kube, [manifests.crd_of(resource)])
    services.watcher.restart()


def test_a_crd_that_is_installed_late_is_served_without_a_restart(here, kube, services, shared_services, late):
    resource, lines_before = late
    process = services.watcher.process
    here.create(iris("bystander", replicas=1))
    here.is_ready(IRIS, "bystander")
    assert services.watcher.metric("xebec_reflector_synced", resource=resource) == 0
    assert shared_services.watcher.metric("xebec_reflector_synced", resource=IRIS) == 1

    manifests.install(kube, [manifests.crd_of(resource)])
    here.create(parent(resource, "late", replicas=2))
    here.is_ready(resource, "late")

    assert here.names("pods")[-2:] == (["late-pod-0", "late-pod-1"] if resource == POD_SET else ["late-set-0", "late-set-1"])
    assert services.watcher.process is process and process.alive()
    assert services.watcher.metric("xebec_reflector_synced", resource=resource) == 1
    told = [record for record in services.watcher.log_records()[lines_before:] if resource in str(record)]
    assert [r["msg"] for r in told if r["msg"].startswith("Kind")] == ["Kind not served", "Kind appeared"], told


@pytest.fixture
def none(here, kube, shared_services):
    """The cluster lacks all CRDs when the watcher begins. Gives the number of its log lines so far."""
    shared_services.watcher.stop()
    for crd in manifests.crds():
        kube.delete(CRDS, crd["metadata"]["name"])
    for crd in manifests.crds():
        name = crd["metadata"]["name"]
        eventually(lambda n=name: kube.get(CRDS, n) is None and not manifests.served(kube, n), what=f"{name} is gone")
    before = len(shared_services.watcher.log_records())
    shared_services.watcher.start("--discovery-interval", "300ms")
    yield before
    manifests.install_crds(kube)
    shared_services.watcher.restart()


def test_a_cluster_without_any_of_our_crds_is_told_so_and_served_once_they_come(here, kube, shared_services, none):
    names = {crd["metadata"]["name"] for crd in manifests.crds_of_kinds()}

    def told():
        missing = [str(record) for record in shared_services.watcher.log_records()[none:] if record.get("msg") == "Kind not served"]
        assert all(any(name in line for line in missing) for name in names), missing
        return True
    eventually(told, what="the watcher names each of them")
    process = shared_services.watcher.wait_ready().process
    assert shared_services.planner.running() and shared_services.applier.running()

    manifests.install_crds(kube)
    for resource, spec in SAMPLES.items():
        here.create(parent(resource, "late", **spec))
    for resource in SAMPLES:
        here.is_ready(resource, "late")
    assert shared_services.watcher.process is process and process.alive()


@pytest.fixture
def grow(here, kube, services):
    """Changes all our CRDs, that of Probes too, while both sets of services run; they are as before when the test is
    over."""
    crds = manifests.crds() + [manifests.crd_of(PROBE)]

    def apply(change):
        for crd in crds:
            kube.apply(change(crd))
        for group in {crd["spec"]["group"] for crd in crds}:
            eventually(lambda g=group: serves(kube, g, "v2") == (change is grown), what=f"{group}/v2 is or is not served")
    yield apply
    apply(lambda crd: crd)


@pytest.mark.of_probes
def test_a_crd_that_gains_a_version_and_a_field_touches_nothing_that_runs(here, audit, grow):
    for resource, spec in AND_PROBES.items():
        here.create(parent(resource, resource.partition(".")[0], **spec))
    for resource in AND_PROBES:
        here.is_ready(resource, resource.partition(".")[0])
    wait_for_quiescence(audit)
    before, mark = children(here), audit.mark()

    grow(grown)

    for resource, spec in AND_PROBES.items():
        of_the_new_version = parent(resource, f"new-{resource.partition('.')[0]}", **spec)
        of_the_new_version["apiVersion"] = resource.partition(".")[2] + "/v2"
        here.create(of_the_new_version)
    for resource in AND_PROBES:
        here.is_ready(resource, f"new-{resource.partition('.')[0]}")
        assert here.get(resource, resource.partition(".")[0])["spec"]["later"] == "than the objects"
    assert_quiescent(audit, 3)
    assert before.items() <= children(here).items()
    old = {name for _, name in before}
    assert [e for e in audit.writes(mark) if e.ns == here.name and e.name in old and e.resource != "events"] == []


OF_BYSTANDERS = [("deployments.apps", "bystander"), ("pods", "bystander-immortalpod")]


@pytest.mark.parametrize("resource", [POD_SET, PROBE])
def test_a_crd_that_is_deleted_and_made_again_touches_no_other_kind(here, kube, audit, resource):
    bystanders = {IRIS: {"replicas": 1}, IMMORTAL: {"image": "nginx:1"}}
    for other, spec in bystanders.items():
        here.create(parent(other, "bystander", **spec))
        here.is_ready(other, "bystander")
    here.create(parent(resource, "set", replicas=1))
    here.is_ready(resource, "set")
    wait_for_quiescence(audit)
    before, mark = {item: here.get(*item)["metadata"] for item in OF_BYSTANDERS}, audit.mark()
    crd = manifests.crd_of(resource)

    kube.delete(CRDS, resource)
    eventually(lambda: kube.get(CRDS, resource) is None, what="the CRD is gone")
    eventually(lambda: not manifests.served(kube, resource), what="its objects are no longer served")
    kube.apply(crd)
    manifests.wait_established(kube, resource)

    here.create(parent(resource, "again", replicas=1))
    here.is_ready(resource, "again")
    wait_for_quiescence(audit)
    for item, metadata in before.items():
        now = here.get(*item)["metadata"]
        assert (now["uid"], now.get("generation")) == (metadata["uid"], metadata.get("generation")), item
    assert [e for e in audit.writes(mark) if e.ns == here.name and e.name.startswith("bystander")] == []
    for other in bystanders:
        here.is_ready(other, "bystander")
