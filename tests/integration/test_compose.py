# SPDX-License-Identifier: Apache-2.0
"""The command lines in docker-compose.yml, run as processes. tests/e2e/test_compose.py runs the file with Docker."""

import re
import subprocess
import tempfile

import pytest
import yaml

from parents import IRIS, iris
from support import chart, paths
from support.processes import free_port
from support.services import Service, environment

FILE = paths.ROOT / "docker-compose.yml"
METRICS = {"planner": 8080, "watcher": 8081, "applier": 8082}


@pytest.fixture(scope="module")
def compose_services():
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]


def test_it_names_the_three_services_and_gives_them_nothing_that_they_need_not(compose_services):
    assert set(compose_services) == {"planner", "applier", "watcher"}
    for service in compose_services.values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
    assert "volumes" not in compose_services["planner"]
    for name in ("applier", "watcher"):
        assert {(volume["target"], volume.get("read_only", False)) for volume in compose_services[name]["volumes"]} == {
            ("/etc/xebec/kubeconfig", True), ("/run/xebec", False)}


def test_other_users_of_the_machine_cannot_reach_applier_and_watcher(compose_services):
    """They have the rights of the caller's kubeconfig and no TLS."""
    for name in ("applier", "watcher"):
        [listen] = [word for word in compose_services[name]["command"] if word.startswith("--listen=")]
        assert listen == f"--listen=unix:/run/xebec/{name}.sock"
    assert "WARNING" in FILE.read_text(encoding="utf-8")


def test_the_applier_may_write_what_the_charts_applier_may(compose_services):
    allowed = {entry for word in compose_services["applier"]["command"] if word.startswith("--allow=") for entry in word[8:].split(",")}
    assert allowed == set(chart.config(chart.render({}), "applier")["allow"])


def test_the_image_is_the_one_that_dev_image_makes(compose_services):
    version = re.search(r"project\(xebec VERSION (\S+)", (paths.ROOT / "CMakeLists.txt").read_text())[1]
    assert {service["image"] for service in compose_services.values()} == {"${XEBEC_IMAGE:-xebec:" + version + "}"}


@pytest.mark.parametrize("name", METRICS)
def test_the_ports_are_those_that_the_file_tells(compose_services, name):
    printed = subprocess.run([binary(compose_services, name), "--print-config"], capture_output=True, text=True, env=environment(), check=True).stdout
    assert yaml.safe_load(printed)["metricsListen"] == f"127.0.0.1:{METRICS[name]}"
    assert f"{name} :{METRICS[name]}/metrics" in FILE.read_text()


def binary(compose_services, name):
    program = compose_services[name]["command"][0]
    assert program == f"/usr/bin/xebec-{name}"
    return paths.service_binary(program.rpartition("/")[2])


def test_the_commands_start_the_services(compose_services, here, shared_services, folder, cluster):
    shared_services.stop()
    sockets = tempfile.TemporaryDirectory()  # its name is short, as that of a socket must be
    started = []
    try:
        planner = f"127.0.0.1:{free_port()}"
        more = {"planner": ["--listen", planner], "applier": [], "watcher": ["--planner", planner]}
        for name in ("planner", "applier", "watcher"):
            command = [word.replace("/etc/xebec/kubeconfig", str(cluster.kubeconfig)).replace("/run/xebec", sockets.name)
                       for word in compose_services[name]["command"][1:]]
            metrics = f"127.0.0.1:{free_port()}"
            service = Service(name, folder, [*command, *more[name], "--metrics-listen", metrics], planner, metrics, f"compose-{name}")
            started.append(service.start())
        for service in started:
            service.wait_ready()
        here.create(iris("composed"))
        here.is_ready(IRIS, "composed")
    finally:
        for service in reversed(started):
            service.stop()
        sockets.cleanup()
        shared_services.make_whole()
