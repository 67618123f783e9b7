# SPDX-License-Identifier: Apache-2.0
"""Pods of the services go in the middle of work."""

import concurrent.futures

import burst
import pytest

COUNT = 120


def writes_of(audit, mark, here):
    """{Deployment: writes of the applier that were carried out}"""
    counted = {}
    for entry in audit.writes(mark):
        if (entry.resource, entry.ns) == ("deployments", here.name) and entry.code in (200, 201):
            counted[entry.name] = counted.get(entry.name, 0) + 1
    return counted


@pytest.mark.parametrize("component", ["watcher", "planner", "applier"])
def test_a_service_whose_pod_is_deleted_in_the_middle_of_work_loses_nothing(release, here, audit, component):
    mark = audit.mark()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        work = pool.submit(burst.create, here, COUNT)
        release.kill(component)
        work.result()
    burst.all_ready(here, COUNT)
    created = burst.creations(audit, mark, here)
    assert len(created) == COUNT and set(created.values()) == {1}
