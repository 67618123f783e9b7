# SPDX-License-Identifier: Apache-2.0
"""Times of requests from the audit log of the API server, the only clock of the benchmark."""

import datetime
import json

WATCHER, APPLIER, LOADER = "xebec-watcher", "xebec-applier", "admin"
WRITES = {"create", "update", "patch", "delete"}


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Request:
    """One answered request."""

    def __init__(self, event):
        ref = event.get("objectRef") or {}
        self.user = event["user"].get("username", "")
        self.verb = event["verb"]
        self.resource, self.subresource = ref.get("resource", ""), ref.get("subresource", "")
        self.name = ref.get("name", "")
        self.uri = event["requestURI"]
        self.code = (event.get("responseStatus") or {}).get("code", 0)
        self.received = seconds(event["requestReceivedTimestamp"])
        self.answered = seconds(event["stageTimestamp"])
        self.write = self.verb in WRITES and self.resource != "leases"


def read(path, mark=0):
    """Answered requests since `mark`, in the order of their answers. A watch is answered when it begins."""
    with open(path, "rb") as file:
        file.seek(mark)
        lines = file.read().split(b"\n")[:-1]
    events = (json.loads(line) for line in lines)
    return [Request(event) for event in events if event["stage"] == ("ResponseStarted" if event["verb"] == "watch" else "ResponseComplete")]


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
