# SPDX-License-Identifier: Apache-2.0
"""One of two appliers cannot carry out plans: the other one gets the work, and the sick one gets its share again when
it is well."""

import itertools
import struct

import pytest

import burst
from parents import IRIS, iris
from support import paths
from support.api_proxy import ApiProxy, Cut
from support.eventually import eventually

RATE = 10  # parents per second


class SickApplier:
    """A second applier, whose API server and clock a test breaks and mends."""

    def __init__(self, services, proxy, folder):
        self.service = services.another("applier", "applier-sick", kubeconfig=proxy.kubeconfig)
        self._proxy, self._offset = proxy, folder / "clock-of-the-sick-applier"
        self._offset.write_bytes(bytes(8))
        self.service.start(env={"LD_PRELOAD": paths.shifted_clock(), "SHIFTED_CLOCK": str(self._offset)}).wait_ready()

    def heal(self):
        self._proxy.before = lambda method, path: None
        self._shift_the_clock(0)

    def lose_the_api_server(self):
        def before(method, path):
            raise Cut
        self._proxy.before = before

    def put_the_clock_forward(self):
        self._shift_the_clock(3600)

    def _shift_the_clock(self, seconds):
        with open(self._offset, "r+b") as file:  # in place: the process has mapped it
            file.write(struct.pack("q", seconds))

    def creations(self):
        return self.service.metric("xebec_apply_total", result="Created")


@pytest.fixture
def pair(services, cluster, folder):
    """(a watcher with two appliers, the sick one of them)"""
    with ApiProxy(cluster.applier_kubeconfig, folder.path) as proxy:
        sick = SickApplier(services, proxy, folder.path)
        with services.stand_in("watcher", applier=f"{services.addresses['applier']},{sick.service.address}") as watcher:
            watcher.wait_ready()
            yield watcher, sick
        sick.service.stop()


@pytest.mark.parametrize("fall_sick", [SickApplier.lose_the_api_server, SickApplier.put_the_clock_forward])
def test_the_healthy_applier_gets_the_work_and_the_other_one_again_when_it_is_well(here, pair, audit, fall_sick):
    watcher, sick = pair
    mark, names = audit.mark(), burst.endless_names()

    def works(before=0):
        here.create(iris(next(names), replicas=0))
        return sick.creations() > before

    def ejections():
        return watcher.metric("xebec_peer_ejections_total", service="applier")
    eventually(works, every=0.2, what="both appliers get work")

    before = ejections()
    fall_sick(sick)
    with burst.paced(lambda name: here.create(iris(name, replicas=0)), itertools.islice(names, 100), RATE):
        eventually(lambda: ejections() > before, what="the watcher ejects the sick applier")
    burst.all_ready(here, len(here.names(IRIS)))

    before = sick.creations()
    sick.heal()
    eventually(lambda: works(before), 60, every=0.5, what="the applier gets work again")
    made = here.names(IRIS)
    burst.all_ready(here, len(made))
    assert burst.creations(audit, mark, here) == dict.fromkeys(made, 1)
