# SPDX-License-Identifier: Apache-2.0
"""Appliers whose assignment is malformed, edited by hand, deleted, or has another number of buckets than before."""

import pytest

from support import plans
from support.apply_stream import ApplyStream, codes
from support.eventually import eventually
from support.plans import CONFIG_MAPS
from support.processes import free_port
from support.services import Service, arguments

pytestmark = pytest.mark.usefixtures("nobody_plans_probes")
NAME, NAMESPACE = "xebec-bad-assignments-assignment", "xebec-system"
LEASE = ("leases.coordination.k8s.io", NAME, NAMESPACE)


@pytest.fixture
def applier(folder, cluster, kube):
    """An applier that knows nothing."""
    assign(kube, plans.assignment(5, 5))
    addresses = {name: f"127.0.0.1:{free_port()}" for name in ("applier", "applier metrics")}
    argv = arguments("applier", addresses, {"applier": cluster.applier_kubeconfig}) + ["--lease-prefix", "xebec-bad-assignments-"]
    service = Service("applier", folder, argv, *addresses.values(), "applier-bad-assignments")
    service.start().wait_ready()
    yield service
    service.stop()


def assign(kube, annotations):
    """Annotations that are not given are removed."""
    if kube.get(*LEASE):
        kube.delete(*LEASE)
    kube.apply({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": NAME, "annotations": annotations}}, NAMESPACE)


@pytest.fixture
def owner(here):
    return here.create(plans.probe())


@pytest.fixture
def outcome(applier, owner):
    """outcome(name, buckets, epoch): of a plan that creates the ConfigMap, after the applier's knowledge is older than
    5 s."""
    sequences = iter(range(1, 1000))
    with ApplyStream(applier.address) as stream:
        def outcome(name, buckets, epoch):
            sequence = next(sequences)
            operation = plans.create(plans.config_map(owner, name, "x"))
            stream.send(plans.plan(owner, [operation], sequence=sequence, epoch=epoch, buckets=buckets))
            report = stream.report(sequence)
            return codes(report)[0], report["outcomes"][0].get("reason", ""), report["outcomes"][0].get("message", "")
        yield outcome


@pytest.mark.parametrize("text, said", [
    (None, "it has no annotation xebec.dev/assignment"), ("{", "assignment: "), ("[]", "buckets is not a number from 1 to 1024"),
    ('{"buckets":0}', "buckets is not a number from 1 to 1024"), ('{"buckets":10000}', "buckets is not a number from 1 to 1024"),
    ('{"buckets":2,"watchers":{"a":"0-1","b":"1"},"inDoubt":"","epochs":[5,5]}', "bucket 1 has two holders"),
    ('{"buckets":2,"watchers":{"a":"0-2"},"inDoubt":"","epochs":[5,5]}', "the buckets of 'a' are not ranges"),
    ('{"buckets":2,"watchers":{},"inDoubt":"","epochs":[5]}', "epochs does not have one number for each bucket")])
def test_a_malformed_assignment_stops_the_applier_until_it_is_repaired(applier, kube, outcome, text, said):
    assign(kube, {} if text is None else {"xebec.dev/assignment": text})
    code, reason, message = eventually(lambda: next((o for o in [outcome("a", 2, 5)] if o[0] == "UNAVAILABLE"), None), what="it is noticed")
    assert reason == "LeaseUnreadable" and said in message, message
    assert f"the Lease {NAMESPACE}/{NAME}" in message and "delete the Lease" in message
    assert not applier.ready()
    assign(kube, plans.assignment(5, 5))
    eventually(applier.ready, what="it has read the assignment")
    assert outcome("b", 2, 5)[0] == "CREATED"


def test_plans_of_an_old_number_of_buckets_are_refused_once_it_has_changed_and_those_of_the_new_one_at_once(here, kube, outcome):
    assert outcome("a", 2, 5)[0] == "CREATED"
    assign(kube, plans.assignment(6, 6, 6))
    assert outcome("b", 3, 6)[0] == "CREATED", "the new watcher does not wait until the applier reads again"
    code, reason, message = outcome("c", 2, 5)
    assert (code, reason) == ("FENCED", "BucketCount"), message
    assert "into 2 buckets" in message and f"the Lease {NAMESPACE}/{NAME} has 3" in message and "same number" in message
    kube.delete(*LEASE)
    assert outcome("d", 2, 5)[0] == "FENCED", "also without an assignment"
    assert outcome("e", 3, 6)[0] == "CREATED"
    assert not set(here.names(CONFIG_MAPS)) & {"c", "d"}


def test_an_applier_that_starts_while_the_assignment_is_missing_obeys_nobody_until_it_exists(applier, kube, request):
    applier.stop()
    kube.delete(*LEASE)
    applier.start().wait_ready()
    outcome = request.getfixturevalue("outcome")
    code, reason, message = outcome("a", 2, 5)
    assert (code, reason) == ("FENCED", "NoAssignment"), message
    assert f"the Lease {NAMESPACE}/{NAME} with the assignment is missing" in message
    assert outcome("b", 1, 0)[0] == "CREATED", "of a watcher without leader election"
    assign(kube, plans.assignment(6, 6))
    assert outcome("c", 2, 5)[:2] == ("FENCED", "Epoch")
    assert outcome("d", 2, 6)[0] == "CREATED"


def test_lower_epochs_that_somebody_wrote_do_not_let_a_deposed_watcher_in(kube, outcome):
    assert outcome("a", 2, 9)[0] == "CREATED"
    assign(kube, plans.assignment(1, 1))
    assert outcome("b", 2, 8)[:2] == ("FENCED", "Epoch")
    assert outcome("c", 2, 9)[0] == "CREATED"
