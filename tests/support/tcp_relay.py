# SPDX-License-Identifier: Apache-2.0
"""A TCP relay on loopback whose connections a test can cut or slow down."""

import socket
import threading
import time

from support.processes import free_port


class TcpRelay:
    """Relays to an address while it is entered. Data for the address arrives `delay` seconds later, or up to twice as
    late."""

    def __init__(self, target, delay=0.0):
        host, _, port = target.rpartition(":")
        self.delay = delay
        self._target, self._pairs = (host, int(port)), []
        self.address = f"127.0.0.1:{free_port()}"

    def __enter__(self):
        self._listener = socket.create_server(("127.0.0.1", int(self.address.rpartition(":")[2])))
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def cut(self):
        """Breaks every connection. New connections are accepted at once."""
        pairs, self._pairs = self._pairs, []
        for sock in (sock for pair in pairs for sock in pair):
            _end(sock)

    def _accept(self):
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return  # closed
            try:
                far = socket.create_connection(self._target)
            except OSError:
                near.close()
                continue
            self._pairs.append((near, far))
            for source, sink, delay in ((near, far, lambda: self.delay), (far, near, lambda: 0.0)):
                threading.Thread(target=_pump, args=(source, sink, delay), daemon=True).start()


def _pump(source, sink, delay):
    try:
        while data := source.recv(1 << 16):
            time.sleep(delay())
            sink.sendall(data)
    except OSError:
        pass  # cut
    _end(source)
    _end(sink)


def _end(sock):
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it has ended before
