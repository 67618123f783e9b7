# SPDX-License-Identifier: Apache-2.0
"""The gRPC server of a hook."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, List, Optional, Tuple

import grpc
import grpc.aio

from ._codec import MAX_MESSAGE
from ._revision import revision_of_program
from ._service import Service

_log = logging.getLogger("xebec_operator")

_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    ("grpc.max_send_message_length", MAX_MESSAGE),
    ("grpc.so_reuseport", 0),
    # Clients may send pings on connections without calls.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 5000),
)


_LAST_MOMENT = 0.5  # seconds


def _ends(pool: ThreadPoolExecutor) -> bool:
    """Stops the threads. Returns False if one still runs a handler after a moment."""
    pool.shutdown(wait=False, cancel_futures=True)
    waiting = threading.Thread(target=pool.shutdown, daemon=True)
    waiting.start()
    waiting.join(_LAST_MOMENT)
    return not waiting.is_alive()


def _exit() -> None:
    """Ends the process without waiting for threads."""
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(0)


class _Files:
    """PEM files that are read again when they change. The server asks at every handshake, on its own threads."""

    def __init__(self, cert: str, key: str, client_ca: Optional[str]) -> None:
        self._paths = (cert, key, client_ca)
        self._stamp = self._stamps()
        self.initial = self._read()

    def changed(self) -> Any:
        """Returns the new configuration, or None if no file has changed or the new files cannot be used."""
        try:
            stamp = self._stamps()
            if stamp == self._stamp:
                return None
            configuration = self._read()
            self._stamp = stamp
            _log.info("Loaded changed certificates")
            return configuration
        except Exception:
            _log.exception("Kept the old certificates")
            return None

    def _stamps(self) -> List[Tuple[int, int]]:
        return [(os.stat(path).st_mtime_ns, os.stat(path).st_ino) for path in self._paths if path]

    def _read(self) -> Any:
        cert, key, client_ca = (open(path, "rb").read() if path else None for path in self._paths)
        return grpc.ssl_server_certificate_configuration([(key, cert)], root_certificates=client_ca)


class Server:
    """A server of one operator. `Operator.start` makes one that serves in a thread of its own.

    `port` is the port on which it accepts calls. A server is also a context manager that stops it at the end.
    """

    def __init__(
        self, answer: Callable[[Any], Any], listen: str, cert: Optional[str], key: Optional[str],
        client_ca: Optional[str], workers: int, revision: Optional[str], grace: float,
    ) -> None:  # fmt: skip
        """For the library: `answer` maps a SyncRequest to a SyncResponse."""
        if bool(cert) != bool(key) or (client_ca and not cert):
            raise ValueError("TLS needs both tls_cert and tls_key, and client_ca needs both of them")
        self.revision = revision or revision_of_program()
        self.port = 0
        self._answer, self._listen, self._workers, self._grace = answer, listen, workers, grace
        self._files = _Files(cert, key, client_ca) if cert and key else None
        self._client_ca = client_ca
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._stop: Optional[asyncio.Event] = None
        self._thread: Optional[threading.Thread] = None
        self._error: Optional[BaseException] = None
        self._still_runs = False

    def run(self) -> None:
        """Serves until SIGTERM or SIGINT. Raises RuntimeError if the address is in use.

        If a handler still runs after the grace period, ends the process: Python cannot end a thread, and would wait for
        it.
        """
        asyncio.run(self._serve(threading.Event(), signals=True))
        if self._still_runs:
            _exit()

    def start(self) -> Server:
        """Serves in a new thread. Returns when the server accepts calls."""
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run_in_thread, args=(ready,), name="xebec-hook", daemon=True)
        self._thread.start()
        ready.wait()
        if self._error is not None:
            raise self._error
        return self

    def stop(self) -> None:
        """Stops a server that `start` started: refuses new calls, and lets calls in progress end.

        Returns after the grace period even if a handler still runs. The process then ends only when this handler does.
        """
        if self._thread is not None and self._loop is not None and self._stop is not None:
            if self._thread.is_alive():
                self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.stop()

    def _run_in_thread(self, ready: threading.Event) -> None:
        try:
            asyncio.run(self._serve(ready, signals=False))
        except BaseException as error:
            self._error = error
        finally:
            ready.set()

    def _bind(self, server: Any) -> int:
        if self._files is None:
            port = server.add_insecure_port(self._listen)
        else:
            credentials = grpc.dynamic_ssl_server_credentials(
                self._files.initial, self._files.changed, require_client_authentication=bool(self._client_ca)
            )
            port = server.add_secure_port(self._listen, credentials)
        if port == 0:
            raise RuntimeError(f"cannot listen on {self._listen}")
        return int(port)

    async def _serve(self, ready: threading.Event, signals: bool) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        if signals:
            for number in (signal.SIGTERM, signal.SIGINT):
                self._loop.add_signal_handler(number, self._stop.set)
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="xebec-handler")
        try:
            await self._serve_with(pool, ready)
        finally:
            self._still_runs = not _ends(pool)
        if self._still_runs:
            _log.warning("Stopped while handlers still run")
        else:
            _log.info("Stopped")

    async def _serve_with(self, pool: ThreadPoolExecutor, ready: threading.Event) -> None:
        assert self._stop is not None
        service = Service(self._answer, pool, self.revision, self._workers)
        server = grpc.aio.server(options=_OPTIONS)
        server.add_generic_rpc_handlers(service.handlers())
        self.port = self._bind(server)
        await server.start()
        _log.info("Serving hook: listen=%s port=%d tls=%s revision=%s", self._listen, self.port, bool(self._files), self.revision)
        ready.set()
        await self._stop.wait()
        _log.info("Stopping")
        service.stop()
        await server.stop(self._grace)
