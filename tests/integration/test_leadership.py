# SPDX-License-Identifier: Apache-2.0
"""Two watchers, one leader."""

import pytest

import burst
from parents import IRIS, iris
from support.processes import free_port
from support.trio import Service, arguments

LEASE = ("leases.coordination.k8s.io", "xebec-watcher-0", "xebec-system")


def lease(kube):
    return kube.get(*LEASE)["spec"]


@pytest.fixture
def second(folder, cluster, trio):
    """Another watcher beside the trio's."""
    addresses = trio.addresses | {"watcher": f"127.0.0.1:{free_port()}", "watcher metrics": f"127.0.0.1:{free_port()}"}
    argv = arguments("watcher", addresses, {"watcher": cluster.watcher_kubeconfig})
    service = Service("watcher", folder, argv, addresses["watcher"], addresses["watcher metrics"], "watcher-2")
    service.start()
    yield service
    if service.running():
        service.stop()


def test_a_killed_leader_is_followed_by_the_other_and_nothing_is_doubled(here, kube, trio, second, audit):
    here.create(iris("before"))
    here.is_ready(IRIS, "before")
    held = lease(kube)
    mark = audit.mark()

    trio.watcher.kill()
    burst.create(here, 20)
    here.create(iris("after"))
    here.becomes("deployments.apps", "after", lambda _: True, "is made by the follower")

    now = lease(kube)
    assert now["holderIdentity"] != held["holderIdentity"]
    assert now["leaseTransitions"] > held["leaseTransitions"]
    assert set(burst.creations(audit, mark, here).values()) == {1}


def test_a_leader_that_is_asked_to_stop_hands_over_at_once(here, kube, trio, second):
    here.create(iris("before"))
    here.is_ready(IRIS, "before")
    held = lease(kube)["holderIdentity"]

    assert trio.watcher.stop() == 0

    here.create(iris("after"))
    here.is_ready(IRIS, "after")
    assert lease(kube)["holderIdentity"] not in ("", held)
