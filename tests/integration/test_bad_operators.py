# SPDX-License-Identifier: Apache-2.0
"""Bad Operators and bad answers of hooks: each gives a clear message where the user looks, and nothing is half done."""

import base64

import pytest

from support import hooks, pki
from support.eventually import eventually, stays
from support.fixtures import new_namespace
from support.hooks import OPERATORS, PAGES, operator, operator_is, page
from support.kube import ApiError

NAME = "pages.hooks.test"


@pytest.fixture(scope="module")
def hooked(folder, cluster):
    with hooks.hooked_services(folder, cluster) as services:
        yield services


@pytest.fixture(scope="module")
def raw(folder):
    hook = hooks.Hook(folder, hooks.RAW, "raw-hook").start()
    yield hook
    hook.stop()


@pytest.fixture
def space(request, kube, hooked):
    hooked.make_whole()
    yield new_namespace(request, kube)
    hooks.remove_everything(kube, PAGES)


BAD_ANSWERS = {
    "1,000 children": ("HookAnswerInvalid", "desired.children has 1000 entries; the limit is 500"),
    "20 MiB": ("HookTooLarge", "sent an answer of more than 8388608 bytes; answer with fewer or smaller children"),
    "another namespace": ("HookAnswerInvalid", 'is in namespace "kube-system", but the parent is in'),
    "no name": ("HookAnswerInvalid", "desired.children[0]: a ConfigMap has no metadata.name"),
    "owner": ("HookAnswerInvalid", "a desired child must not have metadata.ownerReferences"),
    "managed fields": ("HookAnswerInvalid", "a desired child must not have metadata.managedFields"),
    "undeclared kind": ("HookAnswerInvalid", "the Operator declares no children of kind Pod (v1)"),
    "forbidden kind": ("HookAnswerInvalid", "the Operator declares no children of kind Role (rbac.authorization.k8s.io/v1)"),
    "unknown field": ("HookAnswerInvalid", "desired has field 99, which this version of Xebec does not know"),
    "unknown enum": ("HookAnswerInvalid", "event type 9 is unknown"),
    "invalid UTF-8": ("HookMalformed", "not UTF-8"),
    "deep": ("HookAnswerInvalid", "desired.status is not JSON"),
    "garbage": ("HookMalformed", "it is not a xebec.hooks.v1.SyncResponse"),
    "nothing": ("HookMalformed", "it has neither desired nor error"),
}
RESULTS = {"HookAnswerInvalid": "invalid", "HookMalformed": "malformed", "HookTooLarge": "too_large"}


@pytest.mark.parametrize("behaviour", BAD_ANSWERS)
def test_a_bad_answer_is_shown_at_the_parent_and_writes_no_child(kube, space, hooked, raw, behaviour):
    reason, message = BAD_ANSWERS[behaviour]

    def counted():
        return hooked.services.watcher.metric("xebec_operator_calls_total", operator=NAME, result=RESULTS[reason])
    eventually(lambda: counted() == 0, what="the Operator of the test before has no metrics any more")
    kube.apply(operator(NAME, raw.address))
    space.create(page("bad", behaviour))
    space.has_condition(PAGES, "bad", "HookFailed", "True", reason)
    assert message in space.condition(PAGES, "bad", "HookFailed")["message"]
    eventually(lambda: any(kind == "Warning" and why == reason and message in note for kind, why, note in space.events("bad")),
               what=f"an event {reason}")
    eventually(lambda: counted() > 0, what=f"a call with the result {RESULTS[reason]} is counted")
    operator_is(kube, NAME, "False", "ReconcileFailed", "ParentsReconciled")

    def shown():  # at first, perhaps, that the hook could not be reached: it has just been started
        text = hooks.condition_of(kube, NAME, "ParentsReconciled")[2]
        return f"1 of 1 parents failed: {space.name}/bad: " in text and message in text
    eventually(shown, what=f"the Operator shows that {message}")
    assert hooks.condition_of(kube, NAME)[:2] == ("True", "Running"), "one parent must not stop a rollout"
    assert space.names("configmaps") in ([], ["kube-root-ca.crt"])
    space.change(PAGES, "bad", {"page": "good"})
    space.appears("configmaps", "bad")
    eventually(lambda: space.condition(PAGES, "bad", "HookFailed") == {}, what="the failure is gone")


def test_a_hook_that_answers_differently_each_time_is_shown_and_stopped(kube, space, hooked, raw):
    kube.apply(operator(NAME, raw.address))
    space.create(page("calm", "good"))
    space.appears("configmaps", "calm")
    space.create(page("moody", "random child"))
    space.has_condition(PAGES, "moody", "HookFailed", "True", "HookInconsistent")
    assert "different answers to equal requests: desired.children[0].object.data.page is" in space.condition(PAGES, "moody", "HookFailed")["message"]
    eventually(lambda: any(kind == "Warning" and why == "HookInconsistent" for kind, why, _ in space.events("moody")), what="an event says so")
    operator_is(kube, NAME, "False", "ReconcileFailed", "ParentsReconciled")
    assert f"{space.name}/moody" in hooks.condition_of(kube, NAME, "ParentsReconciled")[2]
    assert hooked.services.watcher.metric("xebec_operator_calls_total", operator=NAME, result="inconsistent") >= 2
    version = space.get("configmaps", "moody")["metadata"]["resourceVersion"]
    stays(lambda: space.get("configmaps", "moody")["metadata"]["resourceVersion"] == version, 3)
    assert space.condition(PAGES, "calm", "HookFailed") == {}
    space.change(PAGES, "moody", {"page": "good"})
    eventually(lambda: space.condition(PAGES, "moody", "HookFailed") == {}, what="the failure is gone")


def test_a_bad_answer_leaves_the_children_as_they_are(kube, space, raw):
    kube.apply(operator(NAME, raw.address))
    space.create(page("one", "good"))
    child = space.appears("configmaps", "one")
    space.change(PAGES, "one", {"page": "1,000 children"})
    space.has_condition(PAGES, "one", "HookFailed", "True", "HookAnswerInvalid")
    assert space.get("configmaps", "one")["metadata"]["uid"] == child["metadata"]["uid"]


def test_an_unknown_field_of_a_child_is_named_at_the_parent(kube, space, raw):
    kube.apply(operator(NAME, raw.address))
    space.create(page("bad", "unknown field of a child"))
    space.has_condition(PAGES, "bad", "Applied", "False")
    assert 'unknown field "dat"' in space.condition(PAGES, "bad", "Applied")["message"]
    assert "bad" not in space.names("configmaps")


@pytest.mark.expects_forbidden
def test_a_privileged_pod_is_refused_where_the_namespace_forbids_it(kube, space, raw):
    kube.patch("namespaces", space.name, None, {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}})
    children = [{"version": "v1", "resource": "pods"}, {"version": "v1", "resource": "configmaps"}]
    kube.apply(operator(NAME, raw.address, children=children))
    space.create(page("bad", "privileged Pod"))

    def message():
        return space.condition(PAGES, "bad", "Applied").get("message", "")
    # The Operator of the test before may decide first: it declares no Pods.
    eventually(lambda: 'violates PodSecurity "baseline' in message(), what="Applied shows the refusal")
    assert "privileged" in message()
    space.has_condition(PAGES, "bad", "Applied", "False")
    assert space.names("pods") == []
    space.change(PAGES, "bad", {"page": "good"})
    space.appears("configmaps", "bad")
    space.has_condition(PAGES, "bad", "Applied", "True")


def test_an_unknown_field_of_an_operator_is_refused(kube, space, raw):
    wrong = operator(NAME, raw.address)
    wrong["spec"]["hook"]["adress"] = "x"
    with pytest.raises(ApiError, match="adress"):
        kube.request("POST", kube.path_of(wrong, None, named=False), {"fieldValidation": "Strict"}, wrong)
    assert kube.get(OPERATORS, NAME) is None


def test_a_cluster_scoped_child_of_a_namespaced_parent_is_refused(kube, space, raw):
    children = [{"group": "", "version": "v1", "resource": "namespaces"}]
    kube.apply(operator("wrong", raw.address, children=children))
    operator_is(kube, "wrong", "False", "Refused")
    message = hooks.condition_of(kube, "wrong")[2]
    assert "namespaces is cluster-scoped and cannot be a child of pages.hooks.test, which is namespaced" in message


def encoded(path):
    return base64.b64encode(path.read_bytes()).decode()


@pytest.fixture(scope="module")
def keys(folder):
    made = folder.path / "hook-pki"
    made.mkdir()
    for ca in ("ca", "other"):
        pki.make_ca(made, ca)
    pki.make_certificate(made, "hook", "/CN=hook", "serverAuth", "DNS:localhost,IP:127.0.0.1")
    return made


def test_a_certificate_of_another_ca_is_named_at_the_operator(kube, folder, space, keys):
    hook = hooks.Hook(folder, hooks.RAW, "tls-hook").start(XEBEC_HOOK_TLS_CERT=str(keys / "hook.crt"), XEBEC_HOOK_TLS_KEY=str(keys / "hook.key"))
    try:
        wrong = operator(NAME, hook.address)
        wrong["spec"]["hook"]["tls"] = {"caBundle": encoded(keys / "other.crt")}
        kube.apply(wrong)
        operator_is(kube, NAME, "False", "HookUnavailable", "HookAvailable")
        eventually(lambda: "its certificate is not signed by" in hooks.condition_of(kube, NAME, "HookAvailable")[2],
                   what="the Operator names the CA")
        space.create(page("one", "good"))
        wrong["spec"]["hook"]["tls"] = {"caBundle": encoded(keys / "ca.crt")}
        kube.apply(wrong)
        operator_is(kube, NAME, "True", "Running")
        space.appears("configmaps", "one")
    finally:
        hook.stop()


def test_a_hook_that_cannot_finalize_keeps_its_parent_until_the_operator_goes(kube, folder, space):
    hook = hooks.Hook(folder, hooks.RAW, "mortal-hook").start()
    try:
        kube.apply(operator(NAME, hook.address, finalizer=True))
        space.create(page("one", "good"))
        space.appears("configmaps", "one")
    finally:
        hook.stop()
    operator_is(kube, NAME, "False", "HookUnavailable", "HookAvailable")
    space.delete(PAGES, "one")
    eventually(lambda: space.get(PAGES, "one")["metadata"].get("deletionTimestamp"), what="the page is being deleted")
    assert space.get("configmaps", "one"), "children go by the decision of the hook"
    kube.delete(OPERATORS, NAME)
    space.is_gone(PAGES, "one")


def test_an_operator_that_has_become_invalid_leaves_no_finalizer_behind(kube, space, raw):
    kube.apply(operator(NAME, raw.address, finalizer=True))
    space.create(page("one", "good"))
    space.appears("configmaps", "one")
    assert space.get(PAGES, "one")["metadata"]["finalizers"]
    kube.apply(operator(NAME, "nowhere", finalizer=True))
    operator_is(kube, NAME, "False", "InvalidSpec")
    kube.delete(OPERATORS, NAME)
    eventually(lambda: kube.list(OPERATORS) == [], what="the Operator is gone")
    assert not space.get(PAGES, "one")["metadata"].get("finalizers")
    assert space.get("configmaps", "one")


def test_the_resource_of_the_parents_cannot_change(kube, space, raw):
    kube.apply(operator(NAME, raw.address, finalizer=True))
    with pytest.raises(ApiError, match="delete this Operator and create another one"):
        kube.apply(operator(NAME, raw.address, resource="tenants", finalizer=True))
