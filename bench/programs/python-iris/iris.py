# SPDX-License-Identifier: Apache-2.0
"""The operator of Iris for the benchmark of hooks: the same as bench/programs/go-iris."""

import os
import time

from xebec_operator import Operator

DELAY = int(os.environ.get("HOOK_DELAY_MS", "0")) / 1000  # seconds that each call takes beside its work

op = Operator("irises.example.com")


def deployment(name, image, replicas):
    labels = {"iris/deployment-name": name}
    return {"spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "iris", "image": image}]}}}}


@op.sync
def sync(o):
    if DELAY:
        time.sleep(DELAY)
    name, replicas = o.spec["deploymentName"], o.spec.get("replicas", 1)
    o.ensure("apps/v1", "Deployment", name, deployment(name, o.spec["image"], replicas), created=f'Created deployment "{name}"')

    status = (o.child("Deployment", name) or {}).get("status", {})
    ready = status.get("readyReplicas", 0)
    done = o.is_applied("Deployment", name) and ready >= replicas
    reason, message = "DeploymentReady" if done else "Deploying", f"{ready} of {replicas} replicas are ready"
    o.status(readyReplicas=ready, replicas=status.get("replicas", 0), selector=f"iris/deployment-name={name}")
    o.condition("Ready", done, reason, message)
    o.condition("Progressing", not done, reason, message)


if __name__ == "__main__":
    op.serve()
