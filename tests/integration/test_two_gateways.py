# SPDX-License-Identifier: Apache-2.0
"""Two gateways share the calls of hooks. When one of them is killed, nothing is lost."""

import threading

import pytest

import burst
from support import hooks
from support.eventually import eventually
from support.fixtures import new_namespace
from support.hooks import OPERATORS, PAGES, operator, operator_is, page

NAME = "pages.hooks.test"
COUNT = 60


@pytest.fixture(scope="module")
def hooked(folder, cluster):
    with hooks.hooked_services(folder, cluster, label="two-", gateways=2) as services:
        yield services


@pytest.fixture(scope="module")
def hook(folder):
    hook = hooks.Hook(folder, hooks.SCRIPTED, "scripted-hook").start()
    yield hook
    hook.stop()


@pytest.fixture
def space(request, kube, hooked):
    hooked.make_whole()
    yield new_namespace(request, kube)
    hooks.remove_everything(kube, PAGES)


def calls(gateway):
    return gateway.metric("xebec_hook_calls_total")


def name_of(number):
    return f"page-{number:02}"


def written(space, content):
    """Waits until every page is written with this content."""
    def all_are():
        found = {each["metadata"]["name"]: each.get("data", {}).get("page") for each in space.kube.list("configmaps", space.name)}
        assert [name_of(number) for number in range(COUNT) if found.get(name_of(number)) != content] == []
        return True
    eventually(all_are, what=f"all pages have {content}")


def change(space, content):
    burst.in_parallel(lambda number: space.change(PAGES, name_of(number), {"page": content}), range(COUNT))


def test_both_get_calls_and_the_death_of_one_loses_nothing(kube, hooked, space, hook):
    kube.apply(operator(NAME, hook.address))
    burst.in_parallel(lambda number: space.create(page(name_of(number), "first")), range(COUNT))
    written(space, "first")
    one, other = hooked.gateways
    assert calls(one) > 0 and calls(other) > 0

    before, load = calls(one), threading.Thread(target=change, args=(space, "second"))
    load.start()
    eventually(lambda: calls(one) > before, what="the first gateway has calls")
    one.kill()
    load.join()
    written(space, "second")
    eventually(lambda: all(space.condition(PAGES, name_of(number), "HookFailed") == {} for number in range(COUNT)), what="no page shows a failure")
    operator_is(kube, NAME, "True", "Running")
    operator_is(kube, NAME, "True", "Reconciled", "ParentsReconciled")

    one.start().wait_ready()
    eventually(lambda: hooked.services.watcher.metric("xebec_gateway_credits") > 0, what="a gateway is connected")
    for attempt in range(20):
        change(space, f"again {attempt}")
        written(space, f"again {attempt}")
        if calls(one) > 0:
            return
    raise AssertionError("the gateway that started again gets no calls")


def test_without_a_gateway_parents_wait_and_lose_nothing(kube, hooked, space, hook):
    kube.apply(operator(NAME, hook.address))
    operator_is(kube, NAME, "True", "Running")
    for gateway in hooked.gateways:
        gateway.kill()
    burst.in_parallel(lambda number: space.create(page(name_of(number), "late")), range(COUNT))
    operator_is(kube, NAME, "False", "HookUnavailable", "HookAvailable")
    hooked.gateways[1].start()
    written(space, "late")
    eventually(lambda: kube.get(OPERATORS, NAME)["status"]["parents"] == COUNT, what="the Operator counts the parents")
