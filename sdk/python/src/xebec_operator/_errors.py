# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the library."""

from __future__ import annotations

from datetime import timedelta
from typing import Optional, Union


class InvalidError(Exception):
    """Raise it in a handler if the spec of the parent is invalid.

    The message says what is wrong, where, and what to do. It has the same effect as `Observation.invalid`.
    """


class RetryError(Exception):
    """Raise it in a handler if it cannot decide now.

    Xebec writes no child, shows the message, and calls the hook again after a back-off, or after `after` (seconds or a
    timedelta).
    """

    def __init__(self, message: str, after: Optional[Union[float, timedelta]] = None) -> None:
        super().__init__(message)
        self.after = after


class NonDeterministicError(AssertionError):
    """`Operator.test` raises it if a handler makes two different decisions for one observation."""


class MalformedRequestError(ValueError):
    """The request does not follow the contract. The caller gets INVALID_ARGUMENT."""
