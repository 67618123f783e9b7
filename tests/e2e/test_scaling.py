# SPDX-License-Identifier: Apache-2.0
"""Several planners and appliers share the work. The shares in docs/scaling.md come from build/e2e-logs."""

import time

import pytest

import burst
from parents import IRIS, iris
from support import paths
from support.eventually import eventually
from support.release import COUNTERS
from test_disturbances import writes_of

COUNT, RATE = 500, 20  # Irises, and how many are made or changed in a second
SECONDS_UNTIL_BALANCED = 30.0  # seconds after which each replica does at least half of its fair share


def paced_wave(here, value):
    return burst.paced(lambda name: burst.wave(here, name, value), here.names(IRIS), RATE)


@pytest.mark.parametrize("component, replicas", [("planner", 5), ("applier", 3)])
def test_replicas_share_the_work_and_go_without_a_loss(release, here, audit, component, replicas):
    alone = credits_of(release, component)
    with burst.paced(lambda name: here.create(iris(name, replicas=0)), burst.names(COUNT), RATE):
        release.scale(component, replicas)  # in the middle of work
        time.sleep(SECONDS_UNTIL_BALANCED)  # the promised time
    before = release.totals(component, COUNTERS[component])
    assert len(before) == replicas
    with paced_wave(here, "with many") as changed:
        eventually(lambda: len(changed) == COUNT, 4 * COUNT / RATE, what="every one is changed")  # the pace ends with the block
    burst.all_ready(here, COUNT, 300)
    done = {pod: total - before[pod] for pod, total in release.totals(component, COUNTERS[component]).items()}
    report(component, replicas, done)
    assert min(done.values()) >= sum(done.values()) / replicas / 2, done

    mark = audit.mark()
    with paced_wave(here, "fewer and fewer") as changed:
        release.scale(component, 1)
        eventually(lambda: len(release.every_pod(component)) == 1, 60, what=f"one {component} is left")
        assert len(changed) < COUNT, "the work was over before the others had gone"
    release.wait_whole()
    burst.all_ready(here, COUNT, 300)
    written = writes_of(audit, mark, here)
    assert len(written) == COUNT and set(written.values()) == {1}, {name: n for name, n in written.items() if n != 1}
    eventually(lambda: credits_of(release, component) == alone, 60, what=f"the watcher sends work to one {component} alone")


def credits_of(release, component):
    """Returns how many requests the watcher may send to all replicas at once."""
    [watcher] = release.pods("watcher")
    return release.total(watcher, f"xebec_{component}_credits")


def report(component, replicas, done):
    total = sum(done.values())
    shares = ", ".join(f"{100 * each / total:.0f} %" for each in sorted(done.values(), reverse=True))
    print(f"{replicas} {component}s: {shares} of {total:.0f}")
    out = paths.ROOT / "build/e2e-shares.txt"
    out.parent.mkdir(exist_ok=True)
    with open(out, "a", encoding="utf-8") as file:
        file.write(f"{component} {replicas}: {shares} of {total:.0f}\n")
