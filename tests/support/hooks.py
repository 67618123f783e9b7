# SPDX-License-Identifier: Apache-2.0
"""The services with a gateway of hooks, and hooks as local programs."""

import contextlib
import os
import subprocess
import sys

from support import manifests, paths
from support.eventually import eventually
from support.processes import free_port
from support.services import Service, Services

OPERATORS = "operators.xebec.dev"
PAGES = "pages.hooks.test"
TENANTS = "tenants.hooks.test"
RIGHTS = paths.ROOT / "tests/controlplane/rbac-test-operators.yaml"
CRDS = paths.ROOT / "tests/integration/hooks-crds.yaml"
SCRIPTED = paths.ROOT / "tests/integration/scripted_hook.py"
RAW = paths.ROOT / "tests/integration/raw_hook.py"
PYTHON_WEBSITE = paths.EXAMPLES / "operators/python-website/website.py"


def python_sdk():
    subprocess.run([paths.ROOT / "scripts/sdk-python"], check=True, stdout=subprocess.DEVNULL)
    return paths.ROOT / "build/sdk/python/src"


class Hook:
    """A program in Python that serves a hook. It keeps its port."""

    def __init__(self, folder, program, name="hook"):
        self.address, self._folder, self._program, self._name = f"127.0.0.1:{free_port()}", folder, program, name
        self.process = None

    def start(self, **env):
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(python_sdk()), "XEBEC_HOOK_LISTEN": self.address, **env}
        self.process = self._folder.start(self._name, [sys.executable, "-B", self._program], env)
        return self

    def stop(self):
        self.process.kill()


def gateway_of(folder, label=""):
    """A gateway that calls hooks on this machine; not started."""
    address, metrics = (f"127.0.0.1:{free_port()}" for _ in range(2))
    return Service("hooks", folder, ["--listen", address, "--metrics-listen", metrics, "--allow-loopback"], address, metrics, f"{label}hooks")


class HookedServices:
    """The three services and one or more gateways. They plan no built-in kinds unless `kinds` says so."""

    def __init__(self, folder, cluster, label="hooked-", kinds=OPERATORS, lease="xebec-second-", gateways=1):
        self.gateways = [gateway_of(folder, f"{label}{number or ''}") for number in range(gateways)]
        self.gateway = self.gateways[0]
        addresses = ",".join(each.address for each in self.gateways)
        more = {"watcher": ["--kinds", kinds, "--lease-prefix", lease, "--hooks-gateway", addresses], "applier": ["--lease-prefix", lease]}
        self.services = Services(folder, {"watcher": cluster.watcher_kubeconfig, "applier": cluster.applier_kubeconfig}, more, label)
        self.all = [*self.gateways, *self.services.all]

    def _start_gateways(self):
        for each in self.gateways:
            if not each.running():
                each.start().wait_ready()

    def start(self):
        self._start_gateways()
        self.services.start()
        return self

    def stop(self):
        self.services.stop()
        for each in self.gateways:
            if each.running():
                each.stop()

    def make_whole(self):
        self._start_gateways()
        self.services.make_whole()


@contextlib.contextmanager
def operators_allowed(kube):
    """Grants the rights that operators need, and takes them away again: other tests of the worker depend on the
    services' own rights."""
    rights = manifests.read(RIGHTS)
    manifests.apply_all(kube, rights)
    yield
    manifests.delete_all(kube, rights)


def operator(name, address, resource="pages", **spec):
    children = [{"group": group, "version": "v1", "resource": each}
                for group, each in (("", "configmaps"), ("", "services"), ("apps", "deployments"))]
    return {"apiVersion": "xebec.dev/v1alpha1", "kind": "Operator", "metadata": {"name": name},
            "spec": {"parent": {"group": "hooks.test", "version": "v1", "resource": resource}, "children": children,
                     "hook": {"address": address}, **spec}}


def condition_of(kube, name, kind="Ready"):
    """(status, reason, message) of an Operator's condition."""
    found = manifests.condition(kube.get(OPERATORS, name), kind)
    return found.get("status"), found.get("reason"), found.get("message", "")


def operator_is(kube, name, status, reason, kind="Ready"):
    eventually(lambda: condition_of(kube, name, kind)[:2] == (status, reason),
               what=f"{kind} of operator {name} is {status} {reason}, not {condition_of(kube, name, kind)}")


def operator_has_event(kube, name, kind, reason, words):
    """Waits for an event of an Operator. Events of cluster-scoped objects are in the namespace default."""
    def found():
        return [event for event in kube.list("events.events.k8s.io", "default")
                if event["regarding"].get("kind") == "Operator" and event["regarding"].get("name") == name
                and (event.get("type"), event.get("reason")) == (kind, reason) and words in event.get("note", "")]
    eventually(found, what=f"an event {reason} of operator {name} with {words}")


@contextlib.contextmanager
def hooked_services(folder, cluster, **options):
    """HookedServices with these options that run, in a cluster with the kinds of the tests."""
    kube = cluster.client()
    with operators_allowed(kube):
        manifests.install(kube, manifests.read(CRDS))
        services = HookedServices(folder, cluster, **options).start()
        yield services
        remove_operators(kube)
        services.stop()


def remove_everything(kube, *resources):
    """Removes all objects of these resources, then the Operators."""
    for resource in resources:
        for each in kube.list(resource):
            kube.delete(resource, each["metadata"]["name"], each["metadata"].get("namespace"))
    remove_operators(kube)


def remove_operators(kube):
    for each in kube.list(OPERATORS):
        kube.delete(OPERATORS, each["metadata"]["name"])
    eventually(lambda: kube.list(OPERATORS) == [], what="the Operators are gone")


def page(name, content="<h1>hello</h1>", **spec):
    return {"apiVersion": "hooks.test/v1", "kind": "Page", "metadata": {"name": name}, "spec": {"page": content, **spec}}


def tenant(name, *namespaces):
    return {"apiVersion": "hooks.test/v1", "kind": "Tenant", "metadata": {"name": name},
            "spec": {"page": "tenant", "namespaces": list(namespaces)}}
