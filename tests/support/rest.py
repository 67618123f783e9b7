# SPDX-License-Identifier: Apache-2.0
"""Rest: nothing is written and nothing read but through watches and Leases."""

import time

from support.audit import APPLIER, WATCHER
from support.eventually import eventually


def requests(audit, mark):
    """What was written or read by the trio since the mark."""
    return [entry for user in (APPLIER, WATCHER) for entry in audit.writes(mark, user) + audit.reads(mark, user)]


def come_to_rest(audit, quiet=1.0, patience=60):
    """Waits until nothing was written or read for `quiet` seconds."""
    def rested():
        mark = audit.mark()
        time.sleep(quiet)
        return not requests(audit, mark)
    eventually(rested, patience, what="the trio comes to rest")


def assert_rest(audit, seconds):
    """Nothing may be written or read for so long, once at rest."""
    come_to_rest(audit)
    mark = audit.mark()
    time.sleep(seconds)
    seen = requests(audit, mark)
    assert not seen, "at rest, but:\n" + "\n".join(f"{e.user}: {e.verb} {e.uri} -> {e.code}" for e in seen)
