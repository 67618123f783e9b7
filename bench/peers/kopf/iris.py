# SPDX-License-Identifier: Apache-2.0
"""A peer of the benchmark: the operator for Iris as a user would write it on Kopf today, after Kopf's tutorial."""

import kopf
import kubernetes

GROUP = ("example.com", "v1alpha1", "irises")


@kopf.on.create(*GROUP)
@kopf.on.update(*GROUP, field="spec")
def reconcile(spec, name, namespace, meta, body, patch, **_):
    deployment = deployment_for(spec, name)
    kopf.adopt(deployment)
    api = kubernetes.client.AppsV1Api()
    try:
        api.create_namespaced_deployment(namespace, deployment)
        kopf.info(body, reason="Created", message=f"Created Deployment {name}")
    except kubernetes.client.ApiException as error:
        if error.status != 409:
            raise
        api.patch_namespaced_deployment(name, namespace, {"spec": deployment["spec"]})
    patch.status["readyReplicas"] = 0
    patch.status["observedGeneration"] = meta["generation"]


@kopf.on.event("apps", "v1", "deployments", labels={"app.kubernetes.io/name": "iris"})
def ready(status, meta, namespace, **_):
    count = status.get("readyReplicas", 0)
    owner = next((ref for ref in meta.get("ownerReferences", []) if ref["kind"] == "Iris"), None)
    if owner and count:
        kubernetes.client.CustomObjectsApi().patch_namespaced_custom_object_status(
            GROUP[0], GROUP[1], namespace, GROUP[2], owner["name"], {"status": {"readyReplicas": count}})


def deployment_for(spec, name):
    labels = {"app.kubernetes.io/name": "iris", "iris": name}
    container = {"name": "iris", "image": spec.get("image")}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "labels": dict(labels)},
            "spec": {"replicas": spec.get("replicas", 1), "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}}}}
