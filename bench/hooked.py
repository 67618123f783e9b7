# SPDX-License-Identifier: Apache-2.0
"""Xebec with a gateway and a hook, as contenders of the benchmark."""

import time

from bench.contenders import INSTANCE, Xebec, wait_leading
from support import hooks, manifests, paths
from support.eventually import eventually
from support.processes import free_port
from support.services import Services

IRISES = "irises.example.com"
PYTHON_IRIS = paths.ROOT / "bench/programs/python-iris/iris.py"
# Of bench/programs, by language.
LANGUAGES = ("go", "python")
DEPLOYMENTS = {"group": "apps", "version": "v1", "resource": "deployments",
               "fields": ["spec", "status.readyReplicas", "status.replicas", "status.observedGeneration", "status.conditions"]}


class GoHook:
    """The program of bench/programs/go-iris."""

    def __init__(self, folder):
        self.address, self._folder, self.process = f"127.0.0.1:{free_port()}", folder, None

    def start(self, **env):
        self.process = self._folder.start("go-hook", [paths.bench_program("go-iris")], {"XEBEC_HOOK_LISTEN": self.address, **env})
        return self

    def stop(self):
        self.process.kill()


class Hooked(Xebec):
    """The three services, a gateway and the program of a hook, which takes `delay_ms` beside its work. `kinds`: the
    built-in kinds that are on."""

    def __init__(self, cluster, language="go", delay_ms=0, kinds=hooks.OPERATORS):
        kube, folder = cluster.client(), cluster.folder
        for rights in (hooks.RIGHTS, paths.ROOT / "bench/hooks-rbac.yaml"):
            manifests.apply_all(kube, manifests.read(rights))
        manifests.install(kube, manifests.read(hooks.CRDS))
        self._kube, self._delay = kube, {"HOOK_DELAY_MS": str(delay_ms)}
        self.hook = GoHook(folder) if language == "go" else hooks.Hook(folder, PYTHON_IRIS, "python-hook")
        self.gateway = hooks.gateway_of(folder)
        accounts = {name: cluster.account(f"xebec-{name}") for name in ("watcher", "applier")}
        self.services = Services(folder, accounts, more={"watcher": [*INSTANCE, "--kinds", kinds, "--hooks-gateway", self.gateway.address]})

    def launch(self, env=None):
        self.hook.start(**self._delay)
        self.gateway.start(env=env)
        super().launch(env)

    def processes(self):
        return super().processes() | {"gateway": self.gateway.process, "hook": self.hook.process}

    def declare(self, name, **spec):
        """Declares the hook for another parent than the Irises."""
        self._kube.apply(hooks.operator(name, self.hook.address, **spec))
        self.wait_declared(name)
        return self

    def wait_declared(self, name=IRISES):
        eventually(lambda: hooks.condition_of(self._kube, name)[:2] == ("True", "Running"), what=f"operator {name} runs")

    def calls(self):
        """What the gateway has counted since its start: calls that the hook got, and answers from the cache."""
        hits = self.gateway.metric("xebec_hook_cache_hits_total")
        return self.gateway.metric("xebec_hook_calls_total") - hits, hits

    def restart(self, *services):
        """Stops these services and starts them again."""
        for service in services:
            service.stop()
        for service in services:
            service.start().wait_ready()
        wait_leading(self.services.watcher)

    def stop(self):
        super().stop()
        self.gateway.stop()
        self.hook.stop()


class Declared(Hooked):
    """A hook in place of the built-in Iris."""

    def start(self, env=None):
        super().start(env)
        self._kube.apply(hooks.operator(IRISES, self.hook.address, parent={"group": "example.com", "version": "v1alpha1", "resource": "irises"},
                                        children=[DEPLOYMENTS]))
        self.wait_declared()
        time.sleep(1)
        return self


class Beside(Hooked):
    """The built-in Iris, and a hook for other kinds."""

    def __init__(self, cluster, language="go", delay_ms=0):
        super().__init__(cluster, language, delay_ms, kinds=IRISES)


def declared(language, delay_ms=0):
    """Makes the contender whose Irises are planned by a hook in that language."""
    return lambda cluster: Declared(cluster, language, delay_ms)
