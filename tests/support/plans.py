# SPDX-License-Identifier: Apache-2.0
"""Plans made by hand for an applier: the parent is a Probe, which no service plans unless a test asks for it; the
children are ConfigMaps.

They are dicts as in proto/xebec/v1/plan.proto.
"""

import datetime
import json
import uuid

PROBES, CONFIG_MAPS = "probes.test.xebec.dev", "configmaps"
_TYPES = {"Probe": {"group": "test.xebec.dev", "version": "v1", "kind": "Probe", "plural": "probes"},
          "ConfigMap": {"version": "v1", "kind": "ConfigMap", "plural": "configmaps"},
          "Secret": {"version": "v1", "kind": "Secret", "plural": "secrets"},
          "Deployment": {"group": "apps", "version": "v1", "kind": "Deployment", "plural": "deployments"}}


def probe(name="parent"):
    return {"apiVersion": "test.xebec.dev/v1", "kind": "Probe", "metadata": {"name": name}, "spec": {}}


def config_map(parent, name, value):
    meta = parent["metadata"]
    owner = {"apiVersion": "test.xebec.dev/v1", "kind": "Probe", "name": meta["name"], "uid": meta["uid"], "controller": True,
             "blockOwnerDeletion": True}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": meta["namespace"], "ownerReferences": [owner]},
            "data": {"value": value}}


def ref(item, kind=None):
    return {"type": _TYPES[kind or item["kind"]], "namespace": item["metadata"]["namespace"], "name": item["metadata"]["name"]}


def _operation(verb, item, precondition, condition, reason):
    name = item["metadata"]["name"]
    return {"id": f"{verb} {name}", "target": ref(item), "precondition": precondition,
            "events": [{"condition": f"EVENT_CONDITION_{condition}", "reason": reason, "action": verb.capitalize(), "note": f"{reason} {name}"}]}


def create(item):
    """With the event Created."""
    return _operation("create", item, {"absent": True}, "CREATED", "Created") | {"apply": {"object": {"object": item}}}


def update(item, live):
    """With the event Changed."""
    precondition, version = {"uid": live["metadata"]["uid"]}, live["metadata"]["resourceVersion"]
    return _operation("update", item, precondition, "CHANGED", "Changed") | {"apply": {"object": {"object": item}}, "observedVersion": version}


def delete(live):
    """With the event Deleted."""
    return _operation("delete", live | {"kind": "ConfigMap"}, {"uid": live["metadata"]["uid"]}, "DELETED", "Deleted") | {"delete": {}}


def status(parent, ready):
    meta = parent["metadata"]
    return {"changed": True, "now": _rfc3339(_now()), "object": {"object": {
        "apiVersion": "test.xebec.dev/v1", "kind": "Probe", "metadata": {"name": meta["name"], "namespace": meta["namespace"]},
        "status": {"readyReplicas": ready}}}}


def bucket_of(uid, buckets):
    """As BucketOf in common/model/bucket.h."""
    value = 14695981039346656037
    for byte in uid.encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return ((value >> 32) * buckets) >> 32


def plan(parent, *stages, status=None, sequence=1, epoch=1, buckets=1, life=60, **envelope):
    """Each stage is a list of operations. `life` counts in seconds from now."""
    meta = parent["metadata"]
    made = {"envelope": {
        "parent": {"ref": ref(parent, "Probe"), "uid": meta["uid"], "resourceVersion": meta["resourceVersion"], "generation": meta["generation"]},
        "controller": PROBES, "bucket": bucket_of(meta["uid"], buckets), "bucketCount": buckets, "epoch": epoch,
        "watcher": "tests", "sequence": sequence, "reconcileId": uuid.uuid4().hex[:16],
        "notAfter": _rfc3339(_now() + datetime.timedelta(seconds=life)), **envelope},
        "completeness": "COMPLETENESS_FULL", "verdict": "VERDICT_OK",
        "stages": [{"name": "children", "operations": operations} for operations in stages]}
    return made | ({"status": status} if status else {})


def assignment(*epochs, holder="tests"):
    """The annotations of a Lease with an assignment that has one bucket for each epoch."""
    text = json.dumps({"buckets": len(epochs), "watchers": {holder: f"0-{len(epochs) - 1}"}, "inDoubt": "", "epochs": epochs})
    return {"xebec.dev/assignment": text}


def _now():
    return datetime.datetime.now(datetime.timezone.utc)


def _rfc3339(time):
    return time.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
