# SPDX-License-Identifier: Apache-2.0
"""Compares objects as Kubernetes and Xebec do."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any, Optional

_QUANTITY = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,3})?")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_RESOURCE_LISTS = ("requests", "limits")
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

    Quantities in requests and limits are compared by value, and lists whose elements have a merge key (name,
    containerPort, ...) by that key. Values that the API server drops when it stores an object (null, [], {} and "")
    count as absent. Ignores apiVersion, kind, metadata.uid and metadata.resourceVersion.
    """
    wanted = {key: value for key, value in desired.items() if key not in ("apiVersion", "kind")}
    if isinstance(wanted.get("metadata"), dict):
        metadata = wanted["metadata"].items()
        wanted["metadata"] = {key: value for key, value in metadata if key not in ("uid", "resourceVersion")}
    return _covers(live, wanted, "", "")


def _is_absent(value: Any, key: str, parent: str) -> bool:
    if value is None or value == []:
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
    if _is_absent(desired, key, parent):
        return _is_absent(live, key, parent)
    if isinstance(desired, (list, tuple)):
        return isinstance(live, (list, tuple)) and _list_covers(live, desired, key)
    if live == desired:
        return isinstance(live, bool) == isinstance(desired, bool)
    quantity = _quantity(desired) if parent in _RESOURCE_LISTS else None
    return quantity is not None and quantity == _quantity(live)


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
    if key == "finalizers":
        return all(each in live for each in desired)
    merge_key = _merge_key(desired, key)
    if merge_key is None:
        return len(live) == len(desired) and all(_covers(a, b, key, "") for a, b in zip(live, desired))
    existing = {_identity(item, merge_key): item for item in live}
    return all(
        (found := existing.get(_identity(item, merge_key))) is not None and _covers(found, item, key, "") for item in desired
    )


def _quantity(value: Any) -> Optional[int]:
    """The quantity in thousandths, rounded up as the API server does; None if the value is none."""
    match = None if isinstance(value, (bool, dict, list)) else _QUANTITY.fullmatch(str(value))
    if match is None:
        return None
    number, suffix = Fraction(match[1]), match[2] or ""
    if suffix.endswith("i"):
        number *= 1024 ** ("KMGTPE".index(suffix[0]) + 1)
    elif suffix:
        number *= Fraction(10) ** (_DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:]))
    return math.ceil(number * 1000)
