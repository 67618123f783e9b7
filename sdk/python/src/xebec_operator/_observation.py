# SPDX-License-Identifier: Apache-2.0
"""The argument of a handler."""

from __future__ import annotations

import copy
from datetime import datetime, timedelta
from typing import Any, Dict, Iterable, List, Mapping, Optional, Tuple, Union

from . import _codec
from ._compare import covers
from ._errors import utf8
from ._values import Child, Condition, Decision, Deletion, Event, Outcome, Phase, in_group

Object = Dict[str, Any]
EventsOf = Union[None, str, Event, Iterable[Event]]

_PROPAGATIONS = ("Background", "Foreground", "Orphan")


def _events(value: EventsOf, reason: str, action: str) -> Tuple[Event, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (Event(reason, value, action),)
    return tuple(_codec.check_event(each) for each in ((value,) if isinstance(value, Event) else value))


def _is_one(item: Object, kind: Optional[str], api_version: Optional[str]) -> bool:
    return kind in (None, item.get("kind")) and api_version in (None, item.get("apiVersion"))


class Observation:
    """A parent with its children and everything else that a decision may depend on.

    A handler reads it and states its decision with the methods `ensure`, `delete`, `status`, `condition`, `event`,
    `resync` and `invalid`. Objects are plain dicts as the API server returns them, without metadata.managedFields. The
    handler may change them: they are copies. An observation belongs to one call of a handler and one thread.
    """

    def __init__(self, request: Any) -> None:
        """For the library: `request` is a SyncRequest."""
        decoded = _codec.decode(request)
        self.phase: Phase = decoded.phase
        """The task: Phase.SYNC or Phase.FINALIZE."""
        self.now: Optional[datetime] = decoded.now
        """The present time with time zone UTC. None unless the Operator has spec.hook.clock."""
        self.operator: str = request.operator
        """The name of the Operator object."""
        self.parent: Object = decoded.parent
        """The parent."""
        self.last_outcomes: List[Outcome] = decoded.outcomes
        """The latest outcomes of operations of earlier decisions: those that failed, and those with a memo."""
        self.configuration: Dict[str, Any] = decoded.configuration
        """Operator.spec.configuration; empty if there is none."""
        self.decision = Decision()
        """The decision so far."""
        self._children = decoded.children
        self._related = decoded.related

    @property
    def name(self) -> str:
        """metadata.name of the parent."""
        return str(self.parent["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """metadata.namespace of the parent; empty if the parent is cluster-scoped."""
        return str(self.parent["metadata"].get("namespace", ""))

    @property
    def spec(self) -> Dict[str, Any]:
        """spec of the parent; empty if the parent has none."""
        spec: Dict[str, Any] = self.parent.setdefault("spec", {})
        return spec

    # ---- What exists ------------------------------------------------------------------------------------------------

    def children(self, kind: Optional[str] = None, api_version: Optional[str] = None) -> List[Object]:
        """Returns the existing children, all or those of a kind, sorted by kind, namespace and name."""
        return [each for each in self._children if _is_one(each, kind, api_version)]

    def child(
        self, kind: str, name: str, namespace: Optional[str] = None, api_version: Optional[str] = None
    ) -> Optional[Object]:
        """Returns the existing child of that kind and name, or None.

        A namespace of None means any. `api_version` is needed only if children of two groups have the same kind and
        name. Only its group counts; None means any.
        """
        for each in self.children(kind):
            meta = each["metadata"]
            found = meta["name"] == name and namespace in (None, meta.get("namespace", ""))
            if found and in_group(api_version, each["apiVersion"]):
                return each
        return None

    def related(self, kind: Optional[str] = None, api_version: Optional[str] = None) -> List[Object]:
        """Returns the related objects, all or those of a kind, sorted by kind, namespace and name."""
        return [each for each in self._related if _is_one(each, kind, api_version)]

    def outcome(
        self, kind: str, name: str, operation: str = "apply", namespace: Optional[str] = None, api_version: Optional[str] = None
    ) -> Optional[Outcome]:
        """Returns the latest outcome of an operation ("apply" or "delete") on a child, or None. `namespace` and
        `api_version` are those of `child`."""
        for each in self.last_outcomes:
            found = (each.kind, each.name, each.operation) == (kind, name, operation) and namespace in (None, each.namespace)
            if found and in_group(api_version, each.api_version):
                return each
        return None

    def is_applied(
        self, kind: str, name: str, namespace: Optional[str] = None, api_version: Optional[str] = None
    ) -> bool:
        """Returns True if the child exists as `ensure` described it, so that its status belongs to that description.

        Compares the fields of `ensure` only. A child that is being deleted is not applied. If the child has
        status.observedGeneration, the child's controller must have observed the latest generation. The namespace is
        needed only if a cluster-scoped parent has children with the same name in several namespaces, and `api_version`
        only if children of two groups have the same kind and name.
        """
        desired = self.decision.child(kind, name, namespace, api_version)
        if desired is None:
            return False
        live = self.child(kind, name, desired["metadata"].get("namespace", namespace), desired["apiVersion"])
        if live is None or "deletionTimestamp" in live["metadata"] or not covers(live, desired):
            return False
        observed = (live.get("status") or {}).get("observedGeneration")
        return observed is None or observed >= live["metadata"].get("generation", 0)

    # ---- What should exist ------------------------------------------------------------------------------------------

    def ensure(
        self,
        api_version: str,
        kind: str,
        name: str,
        body: Optional[Mapping[str, Any]] = None,
        *,
        namespace: Optional[str] = None,
        created: EventsOf = None,
        changed: EventsOf = None,
        stage: int = 0,
        memo: str = "",
        by_version: bool = False,
    ) -> None:
        """States that a child should exist with the fields of `body`: spec, data, metadata.labels, ...

        Fields that an earlier decision had and this one lacks are removed; fields of other clients stay. The body is
        copied without its status, which belongs to the child's controller.

        Args:
            namespace: Required only for namespaced children of a cluster-scoped parent.
            created: An event, events, or the note of an event `Created`, published when the child was created.
            changed: The same for `Changed`, published when an existing child was changed.
            stage: Operations of a stage start after all operations of lower stages have succeeded.
            memo: A note for the next call: `Outcome.memo` repeats it.
            by_version: True means that an existing child is changed only in the version of this observation.
        """
        child = _codec.named(api_version, kind, name, namespace, body)
        if self.decision.child(kind, name, child["metadata"].get("namespace", ""), api_version) is not None:
            raise ValueError(f'{kind} "{name}" is ensured twice')
        self.decision.children.append(
            Child(
                child, stage, by_version, _events(created, "Created", "Create"),
                _events(changed, "Changed", "Change"), memo,
            )
        )  # fmt: skip

    def delete(
        self,
        api_version: str,
        kind: str,
        name: str,
        *,
        namespace: str = "",
        stage: int = 0,
        propagation: str = "Background",
        reason: str = "",
        deleted: EventsOf = None,
    ) -> None:
        """States that a child should not exist. Children that a decision does not name stay.

        Args:
            namespace: Required only for namespaced children of a cluster-scoped parent.
            stage: As for `ensure`.
            propagation: What happens to dependents of the child: "Background", "Foreground" or "Orphan".
            reason: Why, in a few words. Users see it in plans.
            deleted: An event, events, or the note of an event `Deleted`, published when the child was deleted.
        """
        if propagation not in _PROPAGATIONS:
            raise ValueError(f'invalid propagation "{propagation}": must be one of {", ".join(_PROPAGATIONS)}')
        self.decision.deletions.append(
            Deletion(api_version, kind, name, namespace, stage, propagation, reason, _events(deleted, "Deleted", "Delete"))
        )

    # ---- What the parent shows --------------------------------------------------------------------------------------

    def status(self, **fields: Any) -> None:
        """Sets fields of the parent's status. None removes a field. Conditions have a method of their own."""
        for name in ("conditions", "observedGeneration"):
            if name in fields:
                raise ValueError(f"status.{name} is written by Xebec: use condition()")
        self.decision.status.update(copy.deepcopy(fields))

    def condition(self, type: str, status: Union[bool, str, None], reason: str = "", message: str = "") -> None:
        """Sets a condition of the parent. Xebec sets its times and observedGeneration.

        `status` is True, False, None (unknown), or "True", "False", "Unknown". `reason` is UpperCamelCase; if it is
        empty, the type is the reason.
        """
        _codec.check_condition(type)
        text = "Unknown" if status is None else str(status)
        if text not in ("True", "False", "Unknown"):
            raise ValueError(f'invalid status "{text}" of the condition "{type}": must be True, False or Unknown')
        self.decision.conditions[type] = Condition(type, text, reason or type, message)

    def remove_condition(self, type: str) -> None:
        """Removes a condition of the parent that an earlier decision set."""
        self.decision.conditions[type] = Condition(type, "")

    def event(self, reason: str, note: str = "", *, action: str = "", type: str = "Normal") -> None:
        """Publishes an event on the parent when its status changes.

        An event whose reason is the reason of a condition is published only when the condition takes this reason.
        """
        self.decision.events.append(_codec.check_event(Event(reason, note, action, type)))

    def resync(self, after: Union[float, timedelta]) -> None:
        """Requests another call after this time (seconds or a timedelta) even if nothing changes.

        The shortest of several times counts.
        """
        seconds = _codec.seconds(after)
        earlier = self.decision.resync_after
        self.decision.resync_after = seconds if earlier is None else min(earlier, seconds)

    def invalid(self, message: str) -> None:
        """States that the spec of the parent is invalid: what, where and what to do.

        Xebec then writes no child and shows the message in the parent's conditions.
        """
        self.decision.invalid = utf8(message) or "the spec is invalid; the hook does not say why"
