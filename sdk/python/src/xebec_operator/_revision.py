# SPDX-License-Identifier: Apache-2.0
"""The revision of a program: a digest of its sources."""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
from typing import List

from ._version import __version__


def _is_library(path: str) -> bool:
    """Is the file part of Python or of an installed package?"""
    if "site-packages" in path or "dist-packages" in path:
        return True
    paths = sysconfig.get_paths()
    return any(path.startswith(os.path.join(paths[name], "")) for name in ("stdlib", "platstdlib"))


def _sources() -> List[str]:
    found = set()
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if path and path.endswith(".py") and os.path.isfile(path):
            found.add(os.path.realpath(path))
    own = os.path.dirname(os.path.realpath(__file__))
    return sorted(path for path in found if not _is_library(path) and os.path.dirname(path) != own)


def revision_of_program() -> str:
    """Returns a digest of the imported Python sources that are neither part of Python nor installed packages.

    The digest depends on the sources' contents, not on their places, and on the version of this library. Raises
    RuntimeError if there is no such source.
    """
    contents = []
    for path in _sources():
        with open(path, "rb") as source:
            contents.append(hashlib.sha256(source.read()).hexdigest())
    if not contents:
        raise RuntimeError("the program has no Python source to make a revision from: pass revision")
    return hashlib.sha256(" ".join([__version__, *sorted(contents)]).encode()).hexdigest()[:16]
