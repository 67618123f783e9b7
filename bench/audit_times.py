# SPDX-License-Identifier: Apache-2.0
"""Requests in the audit log of the API server, whose clock is the clock of the benchmark."""

import datetime
import json

from support.audit import is_read

# The identities of the programs are service accounts: the API server limits the requests of administrators less.
_ACCOUNT = "system:serviceaccount:xebec-system:"
WATCHER, APPLIER, PEER, LOADER = f"{_ACCOUNT}xebec-watcher", f"{_ACCOUNT}xebec-applier", f"{_ACCOUNT}peer", "admin"
WRITES = {"create", "update", "patch", "delete"}
CHILD, STATUS, EVENT = ("deployments", ""), ("irises", "status"), ("events", "")


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

    def what(self):
        return self.resource, self.subresource


def read(path, mark=0):
    """Answered requests since `mark`, in the order of their answers. A watch is answered when it begins."""
    with open(path, "rb") as file:
        file.seek(mark)
        lines = file.read().split(b"\n")[:-1]
    events = (json.loads(line) for line in lines)
    return [Request(event) for event in events if event["stage"] == ("ResponseStarted" if event["verb"] == "watch" else "ResponseComplete")]


def parents_created(requests):
    """{name: request} of the creations of Irises."""
    return {r.name: r for r in requests if r.resource == "irises" and r.verb == "create" and r.code == 201}


def parents_changed(requests):
    """{name: request} of the last change of each Iris by the load program."""
    return {r.name: r for r in requests if r.user == LOADER and r.resource == "irises" and not r.subresource and r.verb == "patch" and r.code == 200}


def child_write_after(requests, users, name, time):
    """The first accepted write of these users for the Deployment of that name that arrived after that time."""
    return min((r for r in requests if r.write and r.code < 300 and r.user in users and r.what() == CHILD and r.name == name and r.received > time),
               key=lambda r: r.received)


def first_writes(requests, users, what):
    """{name: request}: the first accepted write of these users for each object."""
    first = {}
    for r in requests:
        if r.write and r.code < 300 and r.user in users and r.what() == what:
            first.setdefault(r.name, r)
    return first


def converged(requests, users):
    """{name: time} of the parents whose child and status were both written."""
    children, statuses = first_writes(requests, users, CHILD), first_writes(requests, users, STATUS)
    return {name: max(children[name].answered, statuses[name].answered) for name in children.keys() & statuses.keys()}


def last_event(requests, users):
    """The time of the answer to the last Event that these users wrote; 0 if there is none."""
    return max((r.answered for r in requests if r.write and r.code < 300 and r.user in users and r.what() == EVENT), default=0)


def asked(requests, users):
    """Writes, and reads: a watch that begins with a list is one. Requests for Leases are neither."""
    return [r for r in requests if r.user in users and r.resource and (r.write or is_read(r))]


def conflicts(requests, users):
    return sum(r.user in users and r.write and r.code == 409 for r in requests)
