# SPDX-License-Identifier: Apache-2.0
"""An admission webhook that is slow for one resource delays that resource only."""

import time

import burst
from parents import POD_SET
from support.api_proxy import ApiProxy
from support.eventually import eventually

SLOW, QUICK = 120, 20
LATENCY = 1.5


def test_a_slow_admission_of_one_resource_leaves_the_others_their_rate(here, services, cluster, folder, kube):
    def before(method, path):
        if method == "POST" and path.startswith(kube.path("pods", here.name)):
            time.sleep(LATENCY)

    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy, services.stand_in("applier", kubeconfig=proxy.kubeconfig) as applier:
        applier.wait_ready()
        allowed = applier.metric("xebec_apply_writes_allowed")
        proxy.before = before
        burst.create(here, SLOW, replicas=1, prefix="slow", resource=POD_SET)
        eventually(lambda: applier.metric("xebec_apply_class_latency_seconds", resource="pods", verb="create") > 1, what="Pods are slow")
        burst.create(here, QUICK)
        burst.all_ready(here, QUICK)
        assert len(here.names("pods")) < SLOW, "the quick ones waited for the slow ones"

        eventually(lambda: len(here.names("pods")) == SLOW, what="all Pods are created")
        assert applier.metric("xebec_apply_writes_allowed") >= allowed, "slow is not overloaded"
        assert applier.metric("xebec_apply_class_allowed", resource="pods", verb="create") >= allowed
        assert applier.metric("xebec_apply_unavailable_total", reason="LeaseUnreadable") == 0
