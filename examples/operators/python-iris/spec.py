# SPDX-License-Identifier: Apache-2.0
"""Reads and validates the spec of an Iris."""

import json
import re
from dataclasses import dataclass
from typing import Any, Dict, List, NoReturn

from names import bounded_name, is_dns1123_subdomain
from xebec_operator import InvalidError

DEFAULT_IMAGE = "store/intersystems/iris-community:2020.4.0.524.0"
_MAX_TEXT, _MAX_DEPLOYMENT_NAME = 4096, 64
_MAX_DEFAULT_NAME = 242  # shorter than the limit, because Kubernetes appends to the names of ReplicaSets
_MAX_INT32 = 2**31 - 1


@dataclass
class Spec:
    deployment: str
    replicas: int
    image: str
    env: List[Dict[str, Any]]
    resources: Dict[str, Any]
    pull_secrets: List[Dict[str, Any]]


def _shown(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text if len(text.encode()) <= 60 else text.encode()[:57].decode(errors="ignore") + "…"


def _fail(field: str, what: str) -> NoReturn:
    raise InvalidError(f"spec.{field} {what}")


def as_int(value):
    """The whole number, or None."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _without_empty(value):
    """Without members that the API server drops when it stores an object."""
    if not isinstance(value, dict):
        return value
    kept = {key: _without_empty(member) for key, member in value.items()}
    return {key: member for key, member in kept.items() if member is not None and member not in ({}, [])}


def _string(spec, field, default, limit=_MAX_TEXT):
    value = spec.get(field)
    if value is None:
        return default
    if not isinstance(value, str):
        _fail(field, f"must be a string, not {_shown(value)}")
    if len(value.encode()) > limit:
        _fail(field, f"must be at most {limit} bytes long, not {len(value.encode())}")
    return value or default


def _replicas(spec):
    value = spec.get("replicas")
    number = 1 if value is None else as_int(value)
    if number is None or not 0 <= number <= _MAX_INT32:
        _fail("replicas", f"must be an integer from 0 to {_MAX_INT32}, not {_shown(value)}")
    return number


def _image(spec):
    image = _string(spec, "image", DEFAULT_IMAGE)
    if image.strip(" \t\n\v\f\r") != image:
        _fail("image", f"must not begin or end with a blank: {_shown(image)}")
    return image


def _env(spec):
    value = spec.get("env")
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > 1000:
        _fail("env", "must be a list of at most 1000 variables")
    names, found = set(), []
    for entry in value:
        name = entry.get("name") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name:
            _fail("env", f"has an entry without a name: {_shown(entry)}")
        if not re.fullmatch(r"[ -<>-~]*", name):
            _fail("env", f"has the name {_shown(name)}, which no variable can have")
        if name in names:
            _fail("env", f'names "{name}" twice')
        names.add(name)
        found.append({key: member for key, member in _without_empty(entry).items() if (key, member) != ("value", "")})
    return found


def _pull_secrets(spec):
    value = spec.get("imagePullSecrets")
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > 256:
        _fail("imagePullSecrets", "must be a list of at most 256 objects")
    for entry in value:
        if not isinstance(entry, dict):
            _fail("imagePullSecrets", f"must have objects only, not {_shown(entry)}")
    return [_without_empty(entry) for entry in value]


def _resources(spec):
    value = spec.get("resources")
    if value is not None and not isinstance(value, dict):
        _fail("resources", f"must be an object, not {_shown(value)}")
    return _without_empty(value or {})


def read_spec(parent):
    """Returns the spec of an Iris. Raises InvalidError if it is invalid."""
    spec = parent.get("spec")
    if spec is not None and not isinstance(spec, dict):
        raise InvalidError(f"spec must be an object, not {_shown(spec)}")
    spec = spec or {}
    default = bounded_name(parent["metadata"]["name"], _MAX_DEFAULT_NAME)
    deployment = _string(spec, "deploymentName", default, _MAX_DEPLOYMENT_NAME)
    found = Spec(deployment, _replicas(spec), _image(spec), _env(spec), _resources(spec), _pull_secrets(spec))
    if not is_dns1123_subdomain(deployment):
        _fail("deploymentName", f'"{deployment}" must consist of lower-case letters, digits, "-" and ".", and start and end with a '
                                "letter or digit")
    return found
