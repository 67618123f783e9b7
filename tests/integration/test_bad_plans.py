# SPDX-License-Identifier: Apache-2.0
"""Invalid and forbidden plans: the applier rejects each with the reason and the field, and executes nothing of it."""

import base64

import pytest

from support import plans
from support.apply_stream import ApplyStream, codes
from support.eventually import eventually
from support.plans import CONFIG_MAPS, PROBES
from support.processes import free_port
from support.services import Service, arguments

pytestmark = pytest.mark.usefixtures("nobody_plans_probes")
LEASE = ("leases.coordination.k8s.io", "xebec-bad-plans-assignment", "xebec-system")
EPOCH, BUCKETS = 5, 4


@pytest.fixture(scope="module")
def applier(folder, cluster, kube):
    """An applier that may write ConfigMaps and the status of Probes alone. It reads the assignment when it starts."""
    set_assignment(kube)
    addresses = {name: f"127.0.0.1:{free_port()}" for name in ("applier", "applier metrics")}
    argv = arguments("applier", addresses, {"applier": cluster.applier_kubeconfig}) + [
        "--lease-prefix", "xebec-bad-plans-", "--allow", f"{CONFIG_MAPS},{PROBES}", "--max-operations", "8", "--log-level", "debug"]
    service = Service("applier", folder, argv, *addresses.values(), "applier-bad-plans")
    service.start().wait_ready()
    yield service
    service.stop()


def set_assignment(kube):
    """Says that a watcher holds all buckets with EPOCH."""
    annotations = plans.assignment(*[EPOCH] * BUCKETS)
    kube.apply({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": LEASE[1], "annotations": annotations}}, LEASE[2])


@pytest.fixture(autouse=True)
def assignment(kube):
    set_assignment(kube)


@pytest.fixture
def stream(applier):
    with ApplyStream(applier.address) as stream:
        yield stream


@pytest.fixture
def owner(here):
    return here.create(plans.probe())


def one_map(owner, name="a", **more):
    return plans.plan(owner, [plans.create(plans.config_map(owner, name, "x"))], **({"epoch": EPOCH, "buckets": BUCKETS} | more))


def refused(here, report, code, reason):
    """The message of a plan of which nothing was done."""
    assert set(codes(report)) == {code}, report
    assert {outcome["certainty"] for outcome in report["outcomes"]} == {"CERTAINTY_REJECTED"}
    assert report["outcomes"][0]["reason"] == reason, report
    assert here.get(CONFIG_MAPS, "a") is None and "status" not in here.get(PROBES, "parent")
    return report["outcomes"][0]["message"]


def test_an_expired_plan(here, stream, owner):
    stream.send(one_map(owner, life=-3600, status=plans.status(owner, 1)))
    assert "the plan expired at " in refused(here, stream.report(1), "FENCED", "Expired")


def test_a_plan_of_a_stale_epoch_is_told_the_highest_one(here, stream, owner):
    stream.send(one_map(owner, epoch=EPOCH - 1, status=plans.status(owner, 1)))
    report = stream.report(1)
    assert refused(here, report, "FENCED", "Epoch") == (
        f"epoch {EPOCH - 1} of bucket {plans.bucket_of(owner['metadata']['uid'], BUCKETS)} is over: {EPOCH} is known; "
        "the watcher that holds the bucket now plans the parent")
    assert int(report["highestEpoch"]) == EPOCH


def test_a_plan_of_another_number_of_buckets(here, stream, owner):
    for sequence, buckets in enumerate((BUCKETS - 1, BUCKETS + 1), 1):
        stream.send(one_map(owner, sequence=sequence, buckets=buckets, epoch=EPOCH + 1))
        report = stream.report(sequence)
        message = refused(here, report, "FENCED", "BucketCount")
        assert f'the watcher "tests" divides the parents into {buckets} buckets' in message
        assert f"the assignment in the Lease xebec-system/{LEASE[1]} has {BUCKETS}" in message
        assert int(report.get("highestEpoch", 0)) == 0, "epochs of other buckets tell nothing"


def test_a_plan_of_another_bucket_than_the_parents(here, stream, owner):
    bucket = plans.bucket_of(owner["metadata"]["uid"], BUCKETS)
    stream.send(one_map(owner, bucket=(bucket + 1) % BUCKETS))
    message = refused(here, stream.report(1), "FENCED", "Bucket")
    assert f"names bucket {(bucket + 1) % BUCKETS}, but its parent is in bucket {bucket} of {BUCKETS}" in message


def test_a_deleted_assignment_stops_no_plan_and_forgets_no_epoch(here, stream, owner, kube):
    kube.delete(*LEASE)
    stream.send(one_map(owner, "a"), one_map(owner, "b", sequence=2, epoch=EPOCH - 1))
    assert codes(stream.report(1)) == ["CREATED"]
    assert codes(stream.report(2)) == ["FENCED"]
    assert here.get(CONFIG_MAPS, "b") is None


def test_a_second_plan_with_the_same_sequence(here, stream, owner):
    stream.send(one_map(owner, "b", sequence=7))
    assert codes(stream.report(7)) == ["CREATED"]
    stream.reports.clear()
    for sequence in (7, 3):
        stream.send(one_map(owner, sequence=sequence))
        message = refused(here, stream.report(sequence), "FENCED", "Sequence")
        assert message == f"sequence {sequence} on a stream that has had 7: a repeated or reordered plan is not carried out"


def test_a_kind_that_is_not_allowed(here, stream, owner, applier):
    secret = plans.config_map(owner, "a", "x") | {"kind": "Secret"}
    stream.send(plans.plan(owner, [plans.create(secret)], epoch=EPOCH, buckets=BUCKETS))
    message = refused(here, stream.report(1), "REFUSED", "KindNotAllowed")
    assert message == (f"the applier's allow-list has no rule for secrets in namespace {here.name}; "
                       "add one to its configuration (key allow) if this is wanted")
    assert here.get("secrets", "a") is None
    mine = eventually(lambda: [r["msg"] for r in applier.log_records() if r.get("namespace") == here.name])
    assert mine == ["Did not apply plan"]


def bad_object(text):
    """An operation whose object is these bytes."""
    def change(operation):
        operation["apply"] = {"object": {"json": base64.b64encode(text).decode()}}
    return change


def test_plans_that_cannot_be_read_are_answered_with_the_field_and_the_stream_goes_on(stream, owner, here):
    """Unknown enum values and missing fields."""
    def changed(sequence, change):
        plan = one_map(owner, sequence=sequence)
        change(plan["stages"][0]["operations"][0])
        return plan
    at = "plan.stages[0].operations[0]."
    cases = [
        (lambda op: op.update(delete={"propagation": 99}) or op.pop("apply"), at + "delete.propagation: unknown value 99"),
        (lambda op: op["events"][0].update(condition=77), at + "events[0].condition: unknown value 77"),
        (lambda op: op.pop("apply"), at + "action: is missing"),
        (lambda op: op.update(id=""), at + "id: must not be empty"),
        (lambda op: op["target"].update(name=""), at + "target.name: must not be empty"),
    ]
    for sequence, (change, said) in enumerate(cases, 1):
        stream.send(changed(sequence, change))
        assert stream.error(sequence).startswith(said), (sequence, stream.error(sequence))
    for sequence, (field, value, said) in enumerate([("verdict", 99, "plan.verdict: unknown value 99"), ("resyncAfter", "-1s", "plan.resync_after.seconds")], 50):
        stream.send(one_map(owner, sequence=sequence) | {field: value})
        assert stream.error(sequence).startswith(said), (sequence, stream.error(sequence))
    stream.send(one_map(owner, sequence=100))
    assert codes(stream.report(100)) == ["CREATED"]
    assert here.names(CONFIG_MAPS).count("a") == 1


@pytest.mark.parametrize("text,reason,said", [
    (b'{"x":99999999999999999999999999}', "MalformedBody", "JSON"),
    (b'{"x":' + b"[" * 10_000 + b"]" * 10_000 + b"}", "ObjectTooLarge", "JSON is nested deeper than 64 levels"),
    (b'{"x":"\xff\xfe"}', "MalformedBody", "JSON"),
    (b"[]", "MalformedBody", "its body is no JSON object"),
    (b'{"kind":"ConfigMap', "MalformedBody", "JSON")], ids=["huge integer", "deep nesting", "invalid UTF-8", "list", "torn"])
def test_a_desired_object_that_is_malformed_json_is_refused(here, stream, owner, text, reason, said):
    plan = one_map(owner)
    bad_object(text)(plan["stages"][0]["operations"][0])
    stream.send(plan)
    assert said in refused(here, stream.report(1), "REFUSED", reason)


@pytest.mark.parametrize("change,reason,said", [
    (lambda p: p["envelope"]["parent"].pop("uid"), "NoUid", "the plan names no uid of its parent"),
    (lambda p: p["envelope"]["parent"].pop("resourceVersion"), "NoVersion", "names no resourceVersion of its parent"),
    (lambda p: p["envelope"].pop("controller"), "NoController", "the controller's name must have 1 to 100 characters"),
    (lambda p: p["envelope"].update(epoch=2**64 - 1), "MalformedEpoch", f"epoch {2**64 - 1} is more than {2**31 - 1}, the highest one"),
    (lambda p: p["envelope"].update(bucket=2**32 - 1), "MalformedBucket", f"bucket {2**32 - 1} of {BUCKETS} does not exist"),
    (lambda p: p["stages"][0]["operations"][0].pop("precondition"), "NoPrecondition", "needs either the precondition absent or the uid"),
    (lambda p: p["stages"][0]["operations"][0]["target"].update(name="../../secrets"), "MalformedTarget", "../../secrets"),
    (lambda p: p["stages"][0]["operations"][0]["apply"]["object"]["object"]["metadata"].update(name="b"), None, "b"),
    (lambda p: p["stages"].extend([{"name": "more", "operations": [
        p["stages"][0]["operations"][0] | {"id": f"more {number}"} for number in range(8)]}]), "TooManyOperations",
     "the plan has 9 operations; the applier's limit (maxOperations) is 8"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_a_plan_that_breaks_the_rules(here, stream, owner, change, reason, said):
    plan = one_map(owner)
    change(plan)
    stream.send(plan)
    report = stream.report(1)
    assert set(codes(report)) == {"REFUSED"}, report
    assert reason in (None, report["outcomes"][0]["reason"]) and said in report["outcomes"][0]["message"], report
    assert not set(here.names(CONFIG_MAPS)) & {"a", "b"}


def test_a_plan_that_is_too_large_ends_its_stream_and_the_applier_lives_on(applier, here, owner, stream):
    stream.send({"notes": ["x" * (20 << 20)]})
    code, said = stream.finish()
    assert code != 0 and "larger than max" in said, said[:500]
    assert applier.ready()
    with ApplyStream(applier.address) as another:
        another.send(one_map(owner))
        assert codes(another.report(1)) == ["CREATED"]
    eventually(lambda: here.get(CONFIG_MAPS, "a"), what="it is there")
