# SPDX-License-Identifier: Apache-2.0
"""What a status costs the API server: CPU time and allocations for the first status write of an object, by the form of
the status and of its schema. `./dev bench --statuses`."""

import argparse
import re
import statistics
import threading

from bench.cluster import NS, fresh
from bench.figures import spread, table
from bench.report import commit, machine, runs
from support import manifests
from support.progress import say, step

GROUP = "bench.xebec.dev"
TIME = "2026-01-01T00:00:00Z"
TEXT = {"type": "string"}
SPEC = {"type": "object", "properties": {"replicas": {"type": "integer"}}}
CONDITION = {"type": "object", "required": ["type", "status"],
             "properties": {"type": TEXT, "status": {"type": "string", "enum": ["True", "False", "Unknown"]}, "reason": TEXT, "message": TEXT,
                            "lastTransitionTime": {"type": "string", "format": "date-time"}, "observedGeneration": {"type": "integer"}}}
MAP_LIST = {"type": "array", "items": CONDITION, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}
WHOLE_CONDITIONS = MAP_LIST | {"items": CONDITION | {"x-kubernetes-map-type": "atomic"}}
ATOMIC_LIST = {"type": "array", "items": CONDITION, "x-kubernetes-list-type": "atomic"}
NO_SCHEMA = {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
# Name, number of conditions, schema of their list.
FORMS = (("two numbers", 0, MAP_LIST), ("and two conditions", 2, MAP_LIST), ("and four conditions", 4, MAP_LIST),
         ("and three conditions, each owned as a whole", 3, WHOLE_CONDITIONS),
         ("and four conditions, each owned as a whole", 4, WHOLE_CONDITIONS),
         ("and four conditions in an atomic list", 4, ATOMIC_LIST), ("and four conditions without a schema", 4, NO_SCHEMA))
METHODS = ("merge patch", "PUT of the object", "PUT of the status")
WRITERS = 8  # write at the same time


def definition(number, schema):
    status = {"type": "object", "properties": {"replicas": {"type": "integer"}, "observedGeneration": {"type": "integer"}, "conditions": schema}}
    plural, kind = f"form{number}s", f"Form{number}"
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
               "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC, "status": status}}}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": f"{plural}.{GROUP}"},
            "spec": {"group": GROUP, "scope": "Namespaced", "names": {"plural": plural, "kind": kind}, "versions": [version]}}


def status_with(conditions):
    status = {"replicas": 1, "observedGeneration": 1}
    if conditions:
        status["conditions"] = [{"type": f"Condition{number}", "status": "True", "reason": "EverythingIsReady", "lastTransitionTime": TIME,
                                 "message": "All replicas of the Deployment are available", "observedGeneration": 1} for number in range(conditions)]
    return status


class Statuses:
    def __init__(self, cluster, objects):
        self._cluster, self._kube, self._objects, self._written = cluster, cluster.client(), objects, 0
        manifests.install(self._kube, [definition(number, schema) for number, (_, _, schema) in enumerate(FORMS)])

    def cost(self, number, method):
        """CPU of the API server for each write, in ms, and its allocations."""
        kind, (_, conditions, _) = f"Form{number}", FORMS[number]
        self._written += 1
        # Without a spec, the API server would record no owners of fields, neither now nor later.
        objects = [self._kube.create({"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": f"r{self._written}-{each}", "namespace": NS},
                                      "spec": {"replicas": 1}}) for each in range(self._objects)]
        status, before = status_with(conditions), self._used()
        writers = [threading.Thread(target=self._write_all, args=(f"form{number}s.{GROUP}", method, objects[first::WRITERS], status))
                   for first in range(WRITERS)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        return tuple((after - first) / self._objects for after, first in zip(self._used(), before))

    def _used(self):
        connection = self._kube.connect(60)
        connection.request("GET", "/metrics", headers=self._kube.headers())
        metrics = connection.getresponse().read().decode()
        connection.close()
        return self._cluster.cpu()["API server"] * 1000, float(re.search(r"^go_memstats_mallocs_total (\S+)", metrics, re.MULTILINE).group(1))

    def _write_all(self, resource, method, objects, status):
        kube = self._cluster.client()
        for each in objects:
            name, version = each["metadata"]["name"], each["metadata"]["resourceVersion"]
            if method == "merge patch":
                kube.patch(resource, name, NS, {"metadata": {"resourceVersion": version}, "status": status}, "status")
                continue
            metadata = {key: each["metadata"][key] for key in ("name", "namespace", "uid", "resourceVersion")}
            body = each if method == "PUT of the object" else {"apiVersion": each["apiVersion"], "kind": each["kind"], "metadata": metadata}
            kube.request("PUT", kube.path(resource, NS, name, "status"), body=body | {"status": status})


def measure(options):
    """{(form, method): [(ms, allocations) of a run]}; each run begins with another form."""
    figures = {}
    with fresh() as cluster:
        statuses = Statuses(cluster, options.objects)
        statuses.cost(0, METHODS[0])  # fills the caches
        for run in range(options.runs):
            with step(f"run {run + 1}: {len(FORMS) * len(METHODS)} forms of writes"):
                for number in [(run + place) % len(FORMS) for place in range(len(FORMS))]:
                    for method in METHODS:
                        figures.setdefault((FORMS[number][0], method), []).append(statuses.cost(number, method))
    return figures


def main():
    parser = argparse.ArgumentParser(prog="./dev bench --statuses", description=__doc__)
    parser.add_argument("--objects", type=int, default=300, help="objects of each form in a run")
    parser.add_argument("--runs", type=int, default=5, help="how often each form is measured")
    options = parser.parse_args()
    figures = measure(options)
    rows = [[form, *(shown(figures[form, method]) for method in METHODS)] for form, _, _ in FORMS]
    say(f"commit {commit()}, {machine()}; {runs(options.runs)}\n\nFor the first write of a status with: CPU of the API server in ms, and its "
        "allocations\n\n" + table(["", *METHODS], rows))


def shown(costs):
    return f"{spread([ms for ms, _ in costs])}; {statistics.median([count for _, count in costs]):,.0f}"


if __name__ == "__main__":
    main()
