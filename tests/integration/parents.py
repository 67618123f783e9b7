# SPDX-License-Identifier: Apache-2.0
"""Minimal manifests of the built-in kinds and of the kind of the tests."""

IRIS = "irises.example.com"
IRIS_OF_TEST = "iris.test.myardyas.club"
APP_SERVICE = "appservices.app.example.com"
POD_SET = "podsets.app.example.com"
IMMORTAL = "immortalcontainers.immortalcontainer.flugel.it"
IMMORTAL_TOO = "immortalcontainers.immortalcontainers.flugel.it"
DATABASE = "databases.stable.imaginedata.com"
DATABASE_CO = "databases.stable.imaginedata.co"
PROBE = "probes.test.xebec.dev"  # a finalizer, ordered deletion, and claims that belong to it through a StatefulSet
OPERATOR = "operators.xebec.dev"  # declares a controller; no parent of the built-in kinds
UNSEEN = {"observedGeneration": -1}  # the status of a parent that no watcher has reconciled; the default in the CRDs

_KINDS = {IRIS: "Iris", IRIS_OF_TEST: "Iris", APP_SERVICE: "AppService", POD_SET: "PodSet", IMMORTAL: "ImmortalContainer",
          IMMORTAL_TOO: "ImmortalContainer", DATABASE: "Database", DATABASE_CO: "Database", PROBE: "Probe",
          OPERATOR: "Operator"}


def parent(resource, name, /, **spec):
    """A manifest of that resource."""
    group = resource.partition(".")[2]
    version = "v1" if _KINDS[resource] in ("Database", "Probe") else "v1alpha1"
    return {"apiVersion": f"{group}/{version}", "kind": _KINDS[resource], "metadata": {"name": name}, "spec": spec}


def iris(name, /, **spec):
    return parent(IRIS, name, **spec)


def deployment_of_nobody(name):
    """One that stands in an Iris's way."""
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}}


# ---- one of each built-in kind, as short as it can be and be Ready -------------------------------------------------

_DATABASE = {"name": "data", "port": 5432, "storage-size": "1Gi", "replicas": 1, "image": "image"}
ONE_OF_EACH = {IRIS: {"replicas": 1}, IRIS_OF_TEST: {"replicas": 1}, APP_SERVICE: {"replicas": 1}, POD_SET: {"replicas": 1},
               IMMORTAL: {"image": "busybox"}, IMMORTAL_TOO: {"image": "busybox"}, DATABASE: _DATABASE, DATABASE_CO: _DATABASE}


def name_of(resource):
    return "s-" + resource.partition(".")[0] + str(list(ONE_OF_EACH).index(resource))


def create_one_of_each(here):
    for resource, spec in ONE_OF_EACH.items():
        here.create(parent(resource, name_of(resource), **spec))


def all_are_ready(here):
    for resource in ONE_OF_EACH:
        here.is_ready(resource, name_of(resource))
