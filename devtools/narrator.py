# SPDX-License-Identifier: Apache-2.0
"""Prints a line for each action of the services, from the API server's audit log and from their own logs."""

import threading
import time

from support.audit import APPLIER, WATCHER, WRITES
from support.progress import say
from support.services import decode_log_line

# These lines describe a state, not a change, and are printed once.
_STATES = ("watcher  watches", "applier  found")
_LOUD = {"warn", "warning", "error", "critical", "fatal"}


def describe(entry):
    """The line for an audited request; None for a request that is not shown."""
    kind = entry.resource + (f".{entry.group}" if entry.group else "")
    where = f"{kind} {entry.ns + '/' if entry.ns else ''}{entry.name}".rstrip()
    if entry.agent == WATCHER:
        return f"watcher  watches {kind}" if entry.verb == "watch" and entry.resource != "leases" else None
    if entry.agent != APPLIER or entry.verb not in WRITES:
        return None
    if (entry.resource, entry.verb, entry.code) == ("secrets", "create", 409):
        return f"applier  found {where} already there"
    if entry.code >= 300:
        return f"applier  {entry.verb} {where}: refused with {entry.code}"
    if entry.resource == "events":
        # The name of an event begins with that of the object that it is about.
        return f"applier  published an event about {entry.ns}/{entry.name.rpartition('.')[0]}"
    if entry.subresource == "status":
        return f"applier  wrote the status of {where}"
    if entry.verb == "delete":
        return f"applier  deleted {where}"
    return f"applier  {'created' if entry.code == 201 else 'changed'} {where}"


class Narrator:
    """Prints from background threads until stop(). `mark`: the position in the audit log to start from."""

    def __init__(self, services, audit=None, mark=0):
        self._stopped = threading.Event()
        if audit:
            self._begin(lambda: self._print_requests(audit, mark))
        for service in services.all:
            self._begin(lambda service=service: self._print_log(service, loud_only=audit is not None))

    def stop(self):
        self._stopped.set()

    @staticmethod
    def _begin(run):
        threading.Thread(target=run, daemon=True).start()

    def _print_requests(self, audit, mark):
        printed = set()
        for entry in audit.follow(mark, self._stopped.is_set):
            text = describe(entry)
            if not text or text in printed:
                continue
            say(f"{entry.time[11:19]}  {text}")
            if text.startswith(_STATES):
                printed.add(text)

    def _print_log(self, service, loud_only):
        """`loud_only`: prints only warnings and errors, because the audit log shows the rest."""
        with open(service.process.log, encoding="utf-8", errors="replace") as file:
            line = ""
            while not self._stopped.is_set():
                chunk = file.readline()
                if not chunk:
                    time.sleep(0.1)
                    continue
                line += chunk
                if not line.endswith("\n"):
                    continue
                text = log_line(service.name, decode_log_line(line), loud_only)
                line = ""
                if text:
                    say(text)


def log_line(service, record, loud_only):
    """The line for a record of a service's log; None for a record that is not shown."""
    if "text" in record:
        return f"          {service:8} {record['text']}" if record["text"] else None
    level = str(record.get("level", "info")).lower()
    writes = planned(service, record)
    if not writes and (level in ("debug", "trace") or (loud_only and level not in _LOUD)):
        return None
    clock = str(record.get("ts") or "")[11:19]
    message = record.get("msg") or ""
    if writes:
        ns = record["namespace"] + "/" if record.get("namespace") else ""
        parent = f"{record['kind']} {ns}{record.get('name')}" if record.get("kind") else "a request without an envelope"
        return f"{clock:8}  planner  planned {parent}: {writes}"
    known = {"ts", "level", "msg", "component", "logger", "reconcileID", "text"}
    fields = " ".join(f"{key}={value}" for key, value in record.items() if key not in known and value not in ("", None))
    return f"{clock:8}  {service:8} {level + ': ' if level in _LOUD else ''}{message} {fields}".rstrip()


def planned(service, record):
    """The operations in a "Planned" record of the planner; None for other records."""
    if service != "planner" or record.get("msg") != "Planned":
        return None
    return record.get("operations") or record.get("notes")
