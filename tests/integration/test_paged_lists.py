# SPDX-License-Identifier: Apache-2.0
"""Lists of many pages."""

import threading

import burst
from parents import IRIS, ONE_OF_EACH, all_are_ready, create_one_of_each, iris, name_of
from support.api_proxy import ApiProxy
from support.eventually import eventually
from support.quiescence import wait_for_quiescence

CHILDREN = ["deployments.apps", "statefulsets.apps", "pods", "services", "configmaps", "persistentvolumeclaims", "jobs.batch"]


class SmallPages:
    """Holds the lists until they may begin, and has small pages."""

    def __init__(self, proxy):
        self.lists, self.pages = threading.Event(), 0
        proxy.before, proxy.onward = self._before, self._onward

    def _before(self, _, path):
        if "limit=500" in path:
            self.lists.wait(60)
            self.pages += "continue=" in path
        return None

    @staticmethod
    def _onward(path):
        return path.replace("limit=500", "limit=2")


def told(watcher, message):
    """The resources of which it was said."""
    return {record["detail"].partition(": ")[0] for record in watcher.log_records() if record.get("msg") == message}


def test_everything_is_listed_by_pages_and_watched_from_there(here, cluster, services, folder, audit, kube):
    mark = audit.mark()
    create_one_of_each(here)
    names = burst.names(5)
    for name in names:
        here.create(iris(name))
    all_are_ready(here)
    with ApiProxy(cluster.watcher_kubeconfig, folder.path) as proxy:
        server = SmallPages(proxy)
        with services.stand_in("watcher", kubeconfig=proxy.kubeconfig) as watcher:
            here.delete("deployments.apps", names[0])
            here.create(iris("late"))
            server.lists.set()
            here.appears("deployments.apps", names[0])
            here.is_ready(IRIS, "late")
            all_are_ready(here)
            assert server.pages > 0
            eventually(lambda: told(watcher, "Listed") >= {*ONE_OF_EACH, *CHILDREN}, what="all is listed, claims of earlier tests too")
            here.change(IRIS, name_of(IRIS), {"replicas": 2})  # the watches go on where the lists ended
            here.is_ready(IRIS, name_of(IRIS))
            wait_for_quiescence(audit)
    created = burst.creations(audit, mark, here)
    assert created.pop(names[0]) == 2 and set(created.values()) == {1}, created
