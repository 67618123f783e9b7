# SPDX-License-Identifier: Apache-2.0
"""Authentication methods that the kubeconfigs of the other tests do not use."""

import base64
import json

import pytest
import yaml

from parents import IRIS, iris

CREDENTIALS = {"token": "token", "client-certificate-data": "clientCertificateData", "client-key-data": "clientKeyData"}


def with_plugin(kubeconfig, folder):
    """A kubeconfig of the same user, whose credentials a program gives. Each run of it is a line in `runs`."""
    config = yaml.safe_load(kubeconfig.read_text())
    [user] = config["users"]
    given = {CREDENTIALS[key]: value if key == "token" else base64.b64decode(value).decode() for key, value in user["user"].items()}
    answer = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": given}
    (folder / "answer").write_text(json.dumps(answer))
    (folder / "login").write_text('#!/bin/sh\necho "$KUBERNETES_EXEC_INFO $1" >> "$(dirname "$0")/runs"\nexec cat "$(dirname "$0")/answer"\n')
    (folder / "login").chmod(0o700)
    user["user"] = {"exec": {"apiVersion": answer["apiVersion"], "command": "./login", "args": ["please"], "interactiveMode": "Never"}}
    (folder / "kubeconfig").write_text(json.dumps(config))
    return folder / "kubeconfig"


@pytest.mark.parametrize("name", ["watcher", "applier"])
def test_an_exec_plugin_is_asked_once_and_its_certificate_or_token_used(here, services, cluster, tmp_path, name):
    kubeconfig = with_plugin(getattr(cluster, f"{name}_kubeconfig"), tmp_path)
    with services.stand_in(name, kubeconfig=kubeconfig) as service:
        service.wait_ready()
        here.create(iris("sample"))
        here.is_ready(IRIS, "sample")
        [run] = (tmp_path / "runs").read_text().splitlines()
    information, _, argument = run.rpartition(" ")
    assert argument == "please"
    assert json.loads(information)["kind"] == "ExecCredential"
