# SPDX-License-Identifier: Apache-2.0
"""The methods of the gRPC services xebec.hooks.v1.HookService and grpc.health.v1.Health."""

from __future__ import annotations

import asyncio
from concurrent.futures import Executor
from typing import Any, AsyncIterator, Callable, Tuple

import grpc

from ._errors import MalformedRequestError, message_of, text_of
from ._pb import hook_pb2 as pb
from ._version import __version__

_SERVICE = "xebec.hooks.v1.HookService"
# The messages of grpc.health.v1 in their encoded form, because PyPI and Debian have different packages for them.
_HEALTH_REQUESTS = (b"", b"\x0a" + bytes([len(_SERVICE)]) + _SERVICE.encode())
_SERVING, _NOT_SERVING = b"\x08\x01", b"\x08\x02"


class Service:
    """The methods. All run on one event loop; handlers run on the threads of `pool`."""

    def __init__(self, answer: Callable[[Any], Any], pool: Executor, revision: str, workers: int) -> None:
        self._answer, self._pool, self._revision = answer, pool, revision
        self._calls_of_stream = 4 * workers
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """Reports NOT_SERVING, and ends streams when the requests that they have read are answered."""
        self._stopping.set()

    def handlers(self) -> Tuple[Any, ...]:
        """Returns the handlers for a server."""
        unary, stream = grpc.unary_unary_rpc_method_handler, grpc.stream_stream_rpc_method_handler
        methods = {
            "Describe": unary(self._describe, pb.DescribeRequest.FromString, pb.DescribeResponse.SerializeToString),
            "Sync": unary(self._sync, pb.SyncRequest.FromString, pb.SyncResponse.SerializeToString),
            "SyncStream": stream(
                self._sync_stream, pb.SyncStreamRequest.FromString, pb.SyncStreamResponse.SerializeToString
            ),
        }
        return (
            grpc.method_handlers_generic_handler(_SERVICE, methods),
            grpc.method_handlers_generic_handler("grpc.health.v1.Health", {"Check": unary(self._check)}),
        )

    async def _check(self, request: bytes, context: Any) -> bytes:
        if request not in _HEALTH_REQUESTS:
            await context.abort(grpc.StatusCode.NOT_FOUND, "unknown service")
        return _NOT_SERVING if self._stopping.is_set() else _SERVING

    async def _describe(self, request: Any, context: Any) -> Any:
        return pb.DescribeResponse(
            revision=self._revision,
            capabilities=[pb.CAPABILITY_SYNC_STREAM],
            library=f"xebec-operator-python/{__version__}",
        )

    async def _decide(self, request: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._answer, request)

    async def _sync(self, request: Any, context: Any) -> Any:
        try:
            return await self._decide(request)
        except MalformedRequestError as error:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, str(error))

    async def _answer_on_stream(self, message: Any) -> Any:
        """Returns the answer to one request. Its exceptions would end the stream, and with it the calls of other
        parents."""
        try:
            response = await self._decide(message.request)
        except MalformedRequestError as error:
            response = pb.SyncResponse(error=f"malformed request: {message_of(error)}")
        except Exception as error:
            response = pb.SyncResponse(error=text_of(error))
        return pb.SyncStreamResponse(call=message.call, response=response)

    async def _sync_stream(self, requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:
        """Answers requests as their handlers end. Reads no further request while many are unanswered."""
        answers: asyncio.Queue[Any] = asyncio.Queue()  # finished tasks; None after the last request
        may_read = asyncio.Semaphore(self._calls_of_stream)
        tasks: set[asyncio.Task[Any]] = set()
        ended = False

        async def read() -> None:
            async for message in requests:
                await may_read.acquire()
                if ended:
                    return
                task = asyncio.ensure_future(self._answer_on_stream(message))
                tasks.add(task)
                task.add_done_callback(answers.put_nowait)

        ends = [asyncio.ensure_future(read()), asyncio.ensure_future(self._stopping.wait())]
        for end in ends:
            end.add_done_callback(lambda _: answers.put_nowait(None))
        try:
            while tasks or not ended:
                task = await answers.get()
                if task is None:
                    ended = True
                    continue
                tasks.discard(task)
                may_read.release()
                yield task.result()
            if ends[0].done():
                ends[0].result()  # raises if the requests did not end well
        finally:
            for task in (*ends, *tasks):
                task.cancel()
