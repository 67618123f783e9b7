# SPDX-License-Identifier: Apache-2.0
"""A readable kubeconfig with wrong credentials: the service runs, is not ready, reports the reason, and recovers."""

import base64
import contextlib

import pytest

from parents import IRIS, iris
from support.api_proxy import ApiProxy, write_kubeconfig
from support.eventually import eventually
from support.pki import make_ca
from support.processes import free_port
from support.services import Service, arguments

CLIENTS = ["watcher", "applier"]


@pytest.fixture
def start(folder, services):
    """Starts a watcher or applier of its own with this kubeconfig."""
    started = []

    def start(name, kubeconfig):
        addresses = services.addresses | {key: f"127.0.0.1:{free_port()}" for key in (name, f"{name} metrics")}
        argv = arguments(name, addresses, {name: kubeconfig}) + ["--lease-prefix", "xebec-nobody-"]
        service = Service(name, folder, argv, addresses[name], addresses[f"{name} metrics"], f"{name}-bad-credentials-{free_port()}")
        started.append(service.start())
        return service
    yield start
    for service in started:
        assert service.running()
        service.stop()


def not_ready(service, *said):
    """Waits until /readyz says all of this."""
    def seen():
        status, text = service.fetch("/readyz")
        assert status == 500 and all(each in text for each in said), (status, text)
        return True
    eventually(seen, what=f"{service.name} says {said}")
    assert service.fetch("/livez")[0] == 200


def encoded(path):
    return base64.b64encode(path.read_bytes()).decode()


@pytest.mark.parametrize("name", CLIENTS)
def test_a_server_that_nobody_runs(start, tmp_path, name):
    write_kubeconfig(tmp_path / "k", "https://127.0.0.1:1")
    not_ready(start(name, tmp_path / "k"), "https://127.0.0.1:1", "connect")


@pytest.mark.parametrize("name", CLIENTS)
def test_a_server_that_is_no_kubernetes(start, tmp_path, name, services):
    write_kubeconfig(tmp_path / "k", f"http://{services.planner.metrics_address}")
    not_ready(start(name, tmp_path / "k"), "HTTP 404")


@pytest.mark.parametrize("name", CLIENTS)
def test_a_server_whose_certificate_another_ca_signed(start, tmp_path, name, cluster):
    make_ca(tmp_path)
    write_kubeconfig(tmp_path / "k", cluster.server, cluster={"certificate-authority-data": encoded(tmp_path / "ca.crt")})
    not_ready(start(name, tmp_path / "k"), cluster.server, "certificate")


@pytest.mark.parametrize("name", CLIENTS)
def test_a_token_that_the_server_does_not_know(start, tmp_path, name, cluster):
    write_kubeconfig(tmp_path / "k", cluster.server, {"token": "outdated"},
                     {"certificate-authority-data": encoded(cluster.dir / "pki/ca.crt")})
    not_ready(start(name, tmp_path / "k"), "401")


@pytest.mark.parametrize("name", CLIENTS)
def test_a_server_that_comes_later_is_found(here, services, cluster, folder, name):
    proxy = ApiProxy(getattr(cluster, f"{name}_kubeconfig"), folder.path)
    with contextlib.ExitStack() as last:
        with services.stand_in(name, kubeconfig=proxy.kubeconfig) as service:
            not_ready(service, proxy.address)
            last.enter_context(proxy)
            service.wait_ready()
            here.create(iris("sample"))
            here.is_ready(IRIS, "sample")
