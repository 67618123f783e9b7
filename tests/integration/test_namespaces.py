# SPDX-License-Identifier: Apache-2.0
"""A release for a list of namespaces, with the chart's own Roles: it serves these, and asks for nothing anywhere else."""

import pytest
import yaml

from parents import DATABASE, IMMORTAL, IRIS, POD_SET, parent
from support import chart, manifests, pki
from support.audit import Accounts, violations
from support.namespace import Namespace
from support.rest import come_to_rest
from support.trio import Trio

PARENTS = {IRIS: {"replicas": 1}, POD_SET: {"replicas": 2}, IMMORTAL: {"image": "busybox"}, DATABASE: {"image": "image"}}
OF_USERS = ("a", "b", "elsewhere")
BINDINGS = "rolebindings.rbac.authorization.k8s.io"


class Release:
    """What helm installs but for the Pods, and the services as processes with its accounts and its configuration."""

    def __init__(self, cluster, kube, folder, name):
        self._cluster, self._kube, self._folder = cluster, kube, folder
        self.ns = f"{name}-release"
        kube.create_namespace(self.ns)
        self.users = {word: Namespace(kube, f"{name}-{word}") for word in OF_USERS}
        for namespace in self.users.values():
            kube.create_namespace(namespace.name)
        values = {"watchNamespaces": [self.users[word].name for word in ("a", "b")]}
        self.documents = chart.render(values, namespace=self.ns)
        manifests.apply_all(kube, chart.of_kind(self.documents, "ServiceAccount", "Role", "RoleBinding"))
        self.trio = Trio(folder, {name: self._kubeconfig(name) for name in ("watcher", "applier")},
                         {name: self._flags(name) for name in ("watcher", "applier")}, f"{name}-")

    def account(self, component):
        return f"system:serviceaccount:{self.ns}:xebec-{component}"

    def accounts(self):
        return Accounts(self.account("watcher"), self.account("applier"), self.ns)

    def binding(self, word, component):
        """Which RoleBinding gives a component its rights in one of the users' namespaces."""
        return next(each for each in chart.of_kind(self.documents, "RoleBinding")
                    if (each["metadata"]["namespace"], each["metadata"]["name"]) == (self.users[word].name, f"xebec-{component}"))

    def _kubeconfig(self, component):
        path = f"/api/v1/namespaces/{self.ns}/serviceaccounts/xebec-{component}/token"
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        token = self._kube.request("POST", path, body=asked)["status"]["token"]
        file = self._folder.path / f"{self.ns}-{component}.kubeconfig"
        pki.write_kubeconfig(file, self._cluster.server, self._cluster.dir / "pki/ca.crt", {"token": token})
        return file

    def _flags(self, component):
        settings = chart.config(self.documents, component)
        for key in ("listen", "metricsListen", "tls", "planner", "applier"):
            settings.pop(key, None)
        file = self._folder.path / f"{self.ns}-{component}.yaml"
        file.write_text(yaml.safe_dump(settings))
        return ["--config", str(file)]


@pytest.fixture
def release(request, cluster, kube, folder, only_trio, node, audit):
    """Not started; asks for nothing beyond its rights. The trio of all namespaces rests meanwhile."""
    if only_trio.watcher.running():
        only_trio.watcher.stop()
    release = Release(cluster, kube, folder, f"list-{abs(hash(request.node.name)) % 10**6}")
    mark = audit.mark()
    yield release
    release.trio.stop()
    for namespace in release.users.values():
        namespace.delete_parents()
    expects_forbidden = request.node.get_closest_marker("expects_forbidden") is not None
    assert violations(audit.since(mark), expects_forbidden, release.accounts()) == []


def create(namespace):
    for resource, spec in PARENTS.items():
        namespace.create(parent(resource, "sample", **spec))


def is_ready(namespace):
    for resource in PARENTS:
        namespace.is_ready(resource, "sample")


def test_a_release_for_some_namespaces_serves_them_and_asks_for_no_other(release, audit):
    mark = audit.mark()
    for namespace in release.users.values():
        create(namespace)
    release.trio.start()
    for word in ("a", "b"):
        is_ready(release.users[word])
        release.users[word].scale(POD_SET, "sample", 1)
        release.users[word].becomes(POD_SET, "sample", lambda item: item["status"].get("replicas") == 1, "scaled down")
    release.users["a"].delete(DATABASE, "sample")
    release.users["a"].is_gone(DATABASE, "sample")
    is_ready(release.users["b"])
    users = release.accounts()[:2]
    come_to_rest(audit, users=users)

    asked = [e for user in users for e in audit.since(mark, user)]
    served = {release.users["a"].name, release.users["b"].name}
    assert {e.ns for e in asked if e.resource} == served | {release.ns}  # where its Lease is
    assert {e.resource for e in asked if e.ns == release.ns} == {"leases"}
    assert release.users["elsewhere"].names("pods") == []
    assert release.trio.watcher.metric("xebec_parents") == 2 * len(PARENTS) - 1
    assert release.trio.watcher.metric("xebec_informer_objects", resource=IRIS, watch_namespace=release.users["a"].name) == 1


@pytest.mark.expects_forbidden
def test_a_namespace_that_may_not_be_read_stops_no_other_and_is_served_when_it_may(release, kube):
    binding = release.binding("b", "watcher")
    kube.delete(BINDINGS, binding["metadata"]["name"], release.users["b"].name)
    create(release.users["a"])
    create(release.users["b"])
    release.trio.start()
    is_ready(release.users["a"])
    assert release.users["b"].names("pods") == []
    told = {r["detail"] for r in release.trio.watcher.log_records() if release.users["b"].name in r.get("detail", "")}
    assert any(POD_SET in each and "forbidden" in each for each in told), told
    kube.apply(binding)
    is_ready(release.users["b"])
