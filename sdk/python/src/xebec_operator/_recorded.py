# SPDX-License-Identifier: Apache-2.0
"""Reads observations as `xebec observation` prints them: the JSON form of xebec.v1.Observation."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional

from ._values import Outcome

_ADDED = ("xebec.dev/last-writer", "xebec.dev/co-owners", "xebec.dev/appliers")


def members_of(observation: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns what Xebec sends to the hook for this observation, as arguments of Operator.test."""
    spec = observation.get("declaration", {}).get("object", {}).get("spec", {})
    clock = bool(spec.get("hook", {}).get("clock"))
    return {
        "parent": observation["parent"]["object"],
        "children": _objects(observation.get("children")),
        "related": _objects(observation.get("related")),
        "configuration": spec.get("configuration"),
        "now": _time(observation.get("now")) if clock else None,
        "last_outcomes": _outcomes(observation.get("lastOutcomes"), clock),
    }


def _objects(groups: Any) -> List[Any]:
    """The objects without the members that the watcher adds."""
    objects = [each["object"] for group in groups or [] for each in group.get("objects", [])]
    return [{key: value for key, value in each.items() if key not in _ADDED} for each in objects]


def _outcomes(recorded: Any, clock: bool) -> List[Outcome]:
    """The outcomes that failed or have a memo: Xebec sends only these."""
    found = sorted(recorded or [], key=lambda each: str(each["operation"]))
    return [_outcome(each, clock) for each in found if _is_sent(each)]


def _is_sent(outcome: Mapping[str, Any]) -> bool:
    of_child = outcome["operation"].split(" ")[0] in ("apply", "delete")
    return of_child and (outcome.get("certainty") != "CERTAINTY_DONE" or bool(outcome.get("memo")))


def _outcome(outcome: Mapping[str, Any], clock: bool) -> Outcome:
    target = outcome["target"]
    type = target["type"]
    group = type.get("group", "")
    return Outcome(
        api_version=f"{group}/{type['version']}" if group else type["version"],
        kind=type["kind"],
        name=target["name"],
        operation=outcome["operation"].split(" ")[0],
        code=_code_name(outcome["code"]),
        reason=outcome.get("reason", ""),
        message=outcome.get("message", ""),
        memo=outcome.get("memo", ""),
        repeats=outcome.get("repeats", 0),
        at=_time(outcome.get("at")) if clock else None,
        namespace=target.get("namespace", ""),
    )


def _code_name(code: Any) -> str:
    """Returns "QuotaExceeded" for "OUTCOME_CODE_QUOTA_EXCEEDED". An unknown code is a number."""
    if not isinstance(code, str):
        return "Unexpected"
    return "".join(word.capitalize() for word in code[len("OUTCOME_CODE_") :].split("_"))


def _time(text: Optional[str]) -> Optional[datetime]:
    if text is None:
        return None
    whole, _, fraction = text.rstrip("Z").partition(".")
    micros = int(fraction[:6].ljust(6, "0"))
    return datetime.fromisoformat(whole).replace(microsecond=micros, tzinfo=timezone.utc)
