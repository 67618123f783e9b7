# SPDX-License-Identifier: Apache-2.0
"""A simulated node: it sets the status of every Pod and volume claim as a kubelet, a scheduler and a provisioner would.

Unless told otherwise: Pods are bound at once, run and are Ready; Pods of Jobs succeed; deleted Pods are gone at once;
claims get a volume of the size asked for, and grow when asked to. It is part of the tests, never of the product.
"""

import concurrent.futures
import datetime
import heapq
import http.client
import itertools
import threading
import time

from support.kube import ApiError

NEVER = float("inf")
STORAGE_CLASS = "standard"
_ERRORS = (ApiError, OSError, http.client.HTTPException, ValueError)


class FakeNode:
    def __init__(self, kube, name="fake-node"):
        self.name = name
        self._kube = kube
        self._lock = threading.Lock()
        self._held = set()            # namespaces whose Pods do not start
        self._grace = {}              # namespace, or None for all -> seconds
        self._job_exit_codes = {}     # namespace -> exit code of Job Pods
        self._started = set()         # uids of Pods that were bound
        self._ending = set()          # uids of Pods whose end is decided
        self._addresses = itertools.count(2)
        self._timers, self._timer_changed = [], threading.Condition()
        self._pool = concurrent.futures.ThreadPoolExecutor(4, "fake-node")
        self._stopped = threading.Event()

    def start(self):
        self._register()
        for run in (self._run_timers, lambda: self._follow("pods", self._on_pod),
                    lambda: self._follow("persistentvolumeclaims", self._on_claim),
                    lambda: self._follow("persistentvolumes", self._on_volume)):
            threading.Thread(target=run, daemon=True).start()
        return self

    def stop(self):
        self._stopped.set()
        with self._timer_changed:
            self._timer_changed.notify()
        self._pool.shutdown(wait=False, cancel_futures=True)

    # ---- what a test can set -----------------------------------------------------------------------------------

    def hold(self, ns):
        """Pods of this namespace stay Pending until release()."""
        with self._lock:
            self._held.add(ns)

    def release(self, ns):
        with self._lock:
            self._held.discard(ns)
        for pod in self._kube.list("pods", ns):
            self._on_pod(pod)

    def set_grace(self, seconds, ns=None):
        """Sets the time that deleted Pods take to end; NEVER: the node is lost. Applies to later deletions."""
        with self._lock:
            self._grace[ns] = seconds

    def finish(self, ns, pod):
        """Ends a deleted Pod now, without its grace period."""
        self._kube.delete("pods", pod, ns, grace=0)

    def let_jobs_exit_with(self, code, ns):
        """Exit code of the Pods of Jobs that start from now on."""
        with self._lock:
            self._job_exit_codes[ns] = code

    def set_phase(self, ns, pod, phase, exit_code=0):
        """Running, Succeeded, Failed or Pending."""
        self._report(self._kube.get("pods", pod, ns), phase, ready=phase == "Running", exit_code=exit_code)

    def set_ready(self, ns, pod, ready):
        self._report(self._kube.get("pods", pod, ns), "Running", ready)

    def let_claims_grow(self, allowed):
        """Sets whether the storage class allows growth. The API server may need a moment to know it."""
        self._kube.patch("storageclasses.storage.k8s.io", STORAGE_CLASS, None, {"allowVolumeExpansion": allowed})

    # ---- Pods ---------------------------------------------------------------------------------------------------

    def _on_pod(self, pod):
        meta = pod["metadata"]
        with self._lock:
            if meta["uid"] in self._ending:
                return
            if "deletionTimestamp" in meta:
                self._ending.add(meta["uid"])
                grace = self._grace.get(meta["namespace"], self._grace.get(None, 0))
                if grace != NEVER:
                    self._after(grace, self._remove, pod)
                return
            if meta["uid"] in self._started or meta["namespace"] in self._held or pod.get("status", {}).get("phase") != "Pending":
                return
            self._started.add(meta["uid"])
        self._after(0, self._run, pod)

    def _run(self, pod):
        meta = pod["metadata"]
        if not pod["spec"].get("nodeName"):
            binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": meta["name"], "uid": meta["uid"]},
                       "target": {"kind": "Node", "name": self.name}}
            self._kube.request("POST", self._kube.path("pods", meta["namespace"], meta["name"], "binding"), body=binding)
        with self._lock:
            code = self._job_exit_codes.get(meta["namespace"], 0)
        if any(owner["kind"] == "Job" for owner in meta.get("ownerReferences", [])):
            self._report(pod, "Failed" if code else "Succeeded", ready=False, exit_code=code)
        else:
            self._report(pod, "Running", ready=True)

    def _report(self, pod, phase, ready, exit_code=0):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        if phase == "Running":
            state = {"running": {"startedAt": now}}
        elif phase == "Pending":
            state = {"waiting": {"reason": "ContainerCreating"}}
        else:
            state = {"terminated": {"exitCode": exit_code, "reason": "Error" if exit_code else "Completed",
                                    "startedAt": now, "finishedAt": now}}
        truth = {True: "True", False: "False"}
        conditions = {"PodScheduled": True, "Initialized": True, "ContainersReady": ready, "Ready": ready}
        address = pod.get("status", {}).get("podIP") or f"10.244.{(n := next(self._addresses)) // 256 % 256}.{n % 256}"
        status = {
            "phase": phase, "startTime": pod.get("status", {}).get("startTime", now), "hostIP": "127.0.0.1", "podIP": address,
            "podIPs": [{"ip": address}],
            "conditions": [{"type": kind, "status": truth[value], "lastTransitionTime": now} for kind, value in conditions.items()],
            "containerStatuses": [{"name": c["name"], "image": c.get("image", ""), "imageID": "", "ready": ready, "started": ready,
                                   "restartCount": 0, "state": state} for c in pod["spec"]["containers"]],
        }
        meta = pod["metadata"]
        self._kube.patch("pods", meta["name"], meta["namespace"], {"metadata": {"uid": meta["uid"]}, "status": status}, "status")

    def _remove(self, pod):
        meta = pod["metadata"]
        self._kube.delete("pods", meta["name"], meta["namespace"], grace=0, uid=meta["uid"])

    # ---- volumes --------------------------------------------------------------------------------------------------

    def _on_claim(self, claim):
        if "deletionTimestamp" not in claim["metadata"]:
            self._after(0, self._provide, claim)

    def _provide(self, claim):
        meta, wanted = claim["metadata"], claim["spec"]["resources"]["requests"]["storage"]
        volume = f"pv-{meta['uid']}"
        if not claim["spec"].get("volumeName"):
            reference = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": meta["namespace"], "name": meta["name"],
                         "uid": meta["uid"]}
            self._kube.create({
                "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume},
                "spec": {"capacity": {"storage": wanted}, "accessModes": claim["spec"]["accessModes"], "claimRef": reference,
                         "storageClassName": claim["spec"].get("storageClassName", ""), "volumeMode": "Filesystem",
                         "persistentVolumeReclaimPolicy": "Retain", "hostPath": {"path": f"/nonexistent/{volume}"}}})
        elif claim.get("status", {}).get("phase") == "Bound" and claim["status"].get("capacity", {}).get("storage") != wanted:
            self._kube.patch("persistentvolumes", claim["spec"]["volumeName"], None, {"spec": {"capacity": {"storage": wanted}}})
            self._kube.patch("persistentvolumeclaims", meta["name"], meta["namespace"],
                             {"status": {"capacity": {"storage": wanted}}}, "status")

    def _on_volume(self, volume):
        if volume.get("status", {}).get("phase") == "Released" and volume["metadata"]["name"].startswith("pv-"):
            self._after(0, self._kube.delete, "persistentvolumes", volume["metadata"]["name"])

    # ---- machinery ------------------------------------------------------------------------------------------------

    def _register(self):
        room = {"cpu": "1000", "memory": "1000Gi", "pods": "100000", "ephemeral-storage": "1000Gi"}
        self._kube.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name, "labels": {
            "kubernetes.io/hostname": self.name, "kubernetes.io/os": "linux"}}}, manager="fake-node")
        self._kube.patch("nodes", self.name, None, {"status": {
            "capacity": room, "allocatable": room,
            "conditions": [{"type": "Ready", "status": "True", "reason": "Pretended", "message": "a test's pretended node"}],
            "nodeInfo": {"kubeletVersion": "v1.36.2"}}}, "status")
        self._kube.apply({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "provisioner": "xebec.dev/pretended",
                          "metadata": {"name": STORAGE_CLASS,
                                       "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
                          "allowVolumeExpansion": True, "volumeBindingMode": "Immediate"}, manager="fake-node")

    def _follow(self, resource, handle):
        """Lists, then watches, until stopped; starts again after any failure."""
        while not self._stopped.is_set():
            try:
                objects, version = self._kube.list_with_version(resource)
                for item in objects:
                    handle(item)
                for event in self._kube.watch(resource, version):
                    if self._stopped.is_set():
                        return
                    if event["type"] in ("ADDED", "MODIFIED"):
                        handle(event["object"])
                    elif event["type"] == "ERROR":
                        break
            except _ERRORS:
                self._stopped.wait(0.2)

    def _after(self, seconds, act, *arguments):
        if seconds <= 0:
            self._submit(act, arguments)
            return
        with self._timer_changed:
            heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._addresses), act, arguments))
            self._timer_changed.notify()

    def _run_timers(self):
        with self._timer_changed:
            while not self._stopped.is_set():
                wait = self._timers[0][0] - time.monotonic() if self._timers else None
                if wait is None or wait > 0:
                    self._timer_changed.wait(wait)
                else:
                    _, _, act, arguments = heapq.heappop(self._timers)
                    self._submit(act, arguments)

    def _submit(self, act, arguments, attempt=0):
        def run():
            try:
                act(*arguments)
            except ApiError as error:  # gone or changed meanwhile: the next event says more
                if error.code >= 500 or error.code == 429:
                    self._again(act, arguments, attempt)
            except (OSError, http.client.HTTPException):
                self._again(act, arguments, attempt)
        if not self._stopped.is_set():
            try:
                self._pool.submit(run)
            except RuntimeError:  # stopped in between
                pass

    def _again(self, act, arguments, attempt):
        if attempt < 50:
            self._stopped.wait(0.2)
            self._submit(act, arguments, attempt + 1)
