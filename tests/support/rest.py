# SPDX-License-Identifier: Apache-2.0
"""Rest: nothing is written and nothing read but through watches and Leases."""

import collections
import time

from support.audit import APPLIER, WATCHER, is_read
from support.eventually import eventually

SERVICES = (APPLIER, WATCHER)
WATCHERS = 2  # of one account: that of the trio, and that of the trio of Probes


def requests(audit, mark, users=SERVICES):
    """What was written or read by the trio since the mark."""
    return [entry for user in users for entry in audit.writes(mark, user) + audit.reads(mark, user)]


def watched_again(entries):
    """Watches that were begun more often than each watcher may renew one in a few seconds: it lasts for minutes."""
    begun = [e for e in entries if e.verb == "watch" and e.resource != "leases" and not is_read(e)]
    times = collections.Counter((e.user, e.uri.partition("?")[0]) for e in begun)
    return [e for e in begun if times[e.user, e.uri.partition("?")[0]] > WATCHERS]


def come_to_rest(audit, quiet=1.0, patience=60, users=SERVICES):
    """Waits until nothing was written or read for `quiet` seconds."""
    def rested():
        mark = audit.mark()
        time.sleep(quiet)
        return not requests(audit, mark, users)
    eventually(rested, patience, what="the trio comes to rest")


def assert_rest(audit, seconds):
    """Nothing may be written or read for so long, once at rest, and no watch be begun again and again."""
    come_to_rest(audit)
    mark = audit.mark()
    time.sleep(seconds)
    seen = requests(audit, mark) + [entry for user in SERVICES for entry in watched_again(audit.since(mark, user))]
    assert not seen, "at rest, but:\n" + "\n".join(f"{e.user}: {e.verb} {e.uri} -> {e.code}" for e in seen)
