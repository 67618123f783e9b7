# SPDX-License-Identifier: Apache-2.0
"""The chart installed on a node: its Pods, their metrics, and operations with Helm."""

import http.client
import os
import re
import signal

from support import chart, manifests, paths
from support.eventually import eventually

NAME, NS = "xebec", "xebec-system"
HTTP_PORTS = {"planner": 8080, "watcher": 8081, "applier": 8082}
COUNTERS = {"planner": "xebec_plans_total", "applier": "xebec_apply_plan_duration_seconds_count"}  # of what they have done


class Release:
    """`fullname` as the chart makes it of the release's name; `version`: Helm's."""

    def __init__(self, node, name=NAME, ns=NS, version=3):
        self.node, self.kube, self.name, self.ns, self._version = node, node.client(), name, ns, version
        self.fullname = name if NAME in name else f"{name}-{NAME}"

    # ---- Helm -----------------------------------------------------------------------------------------------

    def helm(self, command, *arguments, values=None):
        done = chart.helm(command, self.name, *arguments, "--namespace", self.ns, "--kubeconfig", self.node.kubeconfig, values=values,
                          version=self._version)
        assert done.returncode == 0, f"helm {command}: {done.stdout}{done.stderr}{self.state()}"
        return done.stdout

    def install(self, values=None, wait=True):
        self.helm("install", paths.CHART, "--create-namespace", values=values or {})
        if wait:
            self.wait_whole()

    def upgrade(self, values=None, preset=None):
        """Waits until the Pods are those of the new values; `preset`: a file of the chart's that they come on top
        of."""
        self.helm("upgrade", paths.CHART, "--reset-values", *(["-f", paths.CHART / preset] if preset else []), values=values or {})
        self.wait_whole()

    def roll_back(self):
        """Rolls back the last upgrade."""
        self.helm("rollback")
        self.wait_whole()

    def uninstall(self):
        self.helm("uninstall")
        eventually(lambda: not self.pods(), 60, what="the Pods of the release are gone")

    # ---- Pods -----------------------------------------------------------------------------------------------

    def pods(self, component=None):
        """The Pods that are not being deleted."""
        components = [component] if component else list(chart.COMPONENTS)
        listed = self.kube.list("pods", self.ns, selector=f"app.kubernetes.io/component in ({','.join(components)})")
        return [pod for pod in listed if "deletionTimestamp" not in pod["metadata"]]

    def every_pod(self, component):
        """The Pods, including those that are being deleted."""
        return self.kube.list("pods", self.ns, selector=f"app.kubernetes.io/component={component}")

    def lives(self):
        """{uid of the Pod: number of restarts of its container}"""
        return {pod["metadata"]["uid"]: pod["status"]["containerStatuses"][0]["restartCount"] for pod in self.pods()}

    def wait_whole(self, timeout=120):
        """Every Deployment has rolled out, and all its Pods are Ready."""
        def whole():
            for component in chart.COMPONENTS:
                deployment = self.kube.get("deployments.apps", f"{self.fullname}-{component}", self.ns)
                wanted, status = deployment["spec"]["replicas"], deployment.get("status", {})
                assert status.get("observedGeneration") == deployment["metadata"]["generation"], component
                counts = [status.get(key, 0) for key in ("replicas", "updatedReplicas", "readyReplicas")]
                assert counts == [wanted] * 3, f"{component}: {counts} of {wanted}"
            return True
        try:
            eventually(whole, timeout, every=0.2, what="the release is whole")
        except AssertionError as error:
            raise AssertionError(f"{error}{self.state()}") from None

    def scale(self, component, replicas):
        self.node.kubectl("scale", "deployment", f"{self.fullname}-{component}", f"--replicas={replicas}", "-n", self.ns)

    def delete(self, component):
        """Deletes a Pod as kubectl does. Returns when the new Pod is Ready and the old one is gone."""
        [pod] = self.pods(component)
        self.node.kubectl("delete", "pod", pod["metadata"]["name"], "-n", self.ns)
        self.wait_whole()

    def kill(self, component):
        """kill -9 of the process; returns when the Pod's container runs again."""
        [pod] = self.pods(component)
        self.kill_pod(pod, 60)
        self.wait_whole()

    def pid_of(self, pod):
        return self.node.pid_of(pod["metadata"]["uid"])

    def kill_pod(self, pod, timeout):
        """kill -9 of the process of one of several Pods; returns when its container runs again."""
        uid, before = pod["metadata"]["uid"], pod["status"]["containerStatuses"][0]["restartCount"]
        os.kill(self.pid_of(pod), signal.SIGKILL)
        eventually(lambda: self.lives()[uid] > before, timeout, what="the container is started again")

    def replace_pod(self, pod):
        """kill -9 of the process, and its Pod is deleted without grace; returns when another Pod is Ready in its
        place."""
        uid, component = pod["metadata"]["uid"], pod["metadata"]["labels"]["app.kubernetes.io/component"]
        wanted = len(self.pods(component))
        os.kill(self.pid_of(pod), signal.SIGKILL)
        self.node.kubectl("delete", "pod", pod["metadata"]["name"], "-n", self.ns, "--grace-period=0", "--force")

        def replaced():
            ready = {each["metadata"]["uid"] for each in self.pods(component) if manifests.condition(each, "Ready").get("status") == "True"}
            return uid not in ready and len(ready) == wanted
        eventually(replaced, 60, what="another Pod is Ready in its place")

    # ---- metrics --------------------------------------------------------------------------------------------

    def total(self, pod, family):
        """The sum of a counter's series in one Pod."""
        component = pod["metadata"]["labels"]["app.kubernetes.io/component"]
        connection = http.client.HTTPConnection(pod["status"]["podIP"], HTTP_PORTS[component], timeout=10)
        try:
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        finally:
            connection.close()
        return sum(float(value) for value in re.findall(rf"^{family}(?:\{{[^}}]*\}})? (\S+)", text, re.M))

    def totals(self, component, family):
        """{Pod's name: total}"""
        return {pod["metadata"]["name"]: self.total(pod, family) for pod in self.pods(component)}

    # ---- for failures ---------------------------------------------------------------------------------------

    def state(self):
        """The Pods, the latest events and the ends of logs, for failures."""
        kubectl = self.node.kubectl
        text = "\n" + kubectl("get", "pods", "-A", "-o", "wide", check=False)
        text += "\n".join(kubectl("get", "events", "-n", self.ns, "--sort-by=.lastTimestamp", check=False).splitlines()[-15:])
        for component in chart.COMPONENTS:
            text += f"\n--- {component}\n" + kubectl("logs", "-n", self.ns, "-l", f"app.kubernetes.io/component={component}", "--tail=15", check=False)
        return text


def ready(item):
    """True if the object is Ready with its current generation."""
    return (item.get("status", {}).get("observedGeneration") == item["metadata"]["generation"] and
            manifests.condition(item, "Ready").get("status") == "True")
