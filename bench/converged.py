# SPDX-License-Identifier: Apache-2.0
"""Waits until a contender that writes nothing has planned everything."""

import time

from bench.cluster import QUIET_SECONDS


def wait_converged(contender, least):
    """Waits until the watcher has made at least so many plans, and until neither plans nor calls are made any more."""
    seen = None
    while True:
        time.sleep(QUIET_SECONDS)
        before, seen = seen, (contender.services.watcher.metric("xebec_plans_total"), contender.calls())
        if seen == before and seen[0] >= least:
            return
