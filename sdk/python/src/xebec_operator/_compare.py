# SPDX-License-Identifier: Apache-2.0
"""Compares objects as Kubernetes and Xebec do."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any, Optional

_QUANTITY = re.compile(r"([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?0*[0-9]{1,4})?")
_MAX_EXPONENT = 1000
_MAX_BINARY = (1 << 63) - 1
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
# Quantities are the members of these objects, and these fields. The API server rounds those of resource lists up to 1m.
_RESOURCE_LISTS = ("requests", "limits")
_QUANTITY_MAPS = ("capacity", "hard", "overhead", "allocatable", "default", "defaultRequest", "max", "maxLimitRequestRatio", "min")
_QUANTITIES = ("averageValue", "divisor", "sizeLimit")
# Members of these objects are free text, so that "" is a value.
_FREE_MAPS = ("annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector", "parameters", "selector", "stringData",
              "volumeAttributes")  # fmt: skip
# For these fields, {} or "" differs from absent.
_MARKERS = ("emptyDir", "labelSelector", "namespaceSelector", "objectSelector", "podSelector", "selector")
_MEANINGFUL_EMPTY = ("ingressClassName", "loadBalancerClass", "storageClassName", "volumeAttributesClassName", "volumeName")
# For these fields, 0 and false do not differ from absent.
_OMITTED_ZEROS = ("hostIPC", "hostNetwork", "hostPID", "hostPort", "initialDelaySeconds", "minReadySeconds", "paused",
                  "publishNotReadyAddresses", "readOnly", "stdin", "stdinOnce", "tty")  # fmt: skip
_ATOMIC_LISTS = ("envFrom", "items", "matchExpressions", "matchFields", "subjects")
_MERGE_KEYS = ("uid", "mountPath", "devicePath", "containerPort", "name", "type", "ip", "key", "topologyKey")


def covers(live: Any, desired: Any) -> bool:
    """Returns True if `live` has every field of `desired` with an equal value. `live` may have more fields.

    Quantities (requests, limits, capacity, sizeLimit, ...) are compared by value, and lists whose elements have a merge
    key (name, containerPort, ...) by that key. Values that the API server drops when it stores an object (null, [], {}
    and "") count as absent. Ignores apiVersion, kind, metadata.uid and metadata.resourceVersion.
    """
    wanted = {key: value for key, value in desired.items() if key not in ("apiVersion", "kind")}
    if isinstance(wanted.get("metadata"), dict):
        metadata = wanted["metadata"].items()
        wanted["metadata"] = {key: value for key, value in metadata if key not in ("uid", "resourceVersion")}
    return _covers(live, wanted, "", "")


def _is_absent(value: Any, key: str, parent: str) -> bool:
    if value is None:
        return True
    if value == "":
        return parent not in _FREE_MAPS and key not in _MEANINGFUL_EMPTY
    return key in _OMITTED_ZEROS and value in (0, False)


def _covers(live: Any, desired: Any, key: str, parent: str) -> bool:
    if desired is None:
        return True
    if isinstance(desired, dict):
        if live is None and (desired or key not in _MARKERS):
            live = {}
        return isinstance(live, dict) and all(_covers(live.get(name), value, name, key) for name, value in desired.items())
    if isinstance(desired, (list, tuple)):
        return _list_covers([] if live is None else live, desired, key)
    if _is_absent(desired, key, parent):
        return _is_absent(live, key, parent)
    if live == desired:
        return isinstance(live, bool) == isinstance(desired, bool)
    return _is_quantity(key, parent) and _same_quantity(live, desired, parent in _RESOURCE_LISTS)


def _identity(item: Any, merge_key: str) -> Any:
    value = item.get(merge_key) if isinstance(item, dict) else None
    if isinstance(value, (dict, list)):
        return None
    return (value, item.get("protocol") or "TCP") if merge_key == "containerPort" and value is not None else value


def _merge_key(items: Any, key: str) -> Optional[str]:
    """The key that identifies the elements; None if their position does."""
    for merge_key in () if key in _ATOMIC_LISTS else _MERGE_KEYS:
        found = [_identity(item, merge_key) for item in items]
        if None not in found and len(set(found)) == len(found):
            return merge_key
    return None


def _list_covers(live: Any, desired: Any, key: str) -> bool:
    if not isinstance(live, (list, tuple)):
        return False
    if not desired:  # requires nothing of a list with a merge key; any other list must be empty
        return not live or _merge_key(live, key) is not None
    if key == "finalizers":
        return all(each in live for each in desired)
    merge_key = _merge_key(desired, key)
    if merge_key is None:
        return len(live) == len(desired) and all(_covers(a, b, key, "") for a, b in zip(live, desired))
    existing = {_identity(item, merge_key): item for item in live}
    return all(
        (found := existing.get(_identity(item, merge_key))) is not None and _covers(found, item, key, "") for item in desired
    )


def _is_quantity(key: str, parent: str) -> bool:
    return parent in _RESOURCE_LISTS or parent in _QUANTITY_MAPS or key in _QUANTITIES


def _same_quantity(a: Any, b: Any, to_milli: bool) -> bool:
    x, y = _nanos(a), _nanos(b)
    if x is None or y is None:
        return False
    return _round_up(x, 10**6) == _round_up(y, 10**6) if to_milli else x == y


def _round_up(number: int, unit: int) -> int:
    """The number of units, rounded away from zero."""
    return -(number // -unit) if number > 0 else number // unit


def _nanos(value: Any) -> Optional[int]:
    """The quantity in billionths, rounded away from zero and capped as resource.Quantity does.

    None if the value is none.
    """
    match = None if isinstance(value, (bool, dict, list)) else _QUANTITY.fullmatch(str(value))
    scale = None if match is None else _scale(match[3] or "")
    if match is None or scale is None:
        return None
    nanos = math.ceil(Fraction(match[2]) * scale * 10**9)
    if (match[3] or "").endswith("i"):
        nanos = min(nanos, _MAX_BINARY * 10**9)
    return -nanos if match[1] == "-" else nanos


def _scale(suffix: str) -> Optional[Fraction]:
    if suffix.endswith("i"):
        return Fraction(1024) ** ("KMGTPE".index(suffix[0]) + 1)
    exponent = 0 if not suffix else _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    return Fraction(10) ** exponent if abs(exponent) <= _MAX_EXPONENT else None
