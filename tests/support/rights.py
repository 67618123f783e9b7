# SPDX-License-Identifier: Apache-2.0
"""Is every right that the chart grants used? Answered from the audit log of a whole run of the integration tests."""

import re

from support import chart
from support.audit import APPLIER, WATCHER

# Granted, but in no audit log.
ASKED_BY_ADMISSION = ("/finalizers", "update")  # OwnerReferencesPermissionEnforcement asks the authorizer for it, where it is on


def _lease(name):
    """The Leases of all members are one right: no run of the tests has 32 watchers."""
    return re.sub(r"-\d+$", "-N", name)


def used(entries):
    """{(user, group, resource, name, verb)} of the allowed requests; a name only for Leases that are read or changed,
    which are granted by name."""
    found = set()
    for entry in entries:
        if entry.denied or not entry.resource or entry.agent != entry.user:  # a test with a service's credentials
            continue
        resource = f"{entry.resource}/{entry.subresource}".rstrip("/")
        name = _lease(entry.name) if entry.resource == "leases" and entry.verb in ("get", "update") else ""
        found.add((entry.user, entry.group, resource, name, entry.verb))
        if (entry.verb, entry.code) == ("patch", 201):  # an apply of a new object: the API server requires both rights
            found.add((entry.user, entry.group, resource, name, "create"))
    return found


def granted():
    """The rights that the chart grants by default, in the same form."""
    rendered = chart.render({})
    return {(user, *grant._replace(name=_lease(grant.name)))
            for user in (WATCHER, APPLIER) for grants in chart.roles_of(rendered, user).values() for grant in grants}


def surplus(seen):
    """The rights that no request used, as messages."""
    def is_asked_for(grant):
        resource, verb = grant[2], grant[4]
        return grant in seen or (resource.endswith(ASKED_BY_ADMISSION[0]) and verb == ASKED_BY_ADMISSION[1])
    return [f"{user}: {verb} {resource}{'.' * bool(group)}{group} {name}".rstrip()
            for user, group, resource, name, verb in sorted(grant for grant in granted() if not is_asked_for(grant))]
