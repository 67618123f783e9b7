# SPDX-License-Identifier: Apache-2.0
"""Write Kubernetes operators in Python.

An operator is a function that decides what should exist for one object, the parent. Xebec watches the parent and its
children, calls the function, and writes what the function decides::

    from xebec_operator import Operator

    op = Operator("websites.example.com")

    @op.sync
    def sync(o):
        o.ensure("v1", "ConfigMap", o.name, {"data": {"index.html": o.spec["text"]}})
        o.condition("Ready", True, reason="Written")

    if __name__ == "__main__":
        op.serve()

The function must depend on its argument only: equal observations must get equal decisions. It must not write to the
API server.
"""

from ._errors import InvalidError, NonDeterministicError, RetryError
from ._observation import Observation
from ._operator import Operator
from ._server import Server
from ._values import Child, Condition, Decision, Deletion, Event, Outcome, Phase
from ._version import __version__
from ._compare import covers

__all__ = [
    "Child",
    "Condition",
    "Decision",
    "Deletion",
    "Event",
    "InvalidError",
    "NonDeterministicError",
    "Observation",
    "Operator",
    "Outcome",
    "Phase",
    "RetryError",
    "Server",
    "__version__",
    "covers",
]
