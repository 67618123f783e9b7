# SPDX-License-Identifier: Apache-2.0
"""A faulty API server: a proxy on loopback that changes, delays or replaces requests and answers."""

import http.client
import http.server
import json
import select
import socket
import threading
import time

from support.kube import Kube
from support.processes import free_port

_FORWARDED = ("Content-Type", "Accept", "User-Agent")


class ApiProxy:
    """A proxy between one service and the API server. It uses the credentials of the service.

    Five rules, which tests may set at any time:
      before(method, path) -> None to let the request through, or (status, body) to answer it here; may block. It may
          also raise Cut: the connection is closed without an answer.
      onward(path) -> the path to ask the API server for instead.
      after(method, path, status, body) -> (status, body) to answer with; may raise Cut too.
      line(path, line) -> the lines to send instead of this line of a watch.
      clock() -> the time of the Date header, in seconds since the epoch.
    Paths come with their query. The path of a creation by POST contains the name of the new object, for before and
    after.
    """

    def __init__(self, kubeconfig, folder):
        self.before = lambda method, path: None
        self.onward = lambda path: path
        self.after = lambda method, path, status, body: (status, body)
        self.line = lambda path, line: [line]
        self.clock = time.time
        self._upstream = Kube.from_kubeconfig(kubeconfig)
        self._open = set()
        self.address = f"127.0.0.1:{free_port()}"
        self.kubeconfig = folder / f"proxy-{self.address.rpartition(':')[2]}.kubeconfig"
        write_kubeconfig(self.kubeconfig, f"http://{self.address}")

    def start(self):
        host, _, port = self.address.partition(":")
        handler = type("Handler", (_Handler,), {"proxy": self})
        self._server = _Server((host, int(port)), handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def stop(self):
        """Closes the port and every connection."""
        self._server.shutdown()
        self._server.server_close()
        for sock in list(self._open):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it was closed already

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def ask(self, method, path, headers, body):
        """(connection, response) of the API server."""
        connection = self._upstream.connect(600)
        connection.connect()
        self._open.add(connection.sock)
        connection.request(method, self.onward(path), body, headers | self._upstream.headers())
        return connection, connection.getresponse()


class Cut(Exception):
    """Close the connection now."""


def write_kubeconfig(path, server, user=None, cluster=None):
    """A kubeconfig; JSON is YAML."""
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "xebec",
        "clusters": [{"name": "xebec", "cluster": {"server": server, **(cluster or {})}}],
        "users": [{"name": "user", "user": user or {}}],
        "contexts": [{"name": "xebec", "context": {"cluster": "xebec", "user": "user"}}],
    }))


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        pass  # services end and tests cut connections as they like


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy = None

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.proxy._open.add(self.connection)

    def finish(self):
        self.proxy._open.discard(self.connection)
        super().finish()

    def log_message(self, *_):
        pass

    def date_time_string(self, timestamp=None):
        return super().date_time_string(self.proxy.clock() if timestamp is None else timestamp)

    def _path_of_object(self, body):
        if self.command != "POST":
            return self.path
        collection, mark, query = self.path.partition("?")
        return f"{collection}/{json.loads(body)['metadata'].get('name', '')}{mark}{query}"

    def _serve(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            path = self._path_of_object(body)
            ready = self.proxy.before(self.command, path)
            if ready is not None:
                return self._answer(*ready)
            headers = {key: self.headers[key] for key in _FORWARDED if self.headers[key]}
            connection, response = self.proxy.ask(self.command, self.path, headers, body)
        except Cut:
            self.close_connection = True
            return None
        try:
            if "watch=1" in self.path and response.status == 200:
                return self._stream(response)
            return self._answer(*self.proxy.after(self.command, path, response.status, response.read()), response.getheader("Retry-After"))
        except (Cut, OSError, http.client.HTTPException):
            self.close_connection = True
            return None
        finally:
            self.proxy._open.discard(connection.sock)
            connection.close()

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve

    def _answer(self, status, body, retry_after=None):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.end_headers()
        self.wfile.write(body)

    def _left(self):
        """True when the client no longer reads the watch, so that rules for lines do not count its lines."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def _stream(self, response):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while (line := response.readline()) and not self._left():
            for each in self.proxy.line(self.path, line):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(each), each))
        self.wfile.write(b"0\r\n\r\n")
