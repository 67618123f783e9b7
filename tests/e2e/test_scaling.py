# SPDX-License-Identifier: Apache-2.0
"""More planners and appliers share the work; fewer lose none. The shares go to build/e2e-logs and to docs/scaling.md by hand."""

import burst
import pytest

from support import paths
from support.eventually import eventually, stays
from test_disturbances import writes_of
from test_upgrade import wave

COUNT = 500
COUNTERS = {"planner": "xebec_plans_total", "applier": "xebec_apply_plan_duration_seconds_count"}


@pytest.mark.parametrize("component, replicas", [("planner", 5), ("applier", 3)])
def test_replicas_share_the_work_and_go_without_a_loss(release, here, audit, component, replicas):
    alone = slots(release, component)
    release.scale(component, replicas)
    burst.create(here, COUNT)  # more replicas in the middle of work
    release.wait_whole()
    burst.all_ready(here, COUNT, 300)
    stays(lambda: len(release.pods(component)) == replicas, 15, every=1.0)

    before = release.totals(component, COUNTERS[component])
    wave(here, "with many")
    burst.all_ready(here, COUNT, 300)
    done = {pod: total - before[pod] for pod, total in release.totals(component, COUNTERS[component]).items()}
    report(component, replicas, done)
    assert len(done) == replicas
    assert min(done.values()) >= sum(done.values()) / replicas / 2, done

    mark = audit.mark()
    release.scale(component, 1)
    wave(here, "fewer and fewer")
    release.wait_whole()
    burst.all_ready(here, COUNT, 300)
    written = writes_of(audit, mark, here)
    assert len(written) == COUNT and set(written.values()) == {1}, {name: n for name, n in written.items() if n != 1}
    eventually(lambda: slots(release, component) == alone, 60, what=f"the watcher sends work to one {component} alone")


def slots(release, component):
    """What the watcher may send at once to all of them."""
    [watcher] = release.pods("watcher")
    return release.total(watcher, f"xebec_{component}_slots")


def report(component, replicas, done):
    total = sum(done.values())
    shares = ", ".join(f"{100 * each / total:.0f} %" for each in sorted(done.values(), reverse=True))
    print(f"{replicas} {component}s: {shares} of {total:.0f}")
    out = paths.ROOT / "build/e2e-shares.txt"
    out.parent.mkdir(exist_ok=True)
    with open(out, "a", encoding="utf-8") as file:
        file.write(f"{component} {replicas}: {shares} of {total:.0f}\n")
