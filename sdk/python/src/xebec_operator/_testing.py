# SPDX-License-Identifier: Apache-2.0
"""Calls a handler without a cluster."""

from __future__ import annotations

import difflib
import json
import os
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping

from . import _codec
from ._errors import NonDeterministicError
from ._pb import hook_pb2 as pb
from ._recorded import members_of
from ._values import Decision, Outcome, Phase

_MEMBERS = ("parent", "children", "related", "last_outcomes", "configuration", "now", "phase")
_PHASES = {Phase.SYNC: pb.PHASE_SYNC, Phase.FINALIZE: pb.PHASE_FINALIZE}


def _load(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return json.loads(text)
    import yaml  # not needed by programs

    documents = [each for each in yaml.safe_load_all(text) if each is not None]
    return documents[0] if len(documents) == 1 else documents


def _plain(value: Any) -> Any:
    """YAML reads times as datetime."""
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{value!r} of the observation is not JSON")


def _members(observation: Any) -> Dict[str, Any]:
    if isinstance(observation, (str, os.PathLike)):
        observation = _load(Path(observation))
    if isinstance(observation, list):
        return {"parent": observation[0], "children": observation[1:]}
    if "kind" in observation or "metadata" in observation:
        return {"parent": observation}
    if "observation" in observation:
        return members_of(observation["observation"])
    return dict(observation)


def _sort_key(item: Mapping[str, Any]) -> Any:
    metadata = item["metadata"]
    return item["apiVersion"], item["kind"], metadata.get("namespace", ""), metadata["name"]


def _groups(objects: Any) -> List[Any]:
    groups: Dict[Any, pb.ObjectGroup] = {}
    for each in sorted(objects or [], key=_sort_key):
        kind = each["apiVersion"], each["kind"]
        if kind not in groups:
            groups[kind] = pb.ObjectGroup(api_version=kind[0], kind=kind[1])
        groups[kind].objects.append(json.dumps(each, default=_plain))
    return list(groups.values())


def _outcome(outcome: Outcome) -> Any:
    message = pb.Outcome(**{name: value for name, value in vars(outcome).items() if name != "at"})
    if outcome.at is not None:
        message.at.FromDatetime(outcome.at.astimezone(timezone.utc).replace(tzinfo=None))
    return message


def request_of(operator: str, observation: Any, more: Mapping[str, Any]) -> Any:
    """Returns the SyncRequest for the arguments of Operator.test."""
    members = {**_members(observation), **more}
    unknown = sorted(set(members) - set(_MEMBERS))
    if unknown or "parent" not in members:
        raise ValueError(f"invalid observation: needs parent, and may have {', '.join(_MEMBERS[1:])}; has {', '.join(members)}")
    parent = members["parent"]
    default = Phase.FINALIZE if parent.get("metadata", {}).get("deletionTimestamp") else Phase.SYNC
    request = pb.SyncRequest(
        operator=operator,
        phase=_PHASES[Phase(members.get("phase") or default)],
        parent=json.dumps(parent, default=_plain),
        children=_groups(members.get("children")),
        related=_groups(members.get("related")),
        last_outcomes=[_outcome(each) for each in members.get("last_outcomes") or []],
        configuration=json.dumps(members["configuration"], default=_plain) if members.get("configuration") else "",
    )
    if members.get("now") is not None:
        request.now.FromDatetime(members["now"].astimezone(timezone.utc).replace(tzinfo=None))
    return request


def decide_twice(decide: Callable[[Any], Decision], request: Any) -> Decision:
    """Returns the decision for the request. Raises NonDeterministicError if a second one differs."""
    decisions = [decide(request), decide(request)]
    first, second = (str(_codec.encode(each)).splitlines() for each in decisions)
    if first != second:
        change = "\n".join(difflib.unified_diff(first, second, "first call", "second call", n=0, lineterm=""))
        raise NonDeterministicError(f"the handler makes two different decisions for one observation:\n{change}")
    return decisions[0]
