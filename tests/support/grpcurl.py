# SPDX-License-Identifier: Apache-2.0
"""Calls the services with grpcurl."""

import json
import subprocess

from support import paths


def run(*arguments, data=None, security=("-plaintext",)):
    """The finished process of `grpcurl SECURITY ARGUMENTS`; `data` (a dict or text) goes to its input."""
    text = json.dumps(data) if isinstance(data, dict) else data
    options = [*security] + (["-d", "@"] if text is not None else [])
    return subprocess.run([paths.controlplane_binary("grpcurl"), *options, *map(str, arguments)], input=text or "", text=True,
                          capture_output=True, timeout=60, check=False)


def proto(name):
    """Arguments with the protocol, for services without reflection: "watcher", "applier"."""
    return "-import-path", str(paths.PROTO), "-proto", f"xebec/v1/{name}.proto"


def call(address, method, data, contract=()):
    """The answer, decoded. Fails with grpcurl's message."""
    done = run(*contract, address, f"xebec.v1.{method}", data=data)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
