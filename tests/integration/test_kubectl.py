# SPDX-License-Identifier: Apache-2.0
"""The output of kubectl for every kind."""

import re
import subprocess

import pytest

from parents import (APP_SERVICE, DATABASE, DATABASE_CO, IMMORTAL, IMMORTAL_TOO, IRIS, IRIS_OF_TEST, OPERATOR, POD_SET, parent)
from support import manifests, paths

# What a user writes; what the columns of `kubectl get` say then (AGE aside); the note of an event.
_IRIS = ({"deploymentName": "web", "replicas": 2}, {"DEPLOYMENT": "web", "DESIRED": "2", "READY": "2", "STATUS": "DeploymentReady"},
         'Created deployment "web"')
_PODS = ({"replicas": 2}, {"DESIRED": "2", "CURRENT": "2", "READY": "2", "STATUS": "PodsReady"}, 'Created pod "sample-pod-1"')
_IMMORTAL = ({"image": "nginx"}, {"POD": "sample-immortalpod", "STARTS": "1", "READY": "True", "STATUS": "PodReady"},
             'Created pod "sample-immortalpod" (start 1)')
_DATABASE = ({"name": "orders", "port": 5432, "storage-size": "1Gi", "image": "postgres", "replicas": 1},
             {"PHASE": "Running", "DESIRED": "1", "READY": "1", "STATUS": "DatabaseReady", "ENDPOINT": r"sample-0\.sample\.\S+\.svc:5432"},
             'Created statefulset "sample"')
KINDS = {IRIS: _IRIS, IRIS_OF_TEST: _IRIS, APP_SERVICE: _PODS, POD_SET: _PODS, IMMORTAL: _IMMORTAL, IMMORTAL_TOO: _IMMORTAL,
         DATABASE: _DATABASE, DATABASE_CO: _DATABASE}
SHORT_NAMES = {IRIS: "ir", DATABASE: "db", DATABASE_CO: "db"}


@pytest.fixture
def kubectl(cluster, here):
    """kubectl in the test's namespace; returns what it prints."""
    def run(*arguments):
        command = [paths.controlplane_binary("kubectl"), "--kubeconfig", cluster.kubeconfig, "-n", here.name, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


def row(shown):
    """{column: value} of a table with one line whose columns are all filled."""
    header, line = shown.strip().splitlines()
    assert len(header.split()) == len(line.split()), shown
    return dict(zip(header.split(), line.split()))


def test_every_kind_is_here():
    assert set(KINDS) == {crd["metadata"]["name"] for crd in manifests.crds_of_kinds()}


@pytest.mark.parametrize("resource", KINDS)
def test_get_and_describe_tell_how_it_is(here, kubectl, resource):
    spec, columns, note = KINDS[resource]
    kind = here.create(parent(resource, "sample", **spec))["kind"]
    item = here.is_ready(resource, "sample")
    here.has_event("sample", "Normal", "Created", note)

    line = row(kubectl("get", resource))
    assert set(line) == {"NAME", "AGE", *columns} and line["NAME"] == "sample", line
    assert {column: value for column, value in line.items() if column in columns and not re.fullmatch(columns[column], value)} == {}
    group = resource.partition(".")[2]
    for name in (f"{kind}.{group}", f"{kind.lower()}.{group}", *([f"{SHORT_NAMES[resource]}.{group}"] if resource in SHORT_NAMES else [])):
        assert row(kubectl("get", name))["NAME"] == "sample", name
    for category in ("xebec", "all"):
        assert f"{kind.lower()}.{group}/sample " in kubectl("get", category)
    ready = manifests.condition(item, "Ready")
    assert ready["message"] in kubectl("get", resource, "-o", "wide")

    told = kubectl("describe", resource, "sample")
    conditions, _, events = told.partition("\nEvents:")
    for kind_of_condition in ("Ready", "Applied"):
        assert re.search(rf"Type:\s+{kind_of_condition}$", conditions, re.M), told
    assert re.search(rf"Message:\s+{re.escape(ready['message'])}$", conditions, re.M), told
    assert re.search(rf"Normal\s+Created\s.*{re.escape(note)}", events), told


@pytest.mark.parametrize("short", sorted(set(SHORT_NAMES.values())))
def test_the_short_name_alone_works(here, kubectl, short):
    for resource in (r for r, name in SHORT_NAMES.items() if name == short):
        here.create(parent(resource, "sample", **KINDS[resource][0]))
    assert re.search("^sample ", kubectl("get", short), re.M)


# Not of iris.test.myardyas.club: `kubectl explain iris` goes by the singular of irises.example.com, whatever the
# --api-version.
@pytest.mark.parametrize("resource", [*(resource for resource in KINDS if resource != IRIS_OF_TEST), OPERATOR])
def test_explain_knows_every_field(kubectl, resource):
    plural, _, group = resource.partition(".")
    version = parent(resource, "any")["apiVersion"]
    for part in ("spec", "status"):
        told = kubectl("explain", f"{plural}.{part}", f"--api-version={version}")
        assert group in told and "FIELDS:" in told
        assert "<no description>" not in told and "<empty>" not in told, told
