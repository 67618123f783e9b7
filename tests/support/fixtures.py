# SPDX-License-Identifier: Apache-2.0
"""Helpers that the conftest.py of the integration tests and the one of the e2e tests share."""

import itertools
import re
import shutil

from support.audit import violations
from support.namespace import Namespace

_numbers = itertools.count(1)


def new_namespace(request, kube):
    """Creates a namespace whose name contains the name of the test."""
    words = re.sub(r"[^a-z0-9]+", "-", request.node.originalname.removeprefix("test_").lower())
    name = f"{words[:40].strip('-')}-{next(_numbers)}"
    kube.create_namespace(name)
    return Namespace(kube, name)


def keep_logs(folder, target, skip=()):
    """Replaces the folder `target` by one with the logs of a run."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for log in folder.glob("*.log"):
        if log.name not in skip:
            shutil.copy(log, target)


def forbidden_requests(request, entries):
    """Requests in the audit log that a service has no right to make; a test marked `expects_forbidden` may provoke
    answers of 403."""
    return violations(entries, request.node.get_closest_marker("expects_forbidden") is not None)
