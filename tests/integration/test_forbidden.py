# SPDX-License-Identifier: Apache-2.0
"""Rights are removed and restored: conditions report what is forbidden, all else continues, and the parents recover."""

import contextlib
import re

import pytest

from parents import DATABASE, IRIS, POD_SET, PROBE, iris, parent
from support.eventually import eventually
from support.manifests import condition


@pytest.mark.expects_forbidden
@pytest.mark.parametrize("denied,verb,said,reason", [
    ("deployments.apps", "create", "forbidden", "Forbidden"),
    ("irises/finalizers.example.com", "update", "cannot set blockOwnerDeletion", "AdmissionDenied")])
def test_a_right_taken_away_is_told_in_a_condition_and_heals_when_given_back(here, kube, services, denied, verb, said, reason):
    def refused():
        return services.watcher.metric("xebec_plans_refused_total", controller=IRIS, reason=reason)

    before = refused()
    with _without_right(kube, here, denied, verb=verb):
        here.create(iris("sample"))
        here.has_condition(IRIS, "sample", "Applied", "False")
        assert said in here.condition(IRIS, "sample", "Applied")["message"]
        assert refused() > before
    here.is_ready(IRIS, "sample")  # by itself


# What a Database makes besides, while it may not make one of its kinds: Pods wait for Service and Secret, the init Job
# for a Pod.
BESIDES = {"services": {"configmaps", "secrets"}, "statefulsets.apps": {"services", "configmaps", "secrets"},
           "jobs.batch": {"services", "configmaps", "secrets", "statefulsets.apps"}}
DENIED = [(DATABASE, denied, besides) for denied, besides in BESIDES.items()] + [(PROBE, "statefulsets.apps", {"configmaps"})]


@pytest.mark.expects_forbidden
@pytest.mark.parametrize("resource,denied,besides", DENIED)
def test_a_right_taken_away_for_one_kind_of_child_leaves_the_others(here, kube, services, resource, denied, besides):
    with _without_right(kube, here, denied):
        here.create(parent(resource, "db", **({"image": "super-great-docker-image"} if resource == DATABASE else {})))
        kind = denied.partition(".")[0]
        told = here.becomes(resource, "db", lambda item: kind in condition(item, "Applied").get("message", ""), f"names {kind}")
        assert condition(told, "Applied")["status"] == "False" and "forbidden" in condition(told, "Applied")["message"]
        here.has_condition(resource, "db", "Ready", "False", "Rejected")
        for other in besides:
            eventually(lambda r=other: any(name.startswith("db") for name in here.names(r)), what=f"its {other} are made")
        assert here.names(denied) == []
    here.annotate(resource, "db", "xebec.dev/reconcile-at", "now")
    here.is_ready(resource, "db")
    here.has_condition(resource, "db", "Applied", "True")


@pytest.mark.expects_forbidden
def test_what_cannot_be_read_is_not_said_to_be_gone(here, kube, services):
    here.create(parent(POD_SET, "set", replicas=2))
    before = here.is_ready(POD_SET, "set")["status"]
    with _without_right(kube, here, "pods", "xebec-watcher", "watch"):
        services.watcher.restart()  # a watch that runs goes on
        told = here.has_condition(POD_SET, "set", "Ready", "False", "NotWatched")
        assert {field: told["status"][field] for field in ("replicas", "podNames")} == {field: before[field] for field in ("replicas", "podNames")}
        assert "pods" in condition(told, "Ready")["message"]
    here.is_ready(POD_SET, "set")


@pytest.mark.expects_forbidden
@pytest.mark.of_probes
@pytest.mark.parametrize("denied,gone,left", [
    ("statefulsets.apps", [], ["statefulsets.apps", "persistentvolumeclaims", "configmaps"]),
    ("persistentvolumeclaims", ["statefulsets.apps"], ["persistentvolumeclaims", "configmaps"]),
    ("configmaps", ["statefulsets.apps", "persistentvolumeclaims"], ["configmaps"])])
def test_a_right_to_delete_taken_away_keeps_the_finalizer_until_it_is_given_back(here, kube, services, denied, gone, left):
    def of_the_probe(resource):
        return [name for name in here.names(resource) if "p-" in name]

    here.create(parent(PROBE, "p", replicas=1))
    here.is_ready(PROBE, "p")
    eventually(lambda: of_the_probe("persistentvolumeclaims"), what="its claim")
    with _without_right(kube, here, denied, "xebec-applier-test-kinds", "delete"):
        here.delete(PROBE, "p")
        kind = denied.partition(".")[0]
        told = here.becomes(PROBE, "p", lambda item: kind in condition(item, "Applied").get("message", ""), f"names {kind}")
        assert condition(told, "Applied")["status"] == "False" and "forbidden" in condition(told, "Applied")["message"]
        assert [resource for resource in gone if of_the_probe(resource)] == []
        assert [resource for resource in left if not of_the_probe(resource)] == []
    here.annotate(PROBE, "p", "xebec.dev/reconcile-at", "now")
    here.is_gone(PROBE, "p")
    eventually(lambda: not any(map(of_the_probe, gone + left)), what="nothing is left of it")


@contextlib.contextmanager
def _without_right(kube, here, resource, role="xebec-applier", verb="create"):
    """The role's service has not, meanwhile, what it grants it on one resource; the verb is one of those."""
    roles, plural, _, group = "clusterroles.rbac.authorization.k8s.io", *resource.partition(".")
    rules = kube.get(roles, role)["rules"]
    less = [rule | {"resources": [r for r in rule["resources"] if r != plural or group not in rule["apiGroups"]]} for rule in rules]
    kube.patch(roles, role, None, {"rules": [rule for rule in less if rule["resources"]]})
    try:
        eventually(lambda: not _may(kube, role, verb, group, plural, here.name), what="the right is gone")
        yield
    finally:
        kube.patch(roles, role, None, {"rules": rules})


def _may(kube, role, verb, group, resource, ns):
    plural, _, subresource = resource.partition("/")
    review = kube.create({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {"name": ""}, "spec": {
        "user": re.match("xebec-[a-z]+", role)[0], "resourceAttributes": {"verb": verb, "group": group, "resource": plural, "subresource": subresource,
                                                        "namespace": ns}}})
    return review["status"]["allowed"]
