# SPDX-License-Identifier: Apache-2.0
"""An operator: its handlers, and what one call of a handler answers."""

from __future__ import annotations

import inspect
import logging
import os
from typing import Any, Callable, Dict, List, Optional, TypeVar, Union

from . import _codec, _testing
from ._errors import InvalidError, MalformedRequestError, RetryError, message_of, text_of
from ._observation import Observation
from ._pb import hook_pb2 as pb
from ._server import Server
from ._values import Decision, Phase

Handler = TypeVar("Handler", bound=Callable[[Observation], None])

_log = logging.getLogger("xebec_operator")


def _checked(handler: Any) -> Any:
    if not callable(handler):
        raise TypeError(f"invalid handler {handler!r}: must be a function with one argument")
    if inspect.iscoroutinefunction(handler) or inspect.isgeneratorfunction(handler):
        raise TypeError(f"invalid handler {handler.__qualname__}: must not be async or a generator")
    return handler


class Operator:
    """A program that decides what should exist for the objects of one kind.

    `name` is the name of the object of kind Operator that declares the program.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._handlers: Dict[Phase, Callable[[Observation], None]] = {}

    def sync(self, handler: Handler) -> Handler:
        """Registers the handler that decides what should exist for a parent. Use it as a decorator."""
        self._handlers[Phase.SYNC] = _checked(handler)
        return handler

    def finalize(self, handler: Handler) -> Handler:
        """Registers the handler for parents that are being deleted. Use it as a decorator.

        It decides in which order children are deleted, and sets the status. Without it, Xebec deletes all children in
        any order. Xebec calls it only if the Operator object has spec.finalizer.
        """
        self._handlers[Phase.FINALIZE] = _checked(handler)
        return handler

    def serve(
        self,
        listen: Optional[str] = None,
        *,
        tls_cert: Optional[str] = None,
        tls_key: Optional[str] = None,
        client_ca: Optional[str] = None,
        workers: int = 8,
        revision: Optional[str] = None,
        grace: float = 10.0,
    ) -> None:
        """Serves the hook until SIGTERM or SIGINT. Call it in the main thread.

        Args:
            listen: Address and port. Default: the environment variable XEBEC_HOOK_LISTEN, else "[::]:50051".
            tls_cert: A PEM file with the certificate chain. Default: XEBEC_HOOK_TLS_CERT, else no TLS. The server reads
                changed files again.
            tls_key: A PEM file with the private key. Default: XEBEC_HOOK_TLS_KEY.
            client_ca: A PEM file with the CAs of client certificates, which are then required. Default:
                XEBEC_HOOK_CLIENT_CA.
            workers: The number of threads that run handlers.
            revision: The revision of the program. When it changes, Xebec calls the hook again for every parent.
                Default: a digest of the program's Python sources.
            grace: Seconds after SIGTERM during which calls in progress may end. If a handler still runs then, `serve`
                ends the process.
        """
        if not logging.getLogger().handlers:
            logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._server(listen, tls_cert, tls_key, client_ca, workers, revision, grace).run()

    def start(
        self,
        listen: str = "127.0.0.1:0",
        *,
        tls_cert: Optional[str] = None,
        tls_key: Optional[str] = None,
        client_ca: Optional[str] = None,
        workers: int = 8,
        revision: Optional[str] = None,
        grace: float = 10.0,
    ) -> Server:
        """Serves the hook in a thread of its own, for tests and for programs with other tasks.

        The arguments are those of `serve`. Returns when the server accepts calls; `Server.port` is its port.
        """
        return self._server(listen, tls_cert, tls_key, client_ca, workers, revision, grace).start()

    def test(
        self,
        observation: Union[str, "os.PathLike[str]", Dict[str, Any], List[Dict[str, Any]]],
        **more: Any,
    ) -> Decision:
        """Calls the handler without a cluster and returns its decision. Exceptions of the handler pass through.

        Calls the handler twice and raises NonDeterministicError if the decisions differ.

        Args:
            observation: The parent; or a list of the parent and its children; or a dict with the members of `more` and
                `parent`; or the output of `xebec observation`; or the path of a JSON or YAML file with one of them.
            more: `children`, `related`: lists of objects. `last_outcomes`: list of Outcome. `configuration`: dict.
                `now`: datetime. `phase`: a Phase; default: FINALIZE if the parent has a deletionTimestamp.
        """
        request = _testing.request_of(self.name, observation, more)
        return _testing.decide_twice(self._decide, request)

    def _server(self, listen: Optional[str], cert: Any, key: Any, client_ca: Any, *more: Any) -> Server:
        if Phase.SYNC not in self._handlers:
            raise RuntimeError(f'the operator "{self.name}" has no handler: decorate a function with @sync')
        environment = os.environ.get
        return Server(
            self._answer,
            listen or environment("XEBEC_HOOK_LISTEN") or "[::]:50051",
            cert or environment("XEBEC_HOOK_TLS_CERT"),
            key or environment("XEBEC_HOOK_TLS_KEY"),
            client_ca or environment("XEBEC_HOOK_CLIENT_CA"),
            *more,
        )

    def _decide(self, request: Any) -> Decision:
        """Returns the decision for a SyncRequest. Exceptions of the handler pass through, except InvalidError."""
        observation = Observation(request)
        handler = self._handlers.get(observation.phase)
        if handler is None and observation.phase is Phase.SYNC:
            raise RuntimeError(f'the operator "{self.name}" has no handler: decorate a function with @sync')
        try:
            if handler is not None:
                handler(observation)
        except InvalidError as error:
            observation.invalid(str(error))
        return observation.decision

    def _answer(self, request: Any) -> Any:
        """Returns the SyncResponse to a SyncRequest. Raises MalformedRequestError only."""
        try:
            return self._decision_or_retry(request)
        except MalformedRequestError:
            raise
        except BaseException as error:  # of the handler: the threads of the pool get no cancellation and no signal
            _log.exception("Handler failed")
            return pb.SyncResponse(error=text_of(error))

    def _decision_or_retry(self, request: Any) -> Any:
        try:
            return _codec.answer(self._decide(request))
        except RetryError as error:
            response = pb.SyncResponse(error=message_of(error) or "RetryError")
            if error.after is not None:
                response.retry_after.FromNanoseconds(int(_codec.seconds(error.after) * 1e9))
            return response
