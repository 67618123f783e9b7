# SPDX-License-Identifier: Apache-2.0
"""The values of which observations and decisions consist."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Dict, List, Optional, Tuple


def in_group(api_version: Optional[str], other: str) -> bool:
    """Returns True if both are versions of one group: they show the same objects. None means any group."""
    return api_version is None or api_version.rpartition("/")[0] == other.rpartition("/")[0]


class Phase(str, enum.Enum):
    """The task of a handler."""

    SYNC = "sync"
    """Decide what should exist for the parent."""
    FINALIZE = "finalize"
    """The parent is being deleted: decide how its children are deleted."""


@dataclass(frozen=True)
class Event:
    """A Kubernetes Event on the parent.

    `reason` and `action` are UpperCamelCase and have at most 128 characters; an empty action means the reason. `note`
    has at most 1 kB. `type` is "Normal" or "Warning".
    """

    reason: str
    note: str = ""
    action: str = ""
    type: str = "Normal"


@dataclass(frozen=True)
class Condition:
    """A condition of the parent's status. `status` is "True", "False", "Unknown", or "" for a removed condition."""

    type: str
    status: str
    reason: str = ""
    message: str = ""


@dataclass(frozen=True)
class Outcome:
    """The latest outcome of an operation of an earlier decision. docs/outcomes.md of Xebec lists the codes."""

    api_version: str
    kind: str
    name: str
    operation: str
    """"apply" or "delete"."""
    code: str
    reason: str = ""
    message: str = ""
    memo: str = ""
    repeats: int = 1
    at: Optional[datetime] = None
    """When the outcome was received. None unless the Operator has spec.hook.clock."""
    namespace: str = ""
    """Of the child; empty if the child is cluster-scoped."""


@dataclass(frozen=True)
class Child:
    """A child that should exist."""

    object: Dict[str, Any]
    stage: int = 0
    by_version: bool = False
    created: Tuple[Event, ...] = ()
    changed: Tuple[Event, ...] = ()
    memo: str = ""


@dataclass(frozen=True)
class Deletion:
    """A child that should not exist."""

    api_version: str
    kind: str
    name: str
    namespace: str = ""
    stage: int = 0
    propagation: str = "Background"
    reason: str = ""
    deleted: Tuple[Event, ...] = ()


@dataclass
class Decision:
    """What a handler decided. `Operator.test` returns it."""

    children: List[Child] = field(default_factory=list)
    deletions: List[Deletion] = field(default_factory=list)
    status: Dict[str, Any] = field(default_factory=dict)
    conditions: Dict[str, Condition] = field(default_factory=dict)
    """The conditions by their types."""
    events: List[Event] = field(default_factory=list)
    resync_after: Optional[float] = None
    """Seconds."""
    invalid: Optional[str] = None

    def child(
        self, kind: str, name: str, namespace: Optional[str] = None, api_version: Optional[str] = None
    ) -> Optional[Dict[str, Any]]:
        """Returns the child that should exist as an object, or None.

        A namespace of None means any. Of `api_version`, only the group counts; None means any.
        """
        for each in self.children:
            meta = each.object["metadata"]
            found = (each.object["kind"], meta["name"]) == (kind, name) and namespace in (None, meta.get("namespace", ""))
            if found and in_group(api_version, each.object["apiVersion"]):
                return each.object
        return None

    def deletes(self, kind: str, name: str, namespace: Optional[str] = None, api_version: Optional[str] = None) -> bool:
        """Returns True if the child should not exist. The arguments are those of `child`."""
        return any(
            (each.kind, each.name) == (kind, name) and namespace in (None, each.namespace) and in_group(api_version, each.api_version)
            for each in self.deletions
        )

    def condition(self, type: str) -> Optional[Condition]:
        """Returns the condition of this type, or None."""
        return self.conditions.get(type)
