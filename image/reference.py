# SPDX-License-Identifier: Apache-2.0
"""Names of images, with the defaults of Docker."""

import re

PATH = re.compile(r"(?:(?:[a-zA-Z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]+)?/)?[a-z0-9]+(?:(?:[._/]|__|-+)[a-z0-9]+)*")
TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)


def complete(name):
    """(registry/repository, tag) of "xebec", "team/xebec:1", "registry.example:5000/team/xebec:1"."""
    if "@" in name:
        raise ValueError(f"invalid image name {name}: must not have a digest, which follows from the contents")
    path, tag = _split(name)
    path = _with_registry(path)
    if not PATH.fullmatch(path) or not TAG.fullmatch(tag):
        raise ValueError(f"invalid image name {name!r}: must be [REGISTRY/]REPOSITORY:TAG, the repository in lower case")
    return path, tag


def familiar(path):
    """Without what Docker adds, as `docker save` and `docker load` write it."""
    return path.removeprefix("docker.io/").removeprefix("library/") if path.startswith("docker.io/") else path


def _split(name):
    path, colon, tag = name.rpartition(":")
    return (path, tag) if colon and "/" not in tag else (name, "latest")  # else the colon is that of a port


def _with_registry(path):
    first, slash, rest = path.partition("/")
    if not slash or not (set(".:") & set(first) or first == "localhost"):
        first, rest = "docker.io", path
    return f"{first}/library/{rest}" if first == "docker.io" and "/" not in rest else f"{first}/{rest}"
