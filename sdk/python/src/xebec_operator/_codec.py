# SPDX-License-Identifier: Apache-2.0
"""Converts between the messages of the contract and the values of this library."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, Iterable, List, Mapping, Optional, Union

from ._errors import MalformedRequestError
from ._pb import hook_pb2 as pb
from ._values import Child, Decision, Deletion, Event, Outcome, Phase

MAX_MESSAGE = 64 << 20
_MAX_ANSWER = (8 << 20) - 64  # the gateway's default limit; SyncStreamResponse adds fields
_PHASES = {pb.PHASE_SYNC: Phase.SYNC, pb.PHASE_FINALIZE: Phase.FINALIZE}
_EVENT_TYPES = {"Normal": pb.EVENT_TYPE_NORMAL, "Warning": pb.EVENT_TYPE_WARNING}
_PROPAGATIONS = {
    "Background": pb.PROPAGATION_BACKGROUND,
    "Foreground": pb.PROPAGATION_FOREGROUND,
    "Orphan": pb.PROPAGATION_ORPHAN,
}
# Xebec sets these fields of children, and these conditions of parents.
_OWN_METADATA = (
    "uid", "resourceVersion", "generateName", "ownerReferences", "finalizers", "deletionTimestamp", "deletionGracePeriodSeconds",
    "managedFields",
)  # fmt: skip
_OWN_CONDITIONS = ("Applied", "DeletionDeferred", "FieldManagerConflict", "HookFailed", "Paused", "Rewritten")
_WORD = re.compile(r"[A-Z][A-Za-z0-9]{0,127}")


@dataclass
class Decoded:
    """A SyncRequest as values."""

    phase: Phase
    now: Optional[datetime]
    parent: Dict[str, Any]
    children: List[Dict[str, Any]]
    related: List[Dict[str, Any]]
    outcomes: List[Outcome]
    configuration: Dict[str, Any]


def seconds(value: Union[float, timedelta]) -> float:
    """Returns a time as seconds. Raises ValueError if it is negative or not a number."""
    number = value.total_seconds() if isinstance(value, timedelta) else float(value)
    if not 0 <= number < float("inf"):
        raise ValueError(f"invalid time {value!r}: must not be negative or infinite")
    return number


def _text(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _time(message: Any, name: str) -> Optional[datetime]:
    if not message.HasField(name):
        return None
    stamp = getattr(message, name)
    return datetime.fromtimestamp(stamp.seconds, timezone.utc) + timedelta(microseconds=stamp.nanos // 1000)


def _object(text: str, what: str) -> Dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedRequestError(f"{what} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise MalformedRequestError(f"{what} is not a JSON object")
    return value


def _kubernetes_object(text: str, what: str) -> Dict[str, Any]:
    value = _object(text, what)
    metadata = value.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        raise MalformedRequestError(f"{what} has no metadata.name")
    return value


def _objects(groups: Iterable[Any], what: str) -> List[Dict[str, Any]]:
    found = []
    for group in groups:
        for text in group.objects:
            value = _kubernetes_object(text, what)
            value.setdefault("apiVersion", group.api_version)
            value.setdefault("kind", group.kind)
            found.append(value)
    return found


def _outcome(message: Any) -> Outcome:
    return Outcome(
        message.api_version, message.kind, message.name, message.operation, message.code, message.reason, message.message,
        message.memo, message.repeats, _time(message, "at"), message.namespace,
    )  # fmt: skip


def decode(request: Any) -> Decoded:
    """Decodes a SyncRequest. Raises MalformedRequestError if it does not follow the contract."""
    phase = _PHASES.get(request.phase)
    if phase is None:
        raise MalformedRequestError(f"unknown phase {request.phase}")
    configuration = _object(request.configuration, "the configuration") if request.configuration else {}
    return Decoded(
        phase, _time(request, "now"), _kubernetes_object(request.parent, "the parent"), _objects(request.children, "a child"),
        _objects(request.related, "a related object"), [_outcome(each) for each in request.last_outcomes], configuration,
    )  # fmt: skip


def named(
    api_version: str, kind: str, name: str, namespace: Optional[str], body: Optional[Mapping[str, Any]]
) -> Dict[str, Any]:
    """Returns a copy of `body` with identity, and without status, which Xebec ignores.

    Raises ValueError or TypeError if the body has another identity or is no mapping.
    """
    for what, value in (("api_version", api_version), ("kind", kind), ("name", name)):
        if not isinstance(value, str) or not value:
            raise ValueError(f"invalid {what} {value!r} of a child: must be a string that is not empty")
    if body is not None and not isinstance(body, Mapping):
        raise TypeError(f"the body of {kind} {name!r} is a {type(body).__name__}: must be a dict")
    child = copy.deepcopy(dict(body or {}))
    child.pop("status", None)
    metadata = dict(child.get("metadata") or {})
    identity = {"apiVersion": (child, api_version), "kind": (child, kind), "name": (metadata, name)}
    if namespace is not None:
        identity["namespace"] = (metadata, namespace)
    for key, (place, value) in identity.items():
        if place.setdefault(key, value) != value:
            raise ValueError(f'the body of {kind} "{name}" has another {key}: {place[key]!r}')
    _check_metadata(metadata, f'{kind} "{name}"')
    child["metadata"] = metadata
    return child


def _check_metadata(metadata: Mapping[str, Any], child: str) -> None:
    for name in _OWN_METADATA:
        if name in metadata:
            raise ValueError(f"{child} must not have metadata.{name}: Xebec sets it")
    for name in ("labels", "annotations"):
        for key, value in (metadata.get(name) or {}).items():
            if not isinstance(value, str):
                raise ValueError(f"{child}: metadata.{name}.{key} must be a string, not {value!r}")


def check_condition(type: str) -> None:
    """Raises ValueError if only Xebec may set the condition."""
    if type in _OWN_CONDITIONS:
        raise ValueError(f'the condition "{type}" belongs to Xebec: use another type')


def check_event(event: Event) -> Event:
    """Returns the event. Raises ValueError if it has wrong fields."""
    for what, word in (("reason", event.reason), ("action", event.action or event.reason)):
        if not _WORD.fullmatch(word):
            raise ValueError(f'invalid {what} "{word}" of an event: must be UpperCamelCase with at most 128 characters')
    if event.type not in _EVENT_TYPES:
        raise ValueError(f'invalid type "{event.type}" of an event: must be Normal or Warning')
    return event


def _event(event: Event) -> Any:
    return pb.Event(type=_EVENT_TYPES[event.type], reason=event.reason, action=event.action, note=event.note)


def _child(child: Child) -> Any:
    return pb.DesiredChild(
        object=_text(child.object),
        stage=child.stage,
        by_version=child.by_version,
        on_created=[_event(each) for each in child.created],
        on_changed=[_event(each) for each in child.changed],
        memo=child.memo,
    )


def _deletion(deletion: Deletion) -> Any:
    return pb.Deletion(
        api_version=deletion.api_version,
        kind=deletion.kind,
        name=deletion.name,
        namespace=deletion.namespace,
        stage=deletion.stage,
        propagation=_PROPAGATIONS[deletion.propagation],
        reason=deletion.reason,
        on_deleted=[_event(each) for each in deletion.deleted],
    )


def encode(decision: Decision) -> Any:
    """Encodes a decision as DesiredState. Raises ValueError or TypeError if it has values that are not JSON."""
    state = pb.DesiredState(
        children=[_child(each) for each in decision.children],
        deletions=[_deletion(each) for each in decision.deletions],
        status=_text(decision.status) if decision.status else "",
        conditions=[
            pb.Condition(type=each.type, status=each.status, reason=each.reason, message=each.message)
            for each in decision.conditions.values()
        ],
        events=[_event(each) for each in decision.events],
        invalid=decision.invalid or "",
    )
    if decision.resync_after is not None:
        state.resync_after.FromTimedelta(timedelta(seconds=decision.resync_after))
    return state


def answer(decision: Decision) -> Any:
    """Encodes a decision as SyncResponse. Raises ValueError or TypeError if it cannot be sent."""
    response = pb.SyncResponse(desired=encode(decision))
    size = response.ByteSize()
    if size > _MAX_ANSWER:
        raise ValueError(f"the decision has {size} bytes: must have at most {_MAX_ANSWER}")
    return response
