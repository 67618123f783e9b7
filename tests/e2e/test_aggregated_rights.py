# SPDX-License-Identifier: Apache-2.0
"""Rights that the chart of an application adds for its operator (hooks.aggregate), and what no such right allows."""

import pytest

from parents import IRIS, iris
from support import hooks, manifests, paths
from support.namespace import Namespace
from support.release import NS

EXAMPLE = paths.EXAMPLES / "operators/go-website/manifests"
WEBSITES, OPERATOR = "websites.example.com", "websites.example.com"
READ = ["get", "list", "watch"]
CHILDREN = [("", "configmaps"), ("", "services"), ("apps", "deployments")]


def role(component, rules):
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
            "metadata": {"name": f"websites-for-xebec-{component}", "labels": {f"xebec.dev/aggregate-to-{component}": "true"}},
            "rules": [{"apiGroups": [group], "resources": [resource], "verbs": verbs} for group, resource, verbs in rules]}


def rights(children):
    """The ClusterRoles of the application, as docs/security.md shows them."""
    return [role("watcher", [("example.com", "websites", READ), *((*child, READ) for child in children)]),
            role("applier", [("example.com", "websites", ["get", "patch"]), ("example.com", "websites/status", ["patch", "update"]),
                             ("example.com", "websites/finalizers", ["update"]),
                             *((*child, ["get", "create", "patch", "delete"]) for child in children)])]


@pytest.fixture
def application(release, kube):
    """The example's CRD, program and Operator, without the rights."""
    release.upgrade({"hooks": {"enabled": True, "aggregate": True}})
    objects = [each for name in ("crd", "program", "operator") for each in manifests.read(EXAMPLE / f"{name}.yaml")]
    manifests.apply_all(kube, objects)
    yield
    manifests.delete_all(kube, objects)
    release.upgrade()


@pytest.fixture
def granted(kube):
    """Grants the rights when it is called."""
    manifests_of_rights = rights(CHILDREN)
    yield lambda: manifests.apply_all(kube, manifests_of_rights)
    manifests.delete_all(kube, manifests_of_rights)


@pytest.mark.expects_forbidden
def test_an_operator_works_as_soon_as_its_application_has_added_the_rights(application, granted, release, kube, here):
    hooks.operator_is(kube, OPERATOR, "False", "NotReadable")
    assert "websites" in hooks.condition_of(kube, OPERATOR)[2]
    granted()
    hooks.operator_is(kube, OPERATOR, "True", "Running")
    [website] = manifests.read(EXAMPLE / "website.yaml")
    here.create(website)
    here.is_ready(WEBSITES, "hello")
    here.delete(WEBSITES, "hello")
    here.is_gone("deployments.apps", "hello")

    # Secrets stay out of reach, whatever the rights are.
    kube.patch(hooks.OPERATORS, OPERATOR, None, {"spec": {"children": [{"group": "", "version": "v1", "resource": "secrets"}]}})
    hooks.operator_is(kube, OPERATOR, "False", "InvalidSpec")
    assert "is secrets, which no operator may read or write" in hooks.condition_of(kube, OPERATOR)[2]


def denied(item):
    return any("denies every write in namespace xebec-system" in each["message"] for each in item.get("status", {}).get("conditions", []))


@pytest.mark.expects_forbidden
def test_the_release_is_out_of_reach_of_parents_in_its_namespace(application, granted, release, kube):
    granted()
    hooks.operator_is(kube, OPERATOR, "True", "Running")
    inside = Namespace(kube, NS)
    inside.create(iris("intruder", replicas=1))
    try:
        inside.becomes(IRIS, "intruder", denied, "says why it has no child")
        assert inside.get("deployments.apps", "intruder") is None
    finally:
        inside.delete(IRIS, "intruder")
    refused = release.node.kubectl("create", "configmap", "intruder", "-n", NS, f"--as=system:serviceaccount:{NS}:xebec-applier", check=False)
    assert refused == "" and inside.get("configmaps", "intruder") is None, "the admission policy denies it, too"
