# SPDX-License-Identifier: Apache-2.0
"""The API server accepts the manifests of the example operators."""

import json
import subprocess
import sys

import pytest

from support import manifests, paths
from support.eventually import eventually
from support.fixtures import new_namespace
from support.kube import ApiError

OPERATORS = sorted(path.parent for path in paths.EXAMPLES.glob("operators/*/manifests"))
CRD = "CustomResourceDefinition"
# Prints the children that the example decides for its parent.
CHILDREN = "import json, sys, website; print(json.dumps([each.object for each in website.op.test(sys.argv[1]).children]))"
STRICTLY = {"dryRun": "All", "fieldValidation": "Strict"}


def documents(folder, pattern="manifests/*.yaml"):
    return [document for path in sorted(folder.glob(pattern)) for document in manifests.read(path)]


@pytest.fixture(scope="module", autouse=True)
def parents_of_the_examples(kube):
    crds = {each["metadata"]["name"]: each for folder in OPERATORS for each in documents(folder) if each["kind"] == CRD}
    manifests.install(kube, list(crds.values()))
    for name in crds:
        eventually(lambda name=name: manifests.served(kube, name), what=f"{name} is served")
    yield
    for name in crds:
        kube.delete("customresourcedefinitions.apiextensions.k8s.io", name)


@pytest.mark.parametrize("example", OPERATORS, ids=lambda path: path.name)
def test_the_manifests_have_only_known_and_valid_fields(request, kube, example):
    ns = new_namespace(request, kube).name
    for document in documents(example, "manifests/**/*.yaml"):
        if document["kind"] in ("Namespace", CRD):
            continue
        if "namespace" in document["metadata"]:
            document["metadata"]["namespace"] = ns
        kube.request("POST", kube.path_of(document, ns, named=False), STRICTLY, document)


def test_the_children_of_a_website_have_only_known_and_valid_fields(request, kube):
    ns = new_namespace(request, kube).name
    subprocess.run([paths.ROOT / "scripts/sdk-python"], check=True)
    folder = paths.EXAMPLES / "operators/python-website"
    done = subprocess.run([sys.executable, "-B", "-c", CHILDREN, folder / "manifests/website.yaml"], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": f"{folder}:{paths.ROOT}/build/sdk/python/src"})
    children = json.loads(done.stdout)
    assert [each["kind"] for each in children] == ["ConfigMap", "Service", "Deployment"]
    for child in children:
        kube.request("POST", kube.path_of(child, ns, named=False), STRICTLY, child)


def test_a_wrong_field_is_refused(kube):
    [operator] = [each for each in documents(OPERATORS[0]) if each["kind"] == "Operator"]
    operator["spec"]["hook"]["sevice"] = {}
    with pytest.raises(ApiError, match="sevice"):
        kube.request("POST", kube.path_of(operator, None, named=False), STRICTLY, operator)
