# SPDX-License-Identifier: Apache-2.0
"""An applier that cannot carry out plans says so: it is not ready, its outcomes and metrics give the reason, and both
end with the problem."""

import json

import pytest

from parents import IRIS, iris
from support.api_proxy import ApiProxy, Cut
from support.eventually import eventually

LEASES = "/apis/coordination.k8s.io/"
FORBIDDEN = 403, json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403,
                             "message": "leases is forbidden: User \"xebec-applier\" cannot get resource"}).encode()


def cut_off(method, path):
    raise Cut


def forbid_leases(method, path):
    return FORBIDDEN if method == "GET" and path.startswith(LEASES) else None


@pytest.mark.expects_forbidden
@pytest.mark.parametrize("before,reason", [(cut_off, "ApiServerUnreachable"), (forbid_leases, "LeaseUnreadable")])
def test_readiness_follows_the_api_server_and_the_lease(here, services, cluster, folder, before, reason):
    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy, services.stand_in("applier", kubeconfig=proxy.kubeconfig) as applier:
        applier.wait_ready()
        proxy.before = before
        eventually(lambda: not applier.ready(), what="the applier is not ready")
        here.create(iris("sample"))
        eventually(lambda: applier.metric("xebec_apply_unavailable_total", reason=reason) > 0, what="plans are refused with the reason")
        assert any(r.get("msg") == "Cannot carry out plans" and r["reason"] == reason for r in applier.log_records())

        proxy.before = lambda method, path: None
        eventually(applier.ready, what="the applier is ready again")
        here.is_ready(IRIS, "sample")
