# SPDX-License-Identifier: Apache-2.0
"""An admission webhook that is slow for one resource delays that resource only."""

import burst
from parents import POD_SET
from support.eventually import eventually
from support.webhook import slow_admission

SLOW, QUICK = 120, 20
LATENCY = 1.5
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}


def test_a_slow_admission_of_one_resource_leaves_the_others_their_rate(here, services, folder, kube):
    with slow_admission(kube, folder.path / "webhook", "pods", here.name, LATENCY, POD), services.stand_in("applier") as applier:
        applier.wait_ready()
        allowed = applier.metric("xebec_apply_writes_allowed")
        burst.create(here, SLOW, replicas=1, prefix="slow", resource=POD_SET)
        eventually(lambda: applier.metric("xebec_apply_class_latency_seconds", resource="pods", verb="create") > 1, what="Pods are slow")
        burst.create(here, QUICK)
        burst.all_ready(here, QUICK)
        assert len(here.names("pods")) < SLOW, "the quick ones waited for the slow ones"

        eventually(lambda: len(here.names("pods")) == SLOW, what="all Pods are created")
        assert applier.metric("xebec_apply_writes_allowed") >= allowed, "slow is not overloaded"
        assert applier.metric("xebec_apply_class_allowed", resource="pods", verb="create") >= allowed
        assert applier.metric("xebec_apply_unavailable_total", reason="LeaseUnreadable") == 0
