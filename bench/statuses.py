# SPDX-License-Identifier: Apache-2.0
"""What a status costs the API server: CPU time of the first status write of an object, by the form of the status and of its schema.
`./dev bench --statuses`."""

import argparse

from bench.cluster import NS, fresh
from bench.figures import spread, table
from bench.report import commit, machine, runs
from support import manifests
from support.progress import say, step

GROUP = "bench.xebec.dev"
TIME = "2026-01-01T00:00:00Z"
TEXT = {"type": "string"}
CONDITION = {"type": "object", "required": ["type", "status"],
             "properties": {"type": TEXT, "status": {"type": "string", "enum": ["True", "False", "Unknown"]}, "reason": TEXT, "message": TEXT,
                            "lastTransitionTime": {"type": "string", "format": "date-time"}, "observedGeneration": {"type": "integer"}}}
MAP_LIST = {"type": "array", "items": CONDITION, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}
ATOMIC_LIST = {"type": "array", "items": CONDITION, "x-kubernetes-list-type": "atomic"}
NO_SCHEMA = {"type": "array", "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
# Name, number of conditions, schema of their list.
FORMS = (("two numbers", 0, MAP_LIST), ("and two conditions", 2, MAP_LIST), ("and four conditions", 4, MAP_LIST),
         ("and four conditions in an atomic list", 4, ATOMIC_LIST), ("and four conditions without a schema", 4, NO_SCHEMA))
METHODS = ("PATCH", "PUT")


def definition(number, schema):
    status = {"type": "object", "properties": {"replicas": {"type": "integer"}, "observedGeneration": {"type": "integer"}, "conditions": schema}}
    plural, kind = f"form{number}s", f"Form{number}"
    version = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}},
               "schema": {"openAPIV3Schema": {"type": "object", "properties": {"status": status}}}}
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
        """CPU of the API server for each write, in ms."""
        kind, (_, conditions, _) = f"Form{number}", FORMS[number]
        self._written += 1
        objects = [self._kube.create({"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": f"r{self._written}-{each}", "namespace": NS}})
                   for each in range(self._objects)]
        status, before = status_with(conditions), self._cluster.cpu()["API server"]
        for each in objects:
            self._write(f"form{number}s.{GROUP}", method, each, status)
        return (self._cluster.cpu()["API server"] - before) * 1000 / self._objects

    def _write(self, resource, method, item, status):
        if method == "PATCH":
            self._kube.patch(resource, item["metadata"]["name"], NS, {"status": status}, "status")
        else:
            self._kube.request("PUT", self._kube.path(resource, NS, item["metadata"]["name"], "status"), body=item | {"status": status})


def measure(options):
    """{(form, method): [ms of a run]}; each run begins with another form."""
    figures = {}
    with fresh() as cluster:
        statuses = Statuses(cluster, options.objects)
        statuses.cost(0, "PATCH")  # fills the caches
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
    rows = [[form, *(spread(figures[form, method]) for method in METHODS)] for form, _, _ in FORMS]
    say(f"commit {commit()}, {machine()}; {runs(options.runs)}\n\n" +
        table(["CPU of the API server for the first write of a status with, ms", "merge patch", "PUT of the whole object"], rows))


if __name__ == "__main__":
    main()
