# SPDX-License-Identifier: Apache-2.0
"""The operator of Website: a web server with a page and a Service."""

import hashlib

from xebec_operator import InvalidError, Operator

op = Operator("websites.example.com")


@op.sync
def sync(o):
    page, replicas = o.spec.get("page", ""), o.spec.get("replicas", 1)
    if len(page) > 100_000:
        raise InvalidError("spec.page must have at most 100000 characters: shorten it")
    labels = {"app.kubernetes.io/name": "website", "app.kubernetes.io/instance": o.name}
    annotations = {"example.com/page": hashlib.sha256(page.encode()).hexdigest()[:16]}  # a new page replaces the Pods
    container = {
        "name": "web",
        "image": o.spec.get("image", "nginx:1.27-alpine"),
        "ports": [{"containerPort": 80}],
        "volumeMounts": [{"name": "page", "mountPath": "/usr/share/nginx/html"}],
        "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}},
    }
    pod = {"containers": [container], "volumes": [{"name": "page", "configMap": {"name": o.name}}]}

    o.ensure("v1", "ConfigMap", o.name, {"data": {"index.html": page}})
    o.ensure("v1", "Service", o.name, {"spec": {"selector": labels, "ports": [{"port": 80}]}})
    o.ensure("apps/v1", "Deployment", o.name, {"spec": {
        "replicas": replicas,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels, "annotations": annotations}, "spec": pod},
    }}, stage=1, created=f'Created website "{o.name}"')  # fmt: skip

    live = o.child("Deployment", o.name) or {}
    ready = live.get("status", {}).get("readyReplicas", 0)
    updated = live.get("status", {}).get("updatedReplicas", 0)
    done = o.is_applied("Deployment", o.name) and min(ready, updated) >= replicas
    o.status(readyReplicas=ready)
    o.condition("Ready", done, "Serving" if done else "Deploying", f"{ready} of {replicas} replicas are ready")


if __name__ == "__main__":
    op.serve()
