# SPDX-License-Identifier: Apache-2.0
"""The exceptions of the library."""

from __future__ import annotations

from datetime import timedelta
from typing import Optional, Union

_MAX_ERROR = 1000


class InvalidError(Exception):
    """Raise it in a handler if the spec of the parent is invalid.

    The message says what is wrong, where, and what to do. It has the same effect as `Observation.invalid`.
    """


class RetryError(Exception):
    """Raise it in a handler if it cannot decide now.

    Xebec writes no child, shows the message, and calls the hook again after a back-off, or after `after` (seconds or a
    timedelta). The time is from 1 s to 24 h. The limit replaces a time beyond it: a negative time means 1 s.
    """

    after: Optional[Union[float, timedelta]] = None

    def __init__(self, message: str, after: Optional[Union[float, timedelta]] = None) -> None:
        super().__init__(message)
        self.after = None if after is None else _within_limits(after)


class NonDeterministicError(AssertionError):
    """`Operator.test` raises it if a handler makes two different decisions for one observation."""


class MalformedRequestError(ValueError):
    """The request does not follow the contract. The caller gets INVALID_ARGUMENT."""


def _within_limits(after: Union[float, timedelta]) -> Union[float, timedelta]:
    if isinstance(after, timedelta):
        return min(max(timedelta(seconds=1), after), timedelta(hours=24))
    return min(max(1, after), 24 * 3600)  # NaN is not greater than 1


def utf8(text: str) -> str:
    """Returns the text with question marks for lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def message_of(error: BaseException) -> str:
    """Returns the message of an exception as an answer may contain it."""
    return utf8(str(error))[:_MAX_ERROR]


def text_of(error: BaseException) -> str:
    """Returns the type and the message of any exception as an answer may contain them. Does not raise."""
    name = type(error).__name__
    try:
        return utf8(f"{name}: {error}")[:_MAX_ERROR]
    except BaseException:  # of the exception's own __str__
        return f"{name}: no message"
