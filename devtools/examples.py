# SPDX-License-Identifier: Apache-2.0
"""The objects in examples/*/*.yaml, and whether they have become ready."""

import time

from support import manifests, paths
from support.progress import say, step

# No registry has the images of these examples, so their Pods start on a simulated node only.
NOT_ON_A_REAL_NODE = {
    "database/database.yaml": "the image super-great-docker-image does not exist",
    "iris/iris.yaml": "the image of InterSystems IRIS 2020.4 is no longer published",
    "iris/irises.example.com.yaml": "the image of InterSystems IRIS 2020.4 is no longer published",
}


class Examples:
    def __init__(self, cluster):
        self._kube = cluster.kube
        self._plurals = {(crd["spec"]["group"], crd["spec"]["names"]["kind"]): crd["spec"]["names"]["plural"]
                         for crd in manifests.crds()}
        self.kinds = {kind for _, kind in self._plurals}
        skipped = NOT_ON_A_REAL_NODE if not cluster.is_local and paths.EXAMPLES == paths.ROOT / "examples" else {}
        self.files = [file for file in manifests.example_files() if name_of(file) not in skipped]
        self.skipped = sorted(skipped)
        self.documents = [document for file in self.files for document in manifests.read(file)]
        self.parents = [document for document in self.documents if self._resource(document)]

    def _resource(self, document):
        group = document["apiVersion"].partition("/")[0]
        plural = self._plurals.get((group, document["kind"]))
        return f"{plural}.{group}" if plural else None

    def apply(self):
        manifests.apply_all(self._kube, self.documents)
        say(f"  applied {len(self.documents)} objects from {len(self.files)} files in examples/")
        for name in self.skipped:
            say(f"  skipped examples/{name}: {NOT_ON_A_REAL_NODE[name]}")

    def not_ready(self):
        """{"irises.example.com default/sample": reason} of the parents that are not ready."""
        return {key: reason for key, reason in map(self._why_not_ready, self.parents) if reason}

    def _why_not_ready(self, document):
        name, ns = document["metadata"]["name"], document["metadata"].get("namespace", "default")
        key = f"{self._resource(document)} {ns}/{name}"
        item = self._kube.get(self._resource(document), name, ns)
        if item is None:
            return key, "was deleted"
        status = item.get("status", {})
        if status.get("observedGeneration") != item["metadata"]["generation"]:
            return key, "not reconciled yet"
        ready = manifests.condition(item, "Ready")
        if ready.get("status") != "True":
            return key, f"{ready.get('reason', 'no condition Ready')}: {ready.get('message', '')}"
        return key, None

    def wait_ready(self, seconds):
        """True when every parent is ready within `seconds`; otherwise prints why some are not."""
        waiting = {"the examples": ""}
        deadline = time.monotonic() + seconds

        def detail():
            return f"{len(self.parents) - len(waiting)} of {len(self.parents)} are ready; waiting for {next(iter(waiting), '')}"

        try:
            with step("wait until every example is ready", detail):
                while waiting := self.not_ready():
                    if time.monotonic() > deadline:
                        raise TimeoutError
                    time.sleep(0.1)
            return True
        except TimeoutError:
            for key, reason in waiting.items():
                say(f"    {key}: {reason}")
            return False


def name_of(file):
    return str(file.relative_to(paths.EXAMPLES))
