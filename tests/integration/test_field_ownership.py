# SPDX-License-Identifier: Apache-2.0
"""The field ownership of a child that was created by POST, and whose first change removes a field, on the real API
server (ADR 23)."""

import json

import pytest

from support import plans
from support.api_proxy import ApiProxy
from support.apply_stream import ApplyStream, codes
from support.plans import CONFIG_MAPS, PROBES
from support.processes import free_port
from support.services import Service, arguments

pytestmark = pytest.mark.usefixtures("nobody_plans_probes")
DIGEST = "xebec.dev/desired-digest"


@pytest.fixture
def faulty(folder, cluster):
    """(applier, proxy between it and the API server). No watcher holds its Lease."""
    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy:
        addresses = {name: f"127.0.0.1:{free_port()}" for name in ("applier", "applier metrics")}
        argv = arguments("applier", addresses, {"applier": proxy.kubeconfig}) + ["--lease-prefix", "xebec-by-hand-"]
        service = Service("applier", folder, argv, *addresses.values(), "applier-field-ownership")
        yield service.start().wait_ready(), proxy
        service.stop()


def desired(owner, digest, **data):
    item = plans.config_map(owner, "a", "1")
    item["metadata"]["annotations"] = {DIGEST: digest}
    item["data"] |= data
    return item


def throttle_from(number):
    """Answers this PATCH of the ConfigMap and all later ones with 429."""
    seen = []

    def before(method, path):
        if method != "PATCH" or f"/{CONFIG_MAPS}/a" not in path:
            return None
        seen.append(path)
        status = {"kind": "Status", "status": "Failure", "code": 429, "reason": "TooManyRequests", "message": "slow down"}
        return None if len(seen) < number else (429, json.dumps(status).encode())

    return before


def operations(live):
    return [entry["operation"] for entry in live["metadata"]["managedFields"] if entry["manager"] == PROBES]


@pytest.mark.parametrize("throttled", [2, 3, 4], ids=["the patch", "the second apply", "nothing"])
def test_a_removed_field_goes_with_the_next_plan_if_the_repair_fails(here, faulty, throttled):
    applier, proxy = faulty
    owner = here.create(plans.probe())
    wanted = desired(owner, "v1:two.f2")

    with ApplyStream(applier.address) as stream:
        stream.send(plans.plan(owner, [plans.create(desired(owner, "v1:one.f1", old="x"))]))
        assert codes(stream.report(1)) == ["CREATED"]
        proxy.before = throttle_from(throttled)
        stream.send(plans.plan(owner, [plans.update(wanted, here.get(CONFIG_MAPS, "a"))], sequence=2))
        assert codes(stream.report(2)) == ["CHANGED"]

        live = here.get(CONFIG_MAPS, "a")
        finished = throttled == 4
        assert operations(live) == (["Apply"] if finished else ["Apply", "Update"])  # both: the planner applies it again
        assert ("old" in live["data"]) != finished
        assert live["metadata"]["annotations"][DIGEST] == ("" if throttled == 3 else "v1:two.f2")

        proxy.before = lambda method, path: None
        stream.send(plans.plan(owner, [plans.update(wanted, live)], sequence=3))
        assert codes(stream.report(3)) == ["UNCHANGED" if finished or throttled == 2 else "CHANGED"]

    live = here.get(CONFIG_MAPS, "a")
    assert live["data"] == wanted["data"] and live["metadata"]["annotations"] == {DIGEST: "v1:two.f2"}
    assert operations(live) == ["Apply"]
