# SPDX-License-Identifier: Apache-2.0
"""What people ask at night: the logs by one pass id, and WatcherService with grpcurl."""

import pytest

from parents import IRIS, IRIS_OF_TEST, iris, parent
from support import grpcurl
from support.eventually import eventually


def records(service, message, **fields):
    """Its log lines with that message and those fields."""
    return [r for r in service.log_records() if r.get("msg") == message and fields.items() <= r.items()]


def test_one_pass_has_one_id_in_the_logs_of_all_three(here, trio):
    here.create(iris("sample", deploymentName="web"))
    here.is_ready(IRIS, "sample")

    [carried_out] = eventually(lambda: [r for r in records(trio.applier, "Carried out a plan", namespace=here.name, name="sample")
                                        if f"apply deployments.apps {here.name}/web" in r["operations"]])
    one = carried_out["reconcileID"]
    [planned] = records(trio.planner, "Planned", reconcileID=one)
    [applied] = eventually(lambda: records(trio.watcher, "Applied", reconcileID=one))

    assert (planned["level"], planned["kind"], planned["namespace"], planned["name"]) == ("info", "Iris", here.name, "sample")
    assert planned["operations"] == f"apply deployments.apps {here.name}/web; status"
    assert applied["object"] == f"Iris {here.name}/sample"
    every = [r["reconcileID"] for r in records(trio.applier, "Carried out a plan", namespace=here.name)]
    assert len(every) > 1 and len(set(every)) == len(every), every


def ask(trio, method, kind, ns, name=None):
    question = {"kind": kind, "namespace": ns} | ({"name": name} if name else {})
    return grpcurl.call(trio.watcher.address, f"WatcherService/{method}", question)


def listed(trio, kind, ns):
    return [(key["ref"]["type"]["kind"], key["ref"]["type"]["group"], key["ref"]["name"]) for key in ask(trio, "ListKeys", kind, ns).get("keys", [])]


def test_x(here, trio):
    here.create(iris("sample", deploymentName="web"))
    here.create({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "taken"}, "spec": {"selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
    here.create(iris("late", deploymentName="taken"))
    here.is_ready(IRIS, "sample")
    here.has_condition(IRIS, "late", "Ready", "False", "NameConflict")
    import time; time.sleep(1)
    for m in ("Explain", "GetObservation"):
        for n in ("sample", "late"):
            print(m, n, grpcurl.run(trio.watcher.address, f"xebec.v1.WatcherService/{m}", data={"kind": "Iris", "namespace": here.name, "name": n}).stdout)
    print(grpcurl.run(trio.watcher.address, f"xebec.v1.WatcherService/ListKeys", data={"kind": "Iris", "namespace": here.name}).stdout)
    for q in ({"kind": "Iris", "namespace": here.name, "name": "nobody"}, {"kind": "Wrong", "namespace": here.name, "name": "sample"}, {"namespace": here.name, "name": "sample"}, {"kind": "Iris", "name": "sample"}, {"kind": "Iris", "namespace": here.name}, {"kind":"ir", "namespace": here.name, "name": "sample"}):
        print(q, grpcurl.run(trio.watcher.address, f"xebec.v1.WatcherService/Explain", data=q).stderr)
    assert 0
