# SPDX-License-Identifier: Apache-2.0
"""The scale subresource of the parents, used by kubectl and by an autoscaler."""

import pytest

from parents import APP_SERVICE, DATABASE, DATABASE_CO, parent
from support import manifests
from support.kube import ApiError
from support.manifests import condition

HPA = "horizontalpodautoscalers.autoscaling"
SCALED = [crd["metadata"]["name"] for crd in manifests.crds() if "scale" in crd["spec"]["versions"][0]["subresources"]]
TIMEOUT = 60.0  # An autoscaler that began before a CRD looks for new kinds every 30 s.
IMAGE = {DATABASE: {"image": "postgres"}, DATABASE_CO: {"image": "postgres"}}


def scale_of(here, resource, name):
    return here.kube.request("GET", here.kube.path(resource, here.name, name, "scale"))


def test_an_app_service_with_size_alone_has_no_scale_until_somebody_scales_it(here):
    here.create(parent(APP_SERVICE, "set", size=2))
    here.is_ready(APP_SERVICE, "set")
    with pytest.raises(ApiError, match="the spec replicas field .* does not exist"):
        scale_of(here, APP_SERVICE, "set")

    here.scale(APP_SERVICE, "set", 3)

    names = [f"set-pod-{ordinal}" for ordinal in range(3)]
    scaled = here.is_ready(APP_SERVICE, "set")
    assert scaled["spec"] == {"size": 2, "replicas": 3} and scaled["status"]["podNames"] == names
    scale = scale_of(here, APP_SERVICE, "set")
    assert scale["spec"] == {"replicas": 3} and scale["status"]["replicas"] == 3
    assert [pod["metadata"]["name"] for pod in here.kube.list("pods", here.name, selector=scale["status"]["selector"])] == names


def autoscaler(resource, least):
    """Over the parent that is called like its resource."""
    target = parent(resource, resource)
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": resource},
            "spec": {"minReplicas": least, "maxReplicas": least + 2,
                     "scaleTargetRef": {key: target[key] for key in ("apiVersion", "kind")} | {"name": resource}}}


def test_an_autoscaler_scales_every_kind_that_has_replicas_and_finds_its_pods(here):
    """Up to its least number, for which it needs no measurements; these it looks for then, of the Pods that the
    selector gives it."""
    for resource in SCALED:
        here.create(parent(resource, resource, replicas=1, **IMAGE.get(resource, {})))
    for resource in SCALED:
        here.is_ready(resource, resource)
        here.create(autoscaler(resource, 2))

    for resource in SCALED:
        here.becomes(resource, resource, lambda item: item["spec"]["replicas"] == 2, "is scaled", TIMEOUT)
        here.is_ready(resource, resource)
        assert here.get(resource, resource)["status"]["replicas"] == 2
        seen = here.becomes(HPA, resource, lambda item: condition(item, "ScalingActive"), "looks for measurements")
        assert condition(seen, "AbleToScale")["status"] == "True", seen
        assert condition(seen, "ScalingActive")["reason"] == "FailedGetResourceMetric", seen  # of a selector that it can use
