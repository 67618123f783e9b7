# SPDX-License-Identifier: Apache-2.0
"""Watcher, planner and applier as three local processes."""

import contextlib
import http.client
import itertools
import json
import os
import re
import signal
import time

from support import paths
from support.eventually import FACTOR
from support.processes import free_port

STOPS_WITHIN = 10 * FACTOR  # seconds from SIGTERM to the end, as each service promises; a busy machine may take longer
_LOOPBACK = "127.0.0.1"
_stand_ins = itertools.count(1)


def arguments(service, addresses, kubeconfigs):
    """The command line of each service."""
    own = ["--listen", addresses[service], "--metrics-listen", addresses[f"{service} metrics"]]
    if service == "watcher":
        return ["--kubeconfig", kubeconfigs["watcher"], "--planner", addresses["planner"], "--applier", addresses["applier"], *own]
    if service == "applier":
        return ["--kubeconfig", kubeconfigs["applier"], *own]
    return own


def environment():
    """Our environment without the variables of ./dev, because the services reject unknown XEBEC_ variables."""
    return {key: value for key, value in os.environ.items() if key not in paths.VARIABLES}


class Service:
    """One service. It can be restarted any number of times and keeps its ports."""

    def __init__(self, name, folder, argv, address, metrics_address, log=None):
        self.name, self.address, self.metrics_address = name, address, metrics_address
        self._log = log or name
        self._folder, self._argv = folder, argv
        self.process = None

    def start(self, *more_arguments, env=None):
        self.process = self._folder.start(self._log, [paths.service_binary(f"xebec-{self.name}"), *self._argv, *more_arguments],
                                          environment() | (env or {}))
        return self

    def stop(self):
        """Sends SIGTERM and expects exit code 0 within the promised time."""
        stop_together([self])

    def kill(self):
        """kill -9."""
        self.process.kill()

    def restart(self):
        self.stop()
        self.start().wait_ready()

    def running(self):
        return self.process is not None and self.process.alive()

    def wait_ready(self, timeout=30):
        deadline = time.monotonic() + timeout * FACTOR
        while not self.ready():
            if not self.running():
                raise AssertionError(f"{self.name} ended with {self.process.exit_code()}:\n{self.process.last_lines()}")
            if time.monotonic() > deadline:
                raise AssertionError(f"{self.name} is not ready after {timeout * FACTOR:g} s:\n{self.fetch('/readyz')}\n"
                                     f"{self.process.last_lines()}")
            time.sleep(0.03)
        return self

    def ready(self):
        return self.fetch("/readyz")[0] == 200

    def fetch(self, path):
        """(HTTP status, text) of its HTTP listener; (0, reason) if it does not answer."""
        connection = http.client.HTTPConnection(self.metrics_address, timeout=5)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()
        except (OSError, http.client.HTTPException) as error:
            return 0, str(error)
        finally:
            connection.close()

    def metrics(self):
        """{"name{label=\\"value\\"}": number}, as Prometheus reads them."""
        return {match[1]: float(match[2]) for match in
                re.finditer(r"^([a-zA-Z_:][^ \n]*(?:\{[^\n]*\})?) (\S+)$", self.fetch("/metrics")[1], re.M)}

    def metric(self, name, **labels):
        """Sum of the series of that name that have these labels."""
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(value for series, value in self.metrics().items()
                   if series.partition("{")[0] == name and all(label in series for label in wanted))

    def log_records(self):
        """The decoded lines of its log. Lines that are not JSON appear as {"text": line}."""
        with open(self.process.log, encoding="utf-8", errors="replace") as file:
            return [decode_log_line(line) for line in file]


def decode_log_line(line):
    try:
        record = json.loads(line)
        return record if isinstance(record, dict) else {"text": line.rstrip()}
    except ValueError:
        return {"text": line.rstrip()}


def stop_together(services):
    """Sends SIGTERM to all at once and expects exit code 0 of each within the promised time."""
    begin = time.monotonic()
    for service in services:
        service.process.signal(signal.SIGTERM)
    codes = [service.process.end_within(max(0, begin + STOPS_WITHIN - time.monotonic())) for service in services]
    bad = [f"{service.name} " + (f"had to be killed {STOPS_WITHIN:g} s after SIGTERM" if code is None else f"ended with {code}") +
           f":\n{service.process.last_lines()}" for service, code in zip(services, codes) if code != 0]
    assert not bad, "\n".join(bad)


class Services:
    """`kubeconfigs`: {"watcher": path, "applier": path}; `more`: further flags by service; `label`: begins the names of
    its logs; `programs`: {"planner": "planner-test"}, what runs in place of a service's own program."""

    NAMES = ("planner", "applier", "watcher")  # in the order of starting

    def __init__(self, folder, kubeconfigs, more=None, label="", programs=None):
        self._folder, self._kubeconfigs, self._label, self._more, self._programs = folder, kubeconfigs, label, more or {}, programs or {}
        self.addresses = {name: f"{_LOOPBACK}:{free_port()}" for service in self.NAMES
                          for name in (service, f"{service} metrics")}
        for name in self.NAMES:
            argv = arguments(name, self.addresses, kubeconfigs) + self._more.get(name, [])
            setattr(self, name, Service(self._program(name), folder, argv, self.addresses[name], self.addresses[f"{name} metrics"], label + name))
        self.all = [getattr(self, name) for name in self.NAMES]

    def _program(self, name):
        return self._programs.get(name, name)

    def start(self):
        for service in self.all:
            service.start()
        for service in self.all:
            service.wait_ready()
        return self

    def stop(self):
        """Sends SIGTERM to each service, the watcher first."""
        with contextlib.ExitStack() as stack:  # whatever becomes of one, the next is asked
            for service in self.all:
                if service.running():
                    stack.callback(service.stop)

    @contextlib.contextmanager
    def stand_in(self, name, *more, kubeconfig=None, **addresses):
        """Replaces a service by one with another kubeconfig, more flags or other addresses of its peers, until the end
        of the context."""
        own = getattr(self, name)
        own.stop()
        argv = arguments(name, self.addresses | addresses, self._kubeconfigs | ({name: kubeconfig} if kubeconfig else {}))
        argv += self._more.get(name, []) + list(more)
        other = Service(self._program(name), self._folder, argv, self.addresses[name], self.addresses[f"{name} metrics"],
                        f"{self._label}{name}-instead-{next(_stand_ins)}").start()
        try:
            yield other
        finally:
            if other.running():
                other.stop()
            own.start().wait_ready()

    def another(self, name, log, kubeconfig=None, **addresses):
        """Another instance of the service with the same flags, its own ports and perhaps another kubeconfig or other
        addresses of its peers. It is not started."""
        mine = {key: f"{_LOOPBACK}:{free_port()}" for key in (name, f"{name} metrics")}
        kubeconfigs = self._kubeconfigs | ({name: kubeconfig} if kubeconfig else {})
        argv = arguments(name, self.addresses | mine | addresses, kubeconfigs) + self._more.get(name, [])
        return Service(self._program(name), self._folder, argv, *mine.values(), self._label + log)

    def make_whole(self):
        """Starts the services that a test has stopped."""
        for service in self.all:
            if not service.running():
                service.start()
        for service in self.all:
            service.wait_ready()
