# SPDX-License-Identifier: Apache-2.0
"""Metacontroller and a webhook, as a contender of the benchmark."""

import time
import urllib.request

from bench.contenders import Peer
from support import manifests, paths
from support.processes import free_port

FOLDER = paths.ROOT / "bench/peers/metacontroller"
# As the peer on controller-runtime.
TUNED = ("-workers=16", "-client-go-qps=1000", "-client-go-burst=2000")


class Metacontroller(Peer):
    """The programs of bench/peers/metacontroller: the webhook decides the same as the hook of
    bench/programs/go-iris."""

    def __init__(self, cluster):
        argv = [paths.peer("metacontroller"), *TUNED, f"-debug-addr=127.0.0.1:{free_port()}"]
        super().__init__(cluster, argv, ["irises", "deployments"])
        self._address, self._webhook = f"127.0.0.1:{free_port()}", None
        kube = cluster.client()
        manifests.install(kube, manifests.read(FOLDER / "crds.yaml"))
        manifests.apply_all(kube, manifests.read(FOLDER / "rbac.yaml"))
        [controller] = manifests.read(FOLDER / "controller.yaml")
        controller["spec"]["hooks"]["sync"]["webhook"]["url"] = f"http://{self._address}/sync"
        kube.apply(controller)

    def launch(self, env=None):
        self._webhook = self._cluster.folder.start("webhook", [paths.peer("metacontroller-webhook"), f"-listen={self._address}"], {})
        while not self._listens():
            time.sleep(0.1)
        super().launch(env)

    def _listens(self):
        if not self._webhook.alive():
            raise SystemExit(f"the webhook ended:\n{self._webhook.last_lines()}")
        try:
            return self.calls() is not None
        except OSError:
            return False

    def processes(self):
        return {"metacontroller": self._process, "hook": self._webhook}

    def calls(self):
        """Calls that the webhook got since its start; Metacontroller answers none from a cache."""
        with urllib.request.urlopen(f"http://{self._address}/calls", timeout=10) as answer:
            return int(answer.read()), 0

    def kill(self):
        super().kill()
        self._webhook.kill()

    def stop(self):
        super().stop()
        self._webhook.stop()
