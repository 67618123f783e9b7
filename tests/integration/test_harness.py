# SPDX-License-Identifier: Apache-2.0
"""The helpers of the tests detect the failures that they exist for."""

import contextlib
import json
import subprocess
import sys
import time

import pytest

from support import processes, sanitizers, services
from support.audit import Accounts, AuditLog, Entry, is_read, violations
from support.eventually import eventually
from support.fake_node import NEVER
from support.kube import ApiError, Kube
from support.namespace import Namespace
from support.quiescence import requests, watched_again


def entry(user, verb, resource, group="", subresource="", ns="default", code=200, uri="/api", denied=False):
    return Entry(user, verb, group, resource, subresource, ns, "name", code, uri, "", denied)


@pytest.mark.parametrize("good", [
    entry("xebec-watcher", "watch", "deployments", "apps"),
    entry("xebec-watcher", "update", "leases", "coordination.k8s.io", ns="xebec-system"),
    entry("xebec-watcher", "get", "", uri="/apis/example.com/v1alpha1?timeout=5s"),
    entry("xebec-applier", "patch", "irises", "example.com", "status"),
    entry("xebec-applier", "update", "irises", "example.com", "status"),
    entry("xebec-applier", "create", "secrets"),
    entry("xebec-applier", "delete", "pods", code=404),
    entry("xebec-applier", "patch", "pods", code=403),  # by admission
    entry("somebody", "list", "secrets", code=403, denied=True),
])
def test_requests_within_the_rights_pass(good):
    assert violations([good]) == []


@pytest.mark.parametrize("bad", [
    entry("xebec-watcher", "patch", "deployments", "apps"),
    entry("xebec-watcher", "list", "secrets"),
    entry("xebec-watcher", "update", "leases", "coordination.k8s.io", ns="default"),
    entry("xebec-watcher", "get", "", uri="/metrics"),
    entry("xebec-applier", "list", "pods"),
    entry("xebec-applier", "watch", "pods"),
    entry("xebec-applier", "get", "secrets"),
    entry("xebec-applier", "patch", "secrets"),
    entry("xebec-applier", "update", "leases", "coordination.k8s.io", ns="xebec-system"),
    entry("xebec-applier", "patch", "deployments", "apps", "scale"),
    entry("xebec-applier", "update", "irises", "example.com"),
    entry("xebec-applier", "patch", "pods", code=403, denied=True),
])
def test_requests_beyond_the_rights_are_found(bad):
    assert len(violations([bad])) == 1


WATCH = "/api/v1/pods?watch=1&resourceVersion=7"


@pytest.mark.parametrize("verb,resource,uri,read", [
    ("get", "pods", "/api/v1/namespaces/n/pods/p", True), ("list", "pods", "/api/v1/pods", True), ("watch", "pods", WATCH, False),
    ("list", "leases", "/apis", False), ("patch", "pods", "/api", False)])
def test_gets_and_lists_of_objects_are_reads(verb, resource, uri, read):
    assert is_read(entry("xebec-watcher", verb, resource, uri=uri)) is read


def test_watches_that_are_begun_again_and_again_are_found():
    def begun(resource, times):
        return [entry("xebec-watcher", "watch", resource, uri=f"/api/v1/{resource}?watch=1&resourceVersion={n}") for n in range(times)]
    assert watched_again(begun("pods", 2) + begun("services", 2) + begun("leases", 9)) == []
    assert watched_again(begun("pods", 3) + begun("services", 2)) == begun("pods", 3)


class OnANode(AuditLog):
    accounts = Accounts("account:watcher", "account:applier")

    def since(self, mark, user=None):
        return [each for each in (entry("account:applier", "patch", "irises"), entry("account:watcher", "get", "irises"),
                                  entry("xebec-applier", "patch", "pods")) if each.user == user]


def test_requests_of_the_services_are_those_of_the_accounts_of_the_log():
    assert [each.user for each in requests(OnANode(""), 0)] == ["account:watcher", "account:applier"]


@pytest.fixture
def there(kube, node, request):
    """A namespace without the services."""
    name = f"harness-{abs(hash(request.node.name)) % 10**8}"
    kube.create_namespace(name)
    yield Namespace(kube, name)
    node.set_grace(0, name)
    kube.delete("namespaces", name)


@pytest.mark.expects_forbidden
def test_the_api_server_enforces_the_documented_permissions(cluster, kube, audit):
    mark = audit.mark()
    watcher, applier = Kube.from_kubeconfig(cluster.watcher_kubeconfig), Kube.from_kubeconfig(cluster.applier_kubeconfig)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    assert watcher.list("pods") is not None
    for attempt in (lambda: watcher.create(pod, "default"), lambda: watcher.list("secrets"), lambda: applier.list("pods"),
                    lambda: applier.get("secrets", "s", "default"), lambda: watcher.get("leases.coordination.k8s.io", "l", "default"),
                    lambda: applier.delete("irises.example.com", "x", "default")):
        with pytest.raises(ApiError) as refused:
            attempt()
        assert refused.value.code == 403
    assert len(violations(audit.since(mark))) == 6


def test_a_pod_runs_and_goes_with_the_grace_that_the_test_chose(there, node):
    there.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},
                  "spec": {"terminationGracePeriodSeconds": 30, "containers": [{"name": "c", "image": "i"}]}})
    there.becomes("pods", "p", lambda pod: pod["status"]["phase"] == "Running", "runs")
    node.set_grace(NEVER, there.name)
    there.delete("pods", "p")
    time.sleep(0.5)
    assert "deletionTimestamp" in there.get("pods", "p")["metadata"]
    node.finish(there.name, "p")
    there.is_gone("pods", "p")


def test_pods_of_jobs_end_with_the_code_that_the_test_chose(there, node):
    def job(name):
        there.create({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": {"backoffLimit": 0, "template": {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}})
    job("good")
    there.becomes("jobs.batch", "good", lambda item: item["status"].get("succeeded") == 1, "succeeds")
    node.let_jobs_exit_with(3, there.name)
    job("bad")
    there.becomes("jobs.batch", "bad", lambda item: item["status"].get("failed") == 1, "fails")


def test_claims_are_bound_and_grow(there):
    there.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"},
                  "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
    there.becomes("persistentvolumeclaims", "c", lambda item: item["status"]["phase"] == "Bound", "is bound")
    there.change("persistentvolumeclaims", "c", {"resources": {"requests": {"storage": "2Gi"}}})
    there.becomes("persistentvolumeclaims", "c", lambda item: item["status"]["capacity"]["storage"] == "2Gi", "has grown")


def test_a_killed_owner_leaves_no_process_behind(tmp_path):
    """kill -9 of whoever started a process ends the process."""
    script = ("import sys, time; from support.processes import Process; import pathlib\n"
              f"p = Process('sleeper', ['sleep', '600'], pathlib.Path({str(tmp_path)!r}) / 'log')\n"
              "print(p.pid, flush=True); time.sleep(600)")
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                             env={"PYTHONPATH": str(processes.paths.ROOT / "tests"), "PATH": "/usr/bin:/bin"})
    child = int(owner.stdout.readline())
    begun = processes.start_time(child)
    assert processes.is_running(child, begun)
    owner.kill()
    owner.wait()
    deadline = time.monotonic() + 10
    while processes.is_running(child, begun):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("on_sigterm,said", [("exit 0", None), ("exit 3", "slow ended with 3"), (":", "slow had to be killed")])
def test_a_service_that_does_not_end_well_and_soon_is_found(tmp_path, monkeypatch, on_sigterm, said):
    monkeypatch.setattr(services, "STOPS_WITHIN", 0.5 if on_sigterm == ":" else 60)
    service = services.Service("slow", None, [], "", "")
    service.process = processes.Process("slow", ["bash", "-c", f"trap '{on_sigterm}' TERM; echo set; while :; do sleep 0.1; done"], tmp_path / "log")
    eventually(lambda: "set" in service.process.last_lines(), what="it knows what to do")
    with pytest.raises(AssertionError, match=said) if said else contextlib.nullcontext():
        service.stop()
    assert not service.running()


def test_leftovers_are_ended_by_pid_and_start_time_only(tmp_path, monkeypatch):
    monkeypatch.setattr(processes.paths, "RUN", tmp_path)
    ours, other = (subprocess.Popen(["sleep", "600"]) for _ in range(2))
    try:
        left = tmp_path / "run-left"
        left.mkdir()
        (left / "processes").write_text(f"999999 1 owner\n{ours.pid} {processes.start_time(ours.pid)} etcd\n"
                                        f"{other.pid} {processes.start_time(other.pid) - 1} somebody-with-a-reused-pid\n")
        processes.sweep()
        assert ours.wait(10) == -9
        assert other.poll() is None
        assert not left.exists()
    finally:
        for process in (ours, other):
            process.kill()
            process.wait()


def test_a_folder_that_another_start_is_making_is_left_alone_whenever_it_gets_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr(processes.paths, "RUN", tmp_path)
    draft, final = tmp_path / ".run-new", tmp_path / "run-new"
    draft.mkdir()
    processes.sweep()
    assert draft.exists()

    def named_meanwhile(_):
        if draft.exists():
            draft.rename(final)
        return []
    monkeypatch.setattr(processes, "recorded", named_meanwhile)
    processes.sweep()
    assert final.exists()


def test_the_audit_log_counts_only_what_comes_after_the_mark(kube, audit):
    mark = audit.mark()
    kube.list("pods")
    assert [(e.verb, e.resource) for e in audit.since(mark, "admin") if e.resource == "pods" and e.verb == "list"]
    assert isinstance(audit, AuditLog)


@pytest.mark.parametrize("whole", [0, 1, 3])
def test_a_mark_set_while_the_server_writes_a_line_is_where_that_line_begins(tmp_path, whole):
    path = tmp_path / "audit.log"
    line = (json.dumps({"stage": "RequestReceived", "verb": "get", "padding": "x" * 100_000}) + "\n").encode()
    path.write_bytes(line * whole + line[:70_000])
    log = AuditLog(path)
    mark = log.mark()
    with open(path, "ab") as file:
        file.write(line[70_000:])
    assert mark == len(line) * whole
    assert log.since(mark) == []  # read as JSON, and not answered


@pytest.mark.parametrize("line", [
    "==77==ERROR: AddressSanitizer: heap-use-after-free on address 0x1", "==77==ERROR: LeakSanitizer: detected memory leaks",
    "WARNING: ThreadSanitizer: data race (pid=77)", "/x/planner/core/a.cc:7:3: runtime error: signed integer overflow"])
def test_what_a_sanitizer_says_is_found_in_the_logs(tmp_path, line):
    (tmp_path / "planner.log").write_text(f'{{"msg":"Serving"}}\n{line}\n{{"msg":"Ended"}}\n')
    (tmp_path / "watcher.log").write_text('{"msg":"a runtime error of somebody else"}\n')
    assert sanitizers.reports(tmp_path) == [f"planner.log: {line}"]
