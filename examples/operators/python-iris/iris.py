# SPDX-License-Identifier: Apache-2.0
"""Iris as a program: the same kind as the built-in one of Xebec (docs/kinds.md), in both API groups."""

from dataclasses import dataclass

from names import label_value
from pods import pods_of, worst_reason
from spec import as_int, read_spec
from xebec_operator import Event, Operator, covers

LABEL = "iris/deployment-name"
PARENT_LABEL = "xebec.dev/parent"  # The Operator selects Pods by it.

op = Operator("irises.example.com")


def deployment_of(spec):
    container = {"name": "iris", "image": spec.image}
    if spec.env:
        container["env"] = spec.env
    if spec.resources:
        container["resources"] = spec.resources
    labels = {LABEL: label_value(spec.deployment)}
    pod = {"containers": [container]}
    if spec.pull_secrets:
        pod["imagePullSecrets"] = spec.pull_secrets
    return {"spec": {"replicas": spec.replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": dict(labels)}, "spec": pod}}}


def label_pods(body, live, parent_name):
    """Adds the label of Pods. It replaces the Pods, so an existing Deployment gets it together with another change
    only."""
    template = body["spec"]["template"]
    metadata = {"labels": {**template["metadata"]["labels"], PARENT_LABEL: label_value(parent_name)}}
    labelled = {**template, "metadata": metadata}

    def covered(candidate):
        return covers(live, {"spec": {"template": candidate}})

    if live is None or covered(labelled) or not covered(template):
        body["spec"]["template"] = labelled


@dataclass
class Progress:
    """The status of the Deployment for the desired spec."""

    wanted: int
    ready: int = 0
    total: int = 0
    current: int = 0  # ready and of the desired spec
    complete: bool = False
    stalled: bool = False
    reason: str = ""
    message: str = ""


def condition_of(item, type):
    conditions = item.get("status", {}).get("conditions") or []
    return next((each for each in conditions if each.get("type") == type), {})


def refusal_reason(message, other):
    if "exceeded quota" in message or "failed quota" in message:
        return "QuotaExceeded"
    return "PodSecurityViolation" if "violates PodSecurity" in message else other


def read_failure(live, progress):
    stuck = condition_of(live, "Progressing")
    if stuck.get("status") != "False":
        stuck = {}
    progress.stalled = stuck.get("reason") == "ProgressDeadlineExceeded"
    failing = condition_of(live, "ReplicaFailure")
    failing = failing if failing.get("status") == "True" else stuck
    if failing:
        progress.message = failing.get("message", "")
        progress.reason = refusal_reason(progress.message, failing.get("reason", ""))


def read_progress(o, spec, live):
    progress = Progress(wanted=spec.replicas)
    if live is None:
        return progress
    status = live.get("status", {})
    count = {name: max(as_int(status.get(name)) or 0, 0) for name in ("readyReplicas", "replicas", "updatedReplicas")}
    progress.ready, progress.total = count["readyReplicas"], count["replicas"]
    observed, generation = (as_int(value) or 0 for value in (status.get("observedGeneration"), live["metadata"].get("generation")))
    if observed >= generation and o.is_applied("Deployment", spec.deployment):
        progress.current = min(progress.ready, count["updatedReplicas"])
        progress.wanted = as_int(live.get("spec", {}).get("replicas"))
        progress.complete = progress.current >= progress.wanted == progress.total
        read_failure(live, progress)
    if not progress.complete:
        found = worst_reason(pods_of(o.children("Pod"), live), condition_of(o.parent, "Ready").get("reason"))
        if found is not None:
            progress.reason, progress.message = found
    return progress


def set_conditions(o, progress):
    sentence = f"{min(progress.current, progress.wanted)} of {progress.wanted} replicas are ready"
    if progress.complete:
        o.condition("Ready", True, "DeploymentReady", sentence)
        return
    reason = progress.reason or "Deploying"
    message = f"{sentence}: {progress.message}" if progress.reason else sentence
    o.condition("Ready", False, reason, message)
    if progress.stalled and progress.reason:
        o.condition("Stalled", True, "ProgressDeadlineExceeded", message)


def delete_former_deployments(o, spec):
    """They are deleted once the new one exists."""
    for child in o.children("Deployment"):
        name = child["metadata"]["name"]
        if name != spec.deployment:
            o.delete("apps/v1", "Deployment", name, stage=1, reason=f'spec.deploymentName is now "{spec.deployment}"',
                     deleted=f'Deleted deployment "{name}"')


@op.sync
def sync(o):
    spec = read_spec(o.parent)
    live = o.child("Deployment", spec.deployment)
    body = deployment_of(spec)
    selector = live.get("spec", {}).get("selector") if live is not None else None
    if selector:
        body["spec"]["selector"] = selector  # immutable
    label_pods(body, live, o.name)
    scaled = None
    if live is not None and as_int(live.get("spec", {}).get("replicas", 1)) != spec.replicas:
        scaled = Event("Scaled", f'Scaled deployment "{spec.deployment}" to {spec.replicas} replicas', "Scale")
    o.ensure("apps/v1", "Deployment", spec.deployment, body, created=f'Created deployment "{spec.deployment}"', changed=scaled)
    delete_former_deployments(o, spec)
    progress = read_progress(o, spec, live)
    labels = body["spec"]["selector"].get("matchLabels") or {}
    selector_text = ",".join(f"{key}={value}" for key, value in sorted(labels.items()))
    o.status(readyReplicas=progress.ready, replicas=progress.total, selector=selector_text)
    set_conditions(o, progress)


if __name__ == "__main__":
    op.serve()
