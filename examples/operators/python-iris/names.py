# SPDX-License-Identifier: Apache-2.0
"""Names that fit the limits of Kubernetes, the same as those of the built-in kinds of Xebec."""

import hashlib
import re

_MAX_NAME, _MAX_LABEL = 253, 63
_DIGITS = 8


def _cut_and_hash(name, digested, limit):
    digest = hashlib.sha256(digested.encode()).hexdigest()[:_DIGITS]
    kept = re.sub(r"[^A-Za-z0-9]+$", "", name.encode()[: limit - _DIGITS - 1].decode(errors="ignore"))
    return f"{kept}-{digest}" if kept else digest


def bounded_name(name, limit):
    """The name, or its beginning and a digest of it if it is longer than `limit`."""
    return name if len(name.encode()) <= limit else _cut_and_hash(name, name, limit)


def label_value(name):
    """The name as the value of a label: valid, and different for different names."""
    if re.fullmatch(r"([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?", name) and len(name) <= _MAX_LABEL:
        return name
    cleaned = re.sub(r"[^A-Za-z0-9._-]", lambda match: "-" * len(match[0].encode()), name)
    return _cut_and_hash(re.sub(r"^[^A-Za-z0-9]+", "", cleaned), name, _MAX_LABEL)


def is_dns1123_subdomain(name):
    """Can an object have this name?"""
    part = r"[a-z0-9]([a-z0-9-]*[a-z0-9])?"
    return len(name) <= _MAX_NAME and re.fullmatch(rf"{part}(\.{part})*", name) is not None
