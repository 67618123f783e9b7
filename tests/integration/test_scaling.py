# SPDX-License-Identifier: Apache-2.0
"""Several planners and appliers share the work. Scaling down loses none of it."""

import concurrent.futures

import pytest

import burst
from parents import IRIS
from support.eventually import eventually
from support.quiescence import wait_for_quiescence
from support.services import stop_together

COUNT = 200  # 500 on a real node: tests/e2e/test_scaling.py
COUNTERS = {"planner": "xebec_plans_total", "applier": "xebec_apply_plan_duration_seconds_count"}


class Fleet:
    """1 planner and 1 applier run, the services's; 4 and 2 more are known to the watcher and do not run yet."""

    def __init__(self, services):
        self.planners = [services.planner] + [services.another("planner", f"planner-{number}") for number in range(2, 6)]
        self.appliers = [services.applier] + [services.another("applier", f"applier-{number}") for number in range(2, 4)]
        self.all = self.planners + self.appliers
        self.watcher = None

    def more(self):
        """The additional replicas."""
        return self.planners[1:] + self.appliers[1:]

    def connected(self):
        """Addresses to which the watcher has streams, by the last log record of each address."""
        last = {record["address"].removeprefix("ipv4:"): record["msg"] for record in self.watcher.log_records()
                if record.get("msg") in ("Stream up", "Stream down")}
        return {address for address, said in last.items() if said == "Stream up"}

    def done(self):
        """{address: plans made or carried out so far}"""
        return {service.address: service.metric(COUNTERS[service.name]) for service in self.all if service.running()}


@pytest.fixture
def fleet(services):
    fleet = Fleet(services)
    addresses = {"planner": ",".join(each.address for each in fleet.planners), "applier": ",".join(each.address for each in fleet.appliers)}
    with services.stand_in("watcher", "--plan-life", "4s", "--request-timeout", "4s", **addresses) as fleet.watcher:
        fleet.watcher.wait_ready()
        yield fleet
    for service in fleet.more():
        if service.running():
            service.stop()


def wave(here, image, count=COUNT):
    """A change of parents that makes one write of each one's child, and no Pod."""
    burst.in_parallel(lambda number: here.change(IRIS, f"iris-{number:03}", {"image": image}), range(count))


def shares(before, after, services):
    """What each of them did of what all of them did, sorted."""
    done = [after[service.address] - before[service.address] for service in services]
    return sorted(each / sum(done) for each in done)


def changes(here):
    """[how often each Deployment was changed since its creation]"""
    return [item["metadata"]["generation"] - 1 for item in here.kube.list("deployments.apps", here.name)]


def test_planners_and_appliers_come_and_go_in_the_middle_of_work(here, fleet, audit):
    mark = audit.mark()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = pool.submit(burst.create, here, COUNT)
        eventually(lambda: len(burst.creations(audit, mark, here)) > 20, what="the burst is under way")
        for service in fleet.more():
            service.start()
        work.result()
    burst.all_ready(here, COUNT)
    assert burst.creations(audit, mark, here) == {f"iris-{number:03}": 1 for number in range(COUNT)}
    eventually(lambda: fleet.connected() == {service.address for service in fleet.all}, what="the watcher has streams to all of them")

    before = fleet.done()
    wave(here, "example.com/iris:2")
    burst.all_ready(here, COUNT)
    after = fleet.done()
    for services in (fleet.planners, fleet.appliers):
        assert shares(before, after, services)[0] >= 0.5 / len(services), (before, after)
    assert changes(here) == [1] * COUNT

    begun = fleet.done()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = pool.submit(wave, here, "example.com/iris:3")
        eventually(lambda: sum(fleet.done().values()) > sum(begun.values()) + 50, what="the wave is under way")
        asked, killed = fleet.more()[::2], fleet.more()[1::2]
        for service in killed:
            service.kill()
        stop_together(asked)
        work.result()
    burst.all_ready(here, COUNT)
    wait_for_quiescence(audit)
    assert changes(here) == [2] * COUNT

    assert fleet.connected() == {fleet.planners[0].address, fleet.appliers[0].address}
    lost = fleet.watcher.metric("controller_runtime_reconcile_timeouts_total")
    wave(here, "example.com/iris:4", 20)
    burst.all_ready(here, COUNT)
    assert changes(here) == [3] * 20 + [2] * (COUNT - 20)
    assert fleet.watcher.metric("controller_runtime_reconcile_timeouts_total") == lost
