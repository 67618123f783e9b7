# SPDX-License-Identifier: Apache-2.0
"""The command lines in docker-compose.yml, run as processes. tests/e2e/test_compose.py runs the file with Docker."""

import re
import subprocess
import tempfile

import pytest
import yaml

from parents import IRIS, iris
from support import chart, hooks, manifests, paths
from support.processes import free_port
from support.services import Service, environment

FILE = paths.ROOT / "docker-compose.yml"
METRICS = {"planner": 8080, "watcher": 8081, "applier": 8082, "hooks": 8083}


@pytest.fixture(scope="module")
def compose_services():
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))["services"]


def interpolated(text, variables):
    return re.sub(r"\$\{(\w+):-([^}]*)\}", lambda match: variables.get(match[1]) or match[2], text)


def test_it_names_the_services_and_gives_them_nothing_that_they_need_not(compose_services):
    assert {name: service.get("profiles") for name, service in compose_services.items()} == {
        "planner": None, "applier": None, "watcher": None, "hooks": ["hooks"]}
    for service in compose_services.values():
        assert service["read_only"] and service["cap_drop"] == ["ALL"]
    assert "volumes" not in compose_services["planner"]
    for name in ("applier", "watcher"):
        assert {(volume["target"], volume.get("read_only", False)) for volume in compose_services[name]["volumes"]} == {
            ("/etc/xebec/kubeconfig", True), ("/run/xebec", False)}
    assert [volume["target"] for volume in compose_services["hooks"]["volumes"]] == ["/run/xebec"]


def test_other_users_of_the_machine_cannot_reach_applier_and_watcher(compose_services):
    """They have the rights of the caller's kubeconfig and no TLS."""
    for name in ("applier", "watcher", "hooks"):
        [listen] = [word for word in compose_services[name]["command"] if word.startswith("--listen=")]
        assert listen == f"--listen=unix:/run/xebec/{name}.sock"
    assert "WARNING" in FILE.read_text(encoding="utf-8")


def test_the_applier_may_write_what_the_charts_applier_may(compose_services):
    def allowed(variables):
        words = [interpolated(word, variables) for word in compose_services["applier"]["command"]]
        return {entry for word in words if word.startswith("--allow=") for entry in word[8:].split(",")}
    built_in = set(chart.config(chart.render({}), "applier")["allow"])
    assert allowed({}) == built_in | {"operators.xebec.dev"}
    assert allowed({"XEBEC_HOOKS_ALLOW": "operators.xebec.dev,pages.hooks.test"}) == built_in | {"operators.xebec.dev", "pages.hooks.test"}


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


@pytest.fixture
def composed(compose_services, shared_services, folder, cluster):
    """A function that starts services with the file's commands, flags and variables."""
    shared_services.stop()
    sockets = tempfile.TemporaryDirectory()  # its name is short, as that of a socket must be
    started = []

    def start(names, **variables):
        planner = f"127.0.0.1:{free_port()}"
        more = {"planner": ["--listen", planner], "watcher": ["--planner", planner]}
        for name in names:
            service = compose_services[name]

            def local(word):
                return interpolated(word, variables).replace("/etc/xebec/kubeconfig", str(cluster.kubeconfig)).replace("/run/xebec", sockets.name)
            command, env = map(local, service["command"][1:]), {key: local(value) for key, value in service.get("environment", {}).items()}
            metrics = f"127.0.0.1:{free_port()}"
            started.append(Service(name, folder, [*command, *more.get(name, []), "--metrics-listen", metrics], planner, metrics, f"compose-{name}").start(env=env))
        for service in started:
            service.wait_ready()
    yield start
    for service in reversed(started):
        service.stop()
    sockets.cleanup()
    shared_services.make_whole()


def test_the_commands_start_the_services(composed, here):
    composed(["planner", "applier", "watcher"])
    here.create(iris("composed"))
    here.is_ready(IRIS, "composed")


def test_the_profile_hooks_starts_a_gateway_for_operators(composed, here, kube, folder):
    manifests.install(kube, manifests.read(hooks.CRDS))
    composed(["hooks", "planner", "applier", "watcher"], XEBEC_HOOKS_GATEWAY="unix:/run/xebec/hooks.sock",
             XEBEC_HOOKS_ALLOW="operators.xebec.dev,pages.hooks.test")
    hook = hooks.Hook(folder, hooks.SCRIPTED, "composed-hook").start()
    try:
        kube.apply(hooks.operator("pages.hooks.test", hook.address))
        here.create(hooks.page("composed"))
        here.has_condition(hooks.PAGES, "composed", "Ready", "True", "Written")
    finally:
        here.delete(hooks.PAGES, "composed")
        hooks.remove_operators(kube)
        hook.stop()
