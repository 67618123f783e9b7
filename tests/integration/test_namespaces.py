# SPDX-License-Identifier: Apache-2.0
"""A release for some namespaces, or for one kind, with the Roles of the chart: it makes no request beyond them."""

import pytest
import yaml

from parents import APP_SERVICE, DATABASE, DATABASE_CO, IMMORTAL, IMMORTAL_TOO, IRIS, IRIS_OF_TEST, POD_SET, UNSEEN, parent
from support import chart, manifests, pki
from support.audit import Accounts, violations
from support.namespace import Namespace
from support.quiescence import wait_for_quiescence
from support.services import Services

PARENTS = {IRIS: {"replicas": 1}, POD_SET: {"replicas": 2}, IMMORTAL: {"image": "busybox"}, DATABASE: {"image": "image"}}
# The kinds of values.yaml: whose parents they are, and a change of one.
KINDS = {"iris": ((IRIS, IRIS_OF_TEST), {"image": "example.com/other"}), "podset": ((POD_SET, APP_SERVICE), {"replicas": 1}),
         "immortal": ((IMMORTAL, IMMORTAL_TOO), {"image": "example.com/other"}), "database": ((DATABASE, DATABASE_CO), {"storage-size": "2Gi"})}
ALL = PARENTS | {IRIS_OF_TEST: {"replicas": 1}, APP_SERVICE: {"replicas": 2}, IMMORTAL_TOO: {"image": "busybox"}, DATABASE_CO: {"image": "image"}}
SHORT = {"planLife": "4s", "requestTimeout": "4s"}  # for so long a watcher that begins deletes nothing
SHORT_OF_APPLIER = {"maxPlanAge": "6s", "requestTimeout": "4s"}
OF_USERS = ("a", "b", "elsewhere")
BINDINGS = "rolebindings.rbac.authorization.k8s.io"


class Release:
    """What helm installs but for the Pods, and the services as processes with its accounts and its configuration.
    `kind`: it alone is on."""

    def __init__(self, cluster, kube, folder, name, kind):
        self._cluster, self._kube, self._folder, self.kind = cluster, kube, folder, kind
        self.ns = f"{name}-release"
        kube.create_namespace(self.ns)
        self.users = {word: Namespace(kube, f"{name}-{word}") for word in OF_USERS}
        for namespace in self.users.values():
            kube.create_namespace(namespace.name)
        values = {"watchNamespaces": [self.users[word].name for word in ("a", "b")], "watcher": {"config": SHORT},
                  "applier": {"config": SHORT_OF_APPLIER},
                  "kinds": {each: {"enabled": kind in (None, each)} for each in KINDS}}
        self.documents = chart.render(values, namespace=self.ns)
        manifests.apply_all(kube, chart.of_kind(self.documents, "ServiceAccount", "Role", "RoleBinding"))
        self.services = Services(folder, {name: self._kubeconfig(name) for name in ("watcher", "applier")},
                         {name: self._flags(name) for name in ("watcher", "applier")}, f"{name}-")

    def account(self, component):
        return f"system:serviceaccount:{self.ns}:xebec-{component}"

    def granted(self):
        """{(account, group, resource)}"""
        return {(self.account(component), grant.group, grant.resource.partition("/")[0]) for component in ("watcher", "applier")
                for grants in chart.roles_of(self.documents, f"xebec-{component}").values() for grant in grants}

    def accounts(self):
        return Accounts(self.account("watcher"), self.account("applier"), self.ns)

    def binding(self, word, component):
        """Which RoleBinding gives a component its rights in one of the users' namespaces."""
        return next(each for each in chart.of_kind(self.documents, "RoleBinding")
                    if (each["metadata"]["namespace"], each["metadata"]["name"]) == (self.users[word].name, f"{self.ns}:xebec-{component}"))

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
def release(request, cluster, kube, folder, shared_services, node, audit):
    """Not started; asks for nothing beyond its rights. The shared services are idle meanwhile."""
    if shared_services.watcher.running():
        shared_services.watcher.stop()
    release = Release(cluster, kube, folder, f"list-{abs(hash(request.node.name)) % 10**6}", getattr(request, "param", None))
    mark = audit.mark()
    yield release
    release.services.stop()
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
    release.services.start()
    for word in ("a", "b"):
        is_ready(release.users[word])
        release.users[word].scale(POD_SET, "sample", 1)
        release.users[word].becomes(POD_SET, "sample", lambda item: item["status"].get("replicas") == 1, "scaled down")
    release.users["a"].delete(DATABASE, "sample")
    release.users["a"].is_gone(DATABASE, "sample")
    is_ready(release.users["b"])
    users = release.accounts()[:2]
    wait_for_quiescence(audit, users=users)

    asked = [e for user in users for e in audit.since(mark, user)]
    served = {release.users["a"].name, release.users["b"].name}
    assert {e.ns for e in asked if e.resource} == served | {release.ns}  # where its Lease is
    assert {e.resource for e in asked if e.ns == release.ns} == {"leases"}
    assert release.users["elsewhere"].names("pods") == []
    assert release.services.watcher.metric("xebec_parents") == 2 * len(PARENTS) - 1
    assert release.services.watcher.metric("xebec_reflector_objects", resource=IRIS, watch_namespace=release.users["a"].name) == 1


@pytest.mark.expects_forbidden
def test_a_namespace_that_may_not_be_read_stops_no_other_and_is_served_when_it_may(release, kube):
    binding = release.binding("b", "watcher")
    kube.delete(BINDINGS, binding["metadata"]["name"], release.users["b"].name)
    create(release.users["a"])
    create(release.users["b"])
    release.services.start()
    is_ready(release.users["a"])
    assert release.users["b"].names("pods") == []
    told = {r["detail"] for r in release.services.watcher.log_records() if release.users["b"].name in r.get("detail", "")}
    assert any(POD_SET in each and "forbidden" in each for each in told), told
    kube.apply(binding)
    is_ready(release.users["b"])


def name_of(resource):
    return resource.replace(".", "-")


@pytest.mark.parametrize("release", KINDS, indirect=True)
def test_a_release_with_one_kind_serves_it_and_uses_what_it_is_granted_alone(release, audit):
    here, (served, change), mark = release.users["a"], KINDS[release.kind], audit.mark()
    for resource, spec in ALL.items():
        here.create(parent(resource, name_of(resource), **spec))
    release.services.start()
    for resource in served:
        here.is_ready(resource, name_of(resource))
        here.change(resource, name_of(resource), change)
        here.is_ready(resource, name_of(resource))
        here.delete(resource, name_of(resource))
        here.is_gone(resource, name_of(resource))
    wait_for_quiescence(audit, users=release.accounts()[:2])

    assert [resource for resource in set(ALL) - set(served) if here.get(resource, name_of(resource))["status"] != UNSEEN] == []
    asked = {(e.user, e.group, e.resource) for user in release.accounts()[:2] for e in audit.since(mark, user) if e.resource}
    events = {(release.accounts()[0], "", "events")}  # read only for a Database without Pods: test_pod_reasons.py
    assert asked | (events & release.granted()) == release.granted()
