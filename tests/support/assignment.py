# SPDX-License-Identifier: Apache-2.0
"""The Leases of an installation: which watcher holds which bucket."""

import json

LEASES = "leases.coordination.k8s.io"
NAMESPACE = "xebec-system"
PREFIX = "xebec-watcher-"


def lease(kube, name="assignment", prefix=PREFIX):
    """The Lease `<prefix><name>`; None if there is none."""
    return kube.get(LEASES, f"{prefix}{name}", NAMESPACE)


def assignment(kube, prefix=PREFIX):
    """{"buckets": number, "watchers": {identity: ranges}, "epochs": [epoch of each bucket]}; None if there is none."""
    found = lease(kube, prefix=prefix)
    return json.loads(found["metadata"]["annotations"]["xebec.dev/assignment"]) if found else None


def holders(kube, prefix=PREFIX):
    """The identities of the watchers that hold buckets."""
    return set((assignment(kube, prefix) or {"watchers": {}})["watchers"])


def epochs(kube, prefix=PREFIX):
    return assignment(kube, prefix)["epochs"]


def members(kube, prefix=PREFIX):
    """{identity: member Lease}"""
    found = kube.list(LEASES, NAMESPACE)
    held = [each for each in found if each["metadata"]["name"].startswith(prefix) and not each["metadata"]["name"].endswith("assignment")]
    kind = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}  # lists lack them
    return {each["spec"]["holderIdentity"]: each | kind for each in held if each["spec"].get("holderIdentity")}


def shares(kube, prefix=PREFIX):
    """{identity: number of buckets}, of the watchers that hold buckets."""
    return {identity: count(ranges) for identity, ranges in (assignment(kube, prefix) or {"watchers": {}})["watchers"].items()}


def count(ranges):
    """Of the buckets in a text like "0-3,7"."""
    bounds = [each.split("-") for each in ranges.split(",") if each]
    return sum(int(each[-1]) - int(each[0]) + 1 for each in bounds)


def numbers(ranges):
    """The buckets in such a text."""
    bounds = [each.split("-") for each in ranges.split(",") if each]
    return [bucket for each in bounds for bucket in range(int(each[0]), int(each[-1]) + 1)]
