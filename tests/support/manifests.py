# SPDX-License-Identifier: Apache-2.0
"""Reads manifests and applies them to a cluster."""

import yaml

from support import paths
from support.eventually import eventually
from support.kube import ApiError


def read(path):
    with open(path, encoding="utf-8") as file:
        return [document for document in yaml.safe_load_all(file) if document]


def crds():
    return [document for path in sorted(paths.CRDS.glob("*.yaml")) for document in read(path)]


def crds_of_kinds():
    """The CRDs of the built-in kinds: all of the chart but that of Operator."""
    return [crd for crd in crds() if crd["spec"]["group"] != "xebec.dev"]


def crds_of_others():
    """The CRDs of cert-manager and of the Prometheus operator whose objects the chart renders."""
    return [document for path in sorted(paths.crds_of_others().glob("*.yaml")) for document in read(path)]


def crd_of(resource):
    """The CRD of a built-in kind, of Operator, or of the tests' own kind."""
    [crd] = [crd for crd in crds() + read(paths.PROBE_CRD) if crd["metadata"]["name"] == resource]
    return crd


def example_files():
    """examples/<name>/*.yaml, sorted."""
    return sorted(paths.EXAMPLES.glob("*/*.yaml"))


def apply_all(kube, documents):
    for document in documents:
        kube.apply(document)


def delete_all(kube, documents):
    """Deletes cluster-scoped objects. Some may not exist."""
    for document in documents:
        try:
            kube.request("DELETE", kube.path_of(document, ns=None))
        except ApiError as error:
            if error.code != 404:
                raise


def install_crds(kube):
    return install(kube, crds())


def install(kube, documents):
    """Applies CRDs and waits until they are served."""
    apply_all(kube, documents)
    for document in documents:
        wait_established(kube, document["metadata"]["name"])
    return documents


def wait_established(kube, name):
    def established():
        conditions = kube.get("customresourcedefinitions.apiextensions.k8s.io", name)["status"].get("conditions", [])
        return any(c["type"] == "Established" and c["status"] == "True" for c in conditions)
    eventually(established, what=f"CRD {name} is Established")
    eventually(lambda: served(kube, name), what=f"{name} is served")


def served(kube, resource):
    try:
        return kube.list(resource) is not None
    except ApiError as error:
        if error.code in (404, 429, 503):  # not yet known, "storage is (re)initializing", not yet answered for
            return False
        raise


def quota(name, hard):
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": hard}}


def condition(item, kind):
    """The condition of that type as a dict; empty when there is none."""
    conditions = (item or {}).get("status", {}).get("conditions", [])
    return next((c for c in conditions if c["type"] == kind), {})
