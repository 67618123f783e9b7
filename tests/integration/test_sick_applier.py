# SPDX-License-Identifier: Apache-2.0
"""Two appliers, one of which can carry out no plan. It refuses plans at once and has all its credits free, and must not attract the work."""

import pytest

import burst
from support.api_proxy import ApiProxy, Cut
from support.eventually import eventually
from support.tcp_relay import TcpRelay

COUNT = 60
# Plans that reach the sick applier before it is ejected, and the single plans that probe it afterwards.
FEW = 40


@pytest.fixture
def proxy(folder, cluster):
    """Stands between the second applier and the API server."""
    proxy = ApiProxy(cluster.applier_kubeconfig, folder.path).start()
    yield proxy
    proxy.stop()


@pytest.fixture
def second(services, proxy):
    """An applier beside the shared one."""
    service = services.another("applier", "applier-second", kubeconfig=proxy.kubeconfig).start()
    yield service.wait_ready()
    service.stop()


def streams_to(watcher, address):
    return [record for record in watcher.log_records() if record.get("msg") == "Stream up" and record["address"].endswith(address)]


def ejections(watcher):
    """{address: why}"""
    return {record["address"].removeprefix("ipv4:"): record["detail"] for record in watcher.log_records() if record.get("msg") == "Peer ejected"}


def unavailable(watcher):
    return watcher.metric("xebec_outcomes_total", code="Unavailable")


def refuse_connections(*_):
    raise Cut


def test_an_applier_that_cannot_reach_the_api_server_is_ejected(here, services, second, proxy):
    with services.stand_in("watcher", applier=f"{services.applier.address},{second.address}") as watcher:
        watcher.wait_ready()
        eventually(lambda: len(streams_to(watcher, second.address)) == 2, what="the watcher has streams to both")
        proxy.before = refuse_connections
        burst.create(here, COUNT)
        burst.all_ready(here, COUNT)
        assert list(ejections(watcher)) == [second.address]
        assert unavailable(watcher) <= FEW


def test_an_applier_whose_clock_is_wrong_is_ejected(here, services, second):
    """For an applier whose clock is ahead, every plan has expired: as if it arrived late."""
    with TcpRelay(second.address) as relay, \
            services.stand_in("watcher", "--plan-life", "1s", applier=f"{services.applier.address},{relay.address}") as watcher:
        watcher.wait_ready()
        eventually(lambda: len(streams_to(watcher, relay.address)) == 2, what="the watcher has streams to both")
        relay.delay = 4.0
        burst.create(here, COUNT)
        burst.all_ready(here, COUNT)
        assert list(ejections(watcher)) == [relay.address]
        assert unavailable(watcher) <= FEW
