# SPDX-License-Identifier: Apache-2.0
"""Reads the audit log of the API server: the requests of each user, and requests without the right to."""

import collections
import datetime
import json
import os
import re
import time

WATCHER, APPLIER = "xebec-watcher", "xebec-applier"
WRITES = {"create", "update", "patch", "delete", "deletecollection"}
_DISCOVERY = re.compile(r"/(api|apis|version|openapi)(/|$|\?)")

# `received` and `time`: when the request arrived, and when it was answered (for a watch: when it started). `agent`: the
# client program.
class Entry(collections.namedtuple("Entry", "user verb group resource subresource ns name code uri time denied received agent",
                                   defaults=(False, "", ""))):
    @property
    def received_at(self):
        """`received` as a datetime."""
        return datetime.datetime.fromisoformat(self.received.replace("Z", "+00:00"))

    @property
    def repairs(self):
        """True for the JSON patch that repairs the field ownership of a child: neither an apply nor a write of a
        subresource."""
        return self.verb == "patch" and not self.subresource and "fieldManager=" in self.uri and "force=true" not in self.uri \
            and self.group != "events.k8s.io"


SECOND_NS = "second-system"  # of a second release with the same names
# The users of the two services that call the API server, and the namespace of their Leases.
Accounts = collections.namedtuple("Accounts", "watcher applier ns", defaults=(WATCHER, APPLIER, "xebec-system"))


def is_read(request):
    """True for a get and a list; not for a watch."""
    return request.resource != "leases" and request.verb in ("get", "list")


class AuditLog:
    accounts = Accounts()

    def __init__(self, path):
        self._path = path

    def mark(self):
        """A position in the log: later entries belong to requests that are answered from now on. It is the start of a
        line, because the last line may be incomplete."""
        try:
            with open(self._path, "rb") as file:
                return _end_of_last_line(file)
        except FileNotFoundError:
            return 0

    def since(self, mark, user=None):
        """Entries in the order of their answers. Watches count when they begin."""
        with open(self._path, "rb") as file:
            file.seek(mark)
            lines = file.read().split(b"\n")[:-1]
        entries = (_entry(json.loads(line)) for line in lines)
        return [entry for entry in entries if entry and (user is None or entry.user == user)]

    def of_services(self):
        """All requests of watcher and applier."""
        with open(self._path, "rb") as file:  # not at once: it is long
            lines = (line for line in file if b'"userAgent":"xebec-' in line and line.endswith(b"\n"))
            yield from filter(None, (_entry(json.loads(line)) for line in lines))

    def writes(self, mark, user=None):
        """Write requests of a user, by default the applier, except those for Leases."""
        return [e for e in self.since(mark, user or self.accounts.applier) if e.verb in WRITES and e.resource != "leases"]

    def reads(self, mark, user=None):
        """Gets and lists of a user, by default the applier, except those for Leases."""
        return [e for e in self.since(mark, user or self.accounts.applier) if is_read(e)]

    def follow(self, mark, stop):
        """Yields entries as they come until `stop()` is true."""
        rest = b""
        with open(self._path, "rb") as file:
            file.seek(mark)
            while not stop():
                chunk = file.read()
                if not chunk:
                    time.sleep(0.1)
                    continue
                *lines, rest = (rest + chunk).split(b"\n")
                yield from filter(None, (_entry(json.loads(line)) for line in lines))


def _end_of_last_line(file, step=1 << 16):
    end = file.seek(0, os.SEEK_END)
    while end > 0:
        begin = file.seek(max(end - step, 0))
        newline = file.read(end - begin).rfind(b"\n")
        if newline >= 0:
            return begin + newline + 1
        end = begin
    return 0


def _entry(event):
    long_running = event["verb"] == "watch"
    if event["stage"] != ("ResponseStarted" if long_running else "ResponseComplete") and event["stage"] != "Panic":
        # A refused watch never starts; its answer is complete at once.
        if not (long_running and event["stage"] == "ResponseComplete" and event["responseStatus"].get("code", 200) >= 300):
            return None
    ref = event.get("objectRef") or {}
    return Entry(event["user"].get("username", ""), event["verb"], ref.get("apiGroup", ""), ref.get("resource", ""),
                 ref.get("subresource", ""), ref.get("namespace", ""), ref.get("name", ""),
                 event.get("responseStatus", {}).get("code", 0), event["requestURI"], event["stageTimestamp"],
                 event.get("annotations", {}).get("authorization.k8s.io/decision") == "forbid", event["requestReceivedTimestamp"],
                 event.get("userAgent", "").partition("/")[0])


def beyond_rights(entry, accounts=Accounts()):
    """Why a service must not make this request; None if it may.

    Checks the permissions in docs/security.md, independently of the RBAC rules that the API server enforces.
    """
    if entry.user not in accounts[:2]:
        return None
    if not entry.resource:
        return None if entry.verb == "get" and _DISCOVERY.match(entry.uri) else "only discovery is free"
    if entry.resource == "secrets" and (entry.user, entry.verb) != (accounts.applier, "create"):
        return "Secrets can be created by the applier, nothing else"
    if entry.resource == "leases":
        allowed = {"get", "list", "watch", "create", "update", "patch"} if entry.user == accounts.watcher else {"get"}
        return None if entry.verb in allowed and entry.ns in (accounts.ns, SECOND_NS) else "not on this Lease"
    if entry.user == accounts.watcher:
        return None if entry.verb in ("get", "list", "watch") else "the watcher reads"
    if entry.resource == "events":
        return None if entry.verb in ("create", "patch") else "events are created and patched"
    if entry.subresource:
        return None if entry.subresource == "status" and entry.verb in ("patch", "update") else "of the subresources only status is written"
    return None if entry.verb in ("get", "create", "patch", "delete") else "the applier neither lists nor watches"


def violations(entries, expects_forbidden=False, accounts=Accounts()):
    """Messages: requests that were forbidden or should have been; `expects_forbidden`: only what a service asked beyond
    its rights, not what a test took away from it or asks in its name.

    A 403 of an authorizer counts; one of admission (a terminating namespace, a quota) is the world's answer to a
    request that its sender had the right to make.
    """
    found = []
    for entry in entries:
        if expects_forbidden and entry.agent not in (WATCHER, APPLIER):
            continue
        reason = beyond_rights(entry, accounts)
        if reason is None and entry.denied and entry.user in accounts[:2] and not expects_forbidden:
            reason = "refused for want of rights"
        if reason:
            found.append(f"{entry.user}: {entry.verb} {entry.uri} -> {entry.code}: {reason}")
    return found
