# SPDX-License-Identifier: Apache-2.0
"""Waits for conditions."""

import http.client
import os
import time

from support.kube import ApiError

# Multiplies every timeout, for slow machines.
FACTOR = float(os.environ.get("XEBEC_TIMEOUT_FACTOR", "1"))


def eventually(check, timeout=30.0, every=0.05, what=None):
    """Calls `check` until it returns something true, and returns that. Failed assertions, missing fields and an API
    server that cannot answer just now count as "not yet".

    After `timeout` seconds fails with the last result. `what` names the condition in the message. Calls are `every` so
    many seconds apart at first, and up to five times as far apart later, to save CPU time.
    """
    deadline, longest = time.monotonic() + timeout * FACTOR, 5 * every
    while True:
        last = None
        try:
            seen = check()
            if seen:
                return seen
            last = f"last seen: {seen!r}"
        except (AssertionError, KeyError, TypeError, IndexError, ApiError, OSError, http.client.HTTPException) as error:
            if isinstance(error, ApiError) and error.code != 429 and error.code < 500:
                raise
            last = f"last seen: {type(error).__name__}: {error}"
        if time.monotonic() > deadline:
            raise AssertionError(f"timed out after {timeout * FACTOR:g} s: {what or getattr(check, '__name__', 'it')}; {last}")
        time.sleep(every)
        every = min(1.1 * every, longest)


def stays(check, seconds, every=0.05, what=None):
    """Fails if `check` turns false within `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        assert check(), f"changed within {seconds} s: {what or getattr(check, '__name__', 'it')}"
        time.sleep(every)
