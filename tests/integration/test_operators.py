# SPDX-License-Identifier: Apache-2.0
"""Kinds that users declare, with hooks in Python, through the gateway."""

import pytest
import yaml

from support import hooks, manifests
from support.eventually import eventually, stays
from support.fixtures import new_namespace
from support.hooks import OPERATORS, PAGES, TENANTS, operator, operator_is, page, tenant
from support.namespace import Namespace
from support.quiescence import assert_quiescent

FINALIZER = "operators.xebec.dev/pages.hooks.test"
NAME = "pages.hooks.test"


@pytest.fixture(scope="module")
def hooked(folder, cluster):
    with hooks.hooked_services(folder, cluster) as services:
        yield services


@pytest.fixture(scope="module")
def hook(folder):
    hook = hooks.Hook(folder, hooks.SCRIPTED, "scripted-hook").start()
    yield hook
    hook.stop()


@pytest.fixture
def services(hooked):
    hooked.make_whole()
    return hooked.services


@pytest.fixture
def space(request, kube, services):
    yield new_namespace(request, kube)
    hooks.remove_everything(kube, PAGES, TENANTS)


def config_map(space, name, content):
    return eventually(lambda: (found := space.get("configmaps", name)) and found["data"]["page"] == content and found,
                      what=f"ConfigMap {name} has {content}")


def test_a_declared_kind_gets_its_children_status_and_events(kube, space, hook):
    kube.apply(operator(NAME, hook.address))
    created = space.create(page("one"))

    child = config_map(space, "one", "<h1>hello</h1>")

    assert child["metadata"]["ownerReferences"][0]["uid"] == created["metadata"]["uid"]
    space.has_condition(PAGES, "one", "Ready", "True", "Written")
    assert space.get(PAGES, "one")["status"]["page"] == "<h1>hello</h1>"
    space.has_event("one", "Normal", "Created", 'Created page "one"')
    space.change(PAGES, "one", {"page": "changed"})
    config_map(space, "one", "changed")
    operator_is(kube, NAME, "True", "Running")
    eventually(lambda: kube.get(OPERATORS, NAME)["status"]["parents"] == 1, what="the Operator counts its parents")


def test_a_child_that_somebody_deletes_or_changes_comes_back(kube, space, hook):
    kube.apply(operator(NAME, hook.address))
    space.create(page("one"))
    config_map(space, "one", "<h1>hello</h1>")
    kube.patch("configmaps", "one", space.name, {"data": {"page": "spoilt"}})
    config_map(space, "one", "<h1>hello</h1>")
    space.delete("configmaps", "one")
    config_map(space, "one", "<h1>hello</h1>")


@pytest.fixture
def laters(kube):
    """A kind that is not served yet, and the rights to it, which are not granted yet."""
    crd, *_ = manifests.read(hooks.CRDS)
    text = yaml.safe_dump(crd).replace("pages", "laters").replace("page", "later").replace("Page", "Later")
    rights = hooks.RIGHTS.read_text().replace("pages", "laters").replace("-test-operators", "-test-laters")
    crd, rights = yaml.safe_load(text), list(yaml.safe_load_all(rights))
    yield crd, rights
    manifests.delete_all(kube, [crd, *rights])


@pytest.mark.expects_forbidden
def test_a_resource_that_appears_later_and_a_right_that_is_granted_later_are_found(kube, space, hook, laters):
    crd, rights = laters
    kube.apply(operator("later", hook.address, resource="laters"))
    operator_is(kube, "later", "False", "NotServed", "ResourcesServed")
    assert "laters.hooks.test/v1" in hooks.condition_of(kube, "later")[2]
    manifests.install(kube, [crd])
    operator_is(kube, "later", "False", "NotReadable", "Ready")
    assert "laters.hooks.test may not be listed or watched (403)" in hooks.condition_of(kube, "later")[2]
    manifests.apply_all(kube, rights)
    operator_is(kube, "later", "True", "Running")
    space.create({"apiVersion": "hooks.test/v1", "kind": "Later", "metadata": {"name": "one"}, "spec": {"page": "late"}})
    config_map(space, "one", "late")


@pytest.fixture
def budgets(kube):
    """The rights to PodDisruptionBudgets, as for the kinds of these tests."""
    text = hooks.RIGHTS.read_text().replace("-test-operators", "-test-budgets").replace("hooks.test", "policy")
    for subresource in ("", "/status", "/finalizers"):
        text = text.replace(f"[pages{subresource}, tenants{subresource}]", f"[poddisruptionbudgets{subresource}]")
    rights = list(yaml.safe_load_all(text))
    manifests.apply_all(kube, rights)
    yield "poddisruptionbudgets.policy"
    kube.delete(OPERATORS, "budgets")  # else the applier writes the status without the rights
    eventually(lambda: kube.get(OPERATORS, "budgets") is None, what="the Operator is gone")
    manifests.delete_all(kube, rights)


@pytest.mark.expects_forbidden  # until the API server knows the rights
def test_the_first_status_of_a_built_in_parent_keeps_its_metadata(kube, space, hook, budgets):
    parent = {"group": "policy", "version": "v1", "resource": "poddisruptionbudgets"}
    kube.apply(operator("budgets", hook.address, parent=parent))
    metadata = {"labels": {"app": "web"}, "annotations": {"example.com/note": "theirs"}, "finalizers": ["example.com/theirs"]}
    space.create({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "one", **metadata},
                  "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}})

    space.has_condition(budgets, "one", "Ready", "True", "Written")

    found = space.get(budgets, "one")["metadata"]
    kube.patch(budgets, "one", space.name, {"metadata": {"finalizers": None}})
    assert {name: found.get(name) for name in metadata} == metadata


@pytest.mark.parametrize("change, message", [
    ({"hook": {"address": "http://example.com"}}, "spec.hook.address must be host:port"),
    ({"hook": {}}, "must have either service or address"),
    ({"children": [{"group": "hooks.test", "version": "v1", "resource": "pages"}]}, "a parent cannot be its own child"),
    ({"children": [{"group": "rbac.authorization.k8s.io", "version": "v1", "resource": "roles"}]}, "no operator may write"),
    ({"resync": "x"}, "spec.resync must be a duration"),
], ids=["url", "no hook", "own child", "forbidden kind", "resync"])
def test_a_wrong_operator_says_what_is_wrong(kube, space, hook, change, message):
    kube.apply(operator("wrong", hook.address, **change))
    operator_is(kube, "wrong", "False", "InvalidSpec")
    assert message in hooks.condition_of(kube, "wrong")[2]


def test_the_second_operator_that_writes_a_status_is_refused(kube, space, hook):
    kube.apply(operator(NAME, hook.address))
    operator_is(kube, NAME, "True", "Running")
    kube.apply(operator("second", hook.address))
    operator_is(kube, "second", "False", "Refused", "Accepted")
    assert "writes the status of pages.hooks.test already" in hooks.condition_of(kube, "second", "Accepted")[2]


def test_a_cluster_scoped_parent_has_children_in_several_namespaces(request, kube, space, hook):
    other = new_namespace(request, kube)
    kube.apply(operator("tenants.hooks.test", hook.address, resource="tenants"))
    kube.create(tenant("t", space.name, other.name))
    config_map(space, "t", "tenant")
    config_map(other, "t", "tenant")
    kube.delete(TENANTS, "t")
    eventually(lambda: not space.names("configmaps") or "t" not in space.names("configmaps"), what="the child is collected")


def test_a_namespace_that_comes_later_does_not_silence_a_cluster_scoped_parent(kube, space, hook):
    late = Namespace(kube, f"{space.name}-late")
    kube.apply(operator("tenants.hooks.test", hook.address, resource="tenants"))
    kube.create(tenant("t", space.name, late.name))
    config_map(space, "t", "tenant")

    def ready():
        return manifests.condition(kube.get(TENANTS, "t"), "Ready")
    eventually(lambda: (ready().get("status"), ready().get("reason")) == ("False", "NamespaceUnavailable"), what="the condition tells it")
    assert f'namespaces "{late.name}" not found' in ready()["message"]
    space.delete("configmaps", "t")
    config_map(space, "t", "tenant")  # the healthy namespace is looked after

    kube.create_namespace(late.name)
    config_map(late, "t", "tenant")
    eventually(lambda: (ready().get("status"), ready().get("reason")) == ("True", "Written"), what="the parent is ready")


def theme(name, role, color):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"role": role}}, "data": {"color": color}}


def test_the_hook_gets_the_related_objects_of_the_selector_and_their_changes(request, kube, space, hook):
    other = new_namespace(request, kube)
    other.create(theme("far", "theme", "blue"))
    space.create(theme("bright", "theme", "white"))
    space.create(theme("dark", "draft", "black"))
    kube.apply(operator(NAME, hook.address, related=[{"version": "v1", "resource": "configmaps", "labelSelector": "role=theme"}]))
    space.create(page("one", "related"))
    config_map(space, "one", "bright=white")
    kube.patch("configmaps", "bright", space.name, {"data": {"color": "yellow"}})
    config_map(space, "one", "bright=yellow")
    kube.patch("configmaps", "dark", space.name, {"metadata": {"labels": {"role": "theme"}}})
    config_map(space, "one", "bright=yellow dark=black")
    space.delete("configmaps", "bright")
    config_map(space, "one", "dark=black")


def test_a_failure_of_the_hook_is_shown_and_other_parents_go_on(kube, space, hook):
    kube.apply(operator(NAME, hook.address))
    space.create(page("bad", "fail"))
    space.create(page("good"))
    config_map(space, "good", "<h1>hello</h1>")
    space.has_condition(PAGES, "bad", "HookFailed", "True", "HookError")
    assert "the page says so" in space.condition(PAGES, "bad", "HookFailed")["message"]
    operator_is(kube, NAME, "False", "ReconcileFailed", "ParentsReconciled")
    message = hooks.condition_of(kube, NAME, "ParentsReconciled")[2]
    assert f"1 of 2 parents failed: {space.name}/bad: " in message and "the page says so" in message
    assert hooks.condition_of(kube, NAME)[:2] == ("True", "Running")
    hooks.operator_has_event(kube, NAME, "Warning", "ReconcileFailed", f"{space.name}/bad")
    space.change(PAGES, "bad", {"page": "fine"})
    config_map(space, "bad", "fine")
    eventually(lambda: space.condition(PAGES, "bad", "HookFailed") == {}, what="the failure is gone")
    operator_is(kube, NAME, "True", "Reconciled", "ParentsReconciled")


def test_a_hook_that_hangs_or_ends_in_the_middle_of_a_call_is_shown(kube, folder, hooked, space):
    mortal = hooks.Hook(folder, hooks.SCRIPTED, "mortal-hook").start()
    kube.apply(operator(NAME, mortal.address, hook={"address": mortal.address, "timeout": "2s"}))
    space.create(page("stuck", "hang"))
    space.create(page("good"))
    config_map(space, "good", "<h1>hello</h1>")
    space.has_condition(PAGES, "stuck", "HookFailed", "True", "HookTimeout")
    eventually(lambda: any(kind == "Warning" and why == "HookTimeout" for kind, why, _ in space.events("stuck")), what="an event says so")
    operator_is(kube, NAME, "False", "ReconcileFailed", "ParentsReconciled")
    assert hooked.gateway.metric("xebec_hook_calls_total", result="timeout") > 0
    kube.apply(operator(NAME, mortal.address, hook={"address": mortal.address, "timeout": "1m"}))
    eventually(lambda: kube.get(OPERATORS, NAME)["status"]["observedGeneration"] == 2, what="the Operator has the other timeout")
    space.create(page("cut", "hang"))
    eventually(lambda: hooked.gateway.metric("xebec_hook_calls_in_flight") > 0, what="a call is under way")
    mortal.stop()
    space.has_condition(PAGES, "cut", "HookFailed", "True", "HookUnavailable")
    mortal.start()
    for name in ("cut", "stuck"):
        space.change(PAGES, name, {"page": "fine"})
        config_map(space, name, "fine")
    operator_is(kube, NAME, "True", "Reconciled", "ParentsReconciled")
    mortal.stop()


def test_a_hook_that_is_missing_is_shown_and_parents_wait_for_it(kube, folder, space):
    late = hooks.Hook(folder, hooks.SCRIPTED, "late-hook")
    kube.apply(operator(NAME, late.address))
    space.create(page("one"))
    operator_is(kube, NAME, "False", "HookUnavailable", "HookAvailable")
    late.start()
    config_map(space, "one", "<h1>hello</h1>")
    operator_is(kube, NAME, "True", "Running")
    late.stop()
    operator_is(kube, NAME, "False", "HookUnavailable", "HookAvailable")
    hooks.operator_has_event(kube, NAME, "Warning", "HookUnavailable", "The hook is not available")
    space.change(PAGES, "one", {"page": "changed"})
    space.has_condition(PAGES, "one", "HookFailed", "True", "HookUnavailable")
    assert space.get("configmaps", "one")["data"]["page"] == "<h1>hello</h1>"


def test_an_operator_that_is_deleted_leaves_children_and_no_finalizer(kube, space, hook):
    kube.apply(operator(NAME, hook.address, finalizer=True))
    space.create(page("one"))
    config_map(space, "one", "<h1>hello</h1>")
    assert space.get(PAGES, "one")["metadata"]["finalizers"] == [FINALIZER]
    kube.delete(OPERATORS, NAME)
    eventually(lambda: kube.get(OPERATORS, NAME) is None, what="the Operator is gone")
    assert not space.get(PAGES, "one")["metadata"].get("finalizers")
    assert space.get("configmaps", "one")
    space.delete(PAGES, "one")
    space.is_gone(PAGES, "one")


def test_a_finalizer_deletes_the_children_first(kube, space, hook):
    kube.apply(operator(NAME, hook.address, finalizer=True))
    space.create(page("one"))
    config_map(space, "one", "<h1>hello</h1>")
    space.delete(PAGES, "one")
    space.is_gone(PAGES, "one")
    assert "one" not in space.names("configmaps")


def test_two_watchers_share_the_parents_of_an_operator(kube, services, space, hook):
    second = services.another("watcher", "second-watcher").start().wait_ready()
    try:
        kube.apply(operator(NAME, hook.address, finalizer=True))
        names = [f"page-{number}" for number in range(20)]
        for name in names:
            space.create(page(name))
        for name in names:
            config_map(space, name, "<h1>hello</h1>")
        eventually(lambda: kube.get(OPERATORS, NAME)["status"]["parents"] == len(names), what="the Operator counts the parents of both")
        kube.delete(OPERATORS, NAME)
        eventually(lambda: kube.get(OPERATORS, NAME) is None, what="the Operator is gone")
        assert not [name for name in names if space.get(PAGES, name)["metadata"].get("finalizers")]
        assert set(names) <= set(space.names("configmaps"))
    finally:
        second.stop()


def test_a_paused_operator_plans_nothing(kube, space, hook):
    kube.apply(operator(NAME, hook.address, paused=True))
    operator_is(kube, NAME, "False", "Paused")
    space.create(page("one"))
    stays(lambda: "one" not in space.names("configmaps"), 1)
    kube.apply(operator(NAME, hook.address))
    config_map(space, "one", "<h1>hello</h1>")


def test_the_services_write_nothing_when_idle(kube, audit, space, hook):
    kube.apply(operator(NAME, hook.address))
    space.create(page("one"))
    config_map(space, "one", "<h1>hello</h1>")
    operator_is(kube, NAME, "True", "Running")
    eventually(lambda: kube.get(OPERATORS, NAME)["status"]["parents"] == 1, what="the Operator counts its parents")
    assert_quiescent(audit, 6)  # longer than the Operator's counts are apart


def test_restarts_of_gateway_and_watcher_lose_nothing(kube, hooked, space, hook):
    kube.apply(operator(NAME, hook.address))
    space.create(page("one"))
    config_map(space, "one", "<h1>hello</h1>")
    hooked.gateway.kill()
    space.create(page("two"))
    hooked.gateway.start()
    config_map(space, "two", "<h1>hello</h1>")
    hooked.services.watcher.kill()
    space.create(page("three"))
    hooked.services.watcher.start()
    config_map(space, "three", "<h1>hello</h1>")
