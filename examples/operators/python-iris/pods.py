# SPDX-License-Identifier: Apache-2.0
"""Why the Pods of a Deployment are not ready."""

from typing import NamedTuple

STARTING = ("ContainerCreating", "PodInitializing", "")
# In order of severity. Other reasons are between them and Unschedulable.
SEVERITY = ("InvalidImageName", "CreateContainerConfigError", "ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff")
# Reasons whose message tells users what to do and does not change between retries.
STABLE_MESSAGES = ("CreateContainerConfigError", "InvalidImageName", "ErrImageNeverPull")


class Reason(NamedTuple):
    reason: str
    message: str


def _get(value, *path):
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _severity(found):
    if found.reason == "Unschedulable":
        return len(SEVERITY) + 1
    return SEVERITY.index(found.reason) if found.reason in SEVERITY else len(SEVERITY)


def _place(pod, container):
    return f'container "{container.get("name", "")}" of Pod "{pod["metadata"]["name"]}"'


def _crashes(container):
    """A container that ended with an error and has not been ready since counts as crashing, even while it runs."""
    if _get(container, "state", "waiting", "reason") == "CrashLoopBackOff":
        return True
    ended = _get(container, "lastState", "terminated")
    return not container.get("ready") and container.get("restartCount", 0) > 0 and ended is not None and ended.get("exitCode", 1) != 0


def _waiting(pod, container, reason):
    place = _place(pod, container)
    if reason in ("ErrImagePull", "ImagePullBackOff"):
        return Reason(reason, f'{place} cannot pull the image "{container.get("image", "")}"')
    detail = _get(container, "state", "waiting", "message")
    shown = f" ({_cut(detail, 300)})" if reason in STABLE_MESSAGES and detail else ""
    return Reason(reason, f"{place} cannot start: {reason}{shown}")


def _cut(text, limit):
    return text if len(text.encode()) <= limit else text.encode()[: limit - 3].decode(errors="ignore") + "…"


def _of_container(pod, container):
    waiting = _get(container, "state", "waiting", "reason") or ""
    if waiting not in STARTING and waiting != "CrashLoopBackOff":
        return _waiting(pod, container, waiting)
    if not _crashes(container):
        return None
    last = _get(container, "lastState", "terminated", "reason")
    return Reason("CrashLoopBackOff", f"{_place(pod, container)} ends repeatedly{f' ({last})' if last else ''}; "
                                      f"see kubectl logs --previous {pod['metadata']['name']}")


def _of_scheduling(pod):
    for condition in _get(pod, "status", "conditions") or []:
        if (condition.get("type"), condition.get("status"), condition.get("reason")) == ("PodScheduled", "False", "Unschedulable"):
            # The part about preemption changes between attempts.
            detail = condition.get("message", "").split(" preemption:")[0]
            return Reason("Unschedulable", f'Pod "{pod["metadata"]["name"]}" cannot be scheduled{f": {detail}" if detail else ""}')
    return None


def _of_pod(pod):
    for statuses in ("initContainerStatuses", "containerStatuses"):
        for container in _get(pod, "status", statuses) or []:
            found = _of_container(pod, container)
            if found is not None:
                return found
    return _of_scheduling(pod)


def pods_of(pods, deployment):
    """The Pods that the Deployment controls, without those that are being deleted or have ended."""
    for pod in pods:
        metadata = pod["metadata"]
        template_hash = _get(metadata, "labels", "pod-template-hash")
        replica_set = ("ReplicaSet", f'{deployment["metadata"]["name"]}-{template_hash}') if template_hash else None
        owners = [owner for owner in metadata.get("ownerReferences") or [] if owner.get("controller")]
        owned = any(owner.get("uid") == deployment["metadata"].get("uid") or (owner.get("kind"), owner.get("name")) == replica_set
                    for owner in owners)
        if owned and "deletionTimestamp" not in metadata and _get(pod, "status", "phase") in (None, "", "Pending", "Running"):
            yield pod


def worst_reason(pods, shown):
    """The most severe reason, or None. `shown` is the current reason of the parent: a failing image pull alternates
    between two reasons, and the current one is kept."""
    found = [reason for reason in map(_of_pod, pods) if reason is not None]
    worst = min(found, key=_severity, default=None)
    if worst is not None and worst.reason == "ErrImagePull" and shown == "ImagePullBackOff":
        return worst._replace(reason=shown)
    return worst
