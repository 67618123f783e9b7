# SPDX-License-Identifier: Apache-2.0
"""Quiescence: the services write nothing, and read nothing except through watches and Leases."""

import collections
import time

from support.audit import is_read
from support.eventually import eventually

WATCHERS = 2  # with one account: the shared watcher and the watcher of Probes


def requests(audit, mark, users=None):
    """Requests of the services, or of other users, since the mark."""
    return [entry for user in users or audit.accounts[:2] for entry in audit.writes(mark, user) + audit.reads(mark, user)]


def watched_again(entries):
    """Watches that were started more often than each watcher may renew one. A watch lasts for minutes."""
    begun = [e for e in entries if e.verb == "watch" and e.resource != "leases" and not is_read(e)]
    times = collections.Counter((e.user, e.uri.partition("?")[0]) for e in begun)
    return [e for e in begun if times[e.user, e.uri.partition("?")[0]] > WATCHERS]


def wait_for_quiescence(audit, quiet=1.0, timeout=60, users=None):
    """Waits until the services have made no request for `quiet` seconds."""
    def quiescent():
        mark = audit.mark()
        time.sleep(quiet)
        return not requests(audit, mark, users)
    eventually(quiescent, timeout, what="the services become idle")


def counts_an_event(entry):
    """True for the count of an Event that was published before: it is written up to 30 s after its cause, in any
    namespace."""
    return (entry.group, entry.verb) == ("events.k8s.io", "patch")


def assert_quiescent(audit, seconds):
    """Waits for quiescence, then fails if the services make a request or restart a watch within `seconds`. Counts of
    earlier Events do not matter."""
    wait_for_quiescence(audit)
    mark = audit.mark()
    time.sleep(seconds)
    seen = [entry for entry in requests(audit, mark) if not counts_an_event(entry)]
    seen += [entry for user in audit.accounts[:2] for entry in watched_again(audit.since(mark, user))]
    assert not seen, "not quiescent:\n" + "\n".join(f"{e.user}: {e.verb} {e.uri} -> {e.code}" for e in seen)
