# SPDX-License-Identifier: Apache-2.0
"""The scenarios of the benchmark: each function starts a control plane and the services, and returns figures."""

import collections
import contextlib
import json
import os
import re
import signal
import subprocess
import time

from bench import audit_times
from support import paths
from support.audit import is_read
from support.cluster import start_cluster
from support.processes import RunFolder, free_port
from support.services import Service, Services, arguments

# The controllers that a Deployment without Pods needs not; Xebec alone is measured.
CONTROLLERS = "namespace-controller,garbage-collector-controller,serviceaccount-controller"
QUIET_SECONDS, QUIET_BYTES = 3, 20_000
NS = "default"
LEASE = ("leases.coordination.k8s.io", "xebec-watcher-0", "xebec-system")


@contextlib.contextmanager
def cluster():
    folder = RunFolder("bench")
    try:
        yield folder, start_cluster(folder, controllers=CONTROLLERS)
    finally:
        folder.close()


def load(controlplane, mode, count, prefix="bench", in_flight=32, watches=(), ns=NS):
    command = [paths.service_binary("xebec-bench-load"), "--kubeconfig", str(controlplane.kubeconfig),
               "--mode", mode, "--count", str(count), "--prefix", prefix, "--in-flight", str(in_flight), "--namespace", ns]
    for uri in watches:
        command += ["--watch", uri]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


def usage(process):
    """Of a process: its resident set in MB (RSS); the same with each shared page divided by the number of its users, so that the
    sum over processes is what they really take (PSS); CPU seconds."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    with open(f"/proc/{process.pid}/smaps_rollup", encoding="ascii") as file:
        kilobytes = dict(re.findall(r"^(Rss|Pss):\s+(\d+) kB$", file.read(), re.M))
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return {"RSS MB": int(kilobytes["Rss"]) * 1024 / 1e6, "PSS MB": int(kilobytes["Pss"]) * 1024 / 1e6, "CPU s": seconds}


def usages(services):
    return {service.name: usage(service.process) for service in services.all}


def wait_quiet(controlplane, expected):
    """Waits until the audit log has stopped growing (Leases are renewed all the time, which is little); then the requests in it,
    at least `expected` writes of the applier among them, events aside. Looking at the size alone leaves the CPU to what is measured."""
    size, written, deadline = -1, 0, time.monotonic() + 600
    while time.monotonic() < deadline:
        time.sleep(QUIET_SECONDS)
        before, size = size, controlplane.audit_file.stat().st_size
        if before < 0 or size - before > QUIET_BYTES:
            continue
        requests = audit_times.read(controlplane.audit_file)
        written = sum(r.user == audit_times.APPLIER and r.write and r.resource != "events" for r in requests)
        if written >= expected:
            return requests
    raise SystemExit(f"not converged after 600 s: {written} of {expected} writes")


def check_converged(controlplane, count):
    kube = controlplane.client()
    irises = kube.list("irises.example.com", NS)
    if len(irises) != count or len(kube.list("deployments.apps", NS)) != count:
        raise SystemExit("not every Iris has its Deployment")
    behind = [i["metadata"]["name"] for i in irises if i.get("status", {}).get("observedGeneration") != i["metadata"]["generation"]]
    if behind:
        raise SystemExit(f"{len(behind)} Irises without a status, e.g. {behind[0]}")


def xebec(count, rest_seconds):
    """Creates `count` parents and waits until they have converged; then, unless `rest_seconds` is 0, measures idle parents and a restart."""
    with cluster() as (folder, controlplane):
        services = start_services(folder, controlplane)
        base = usages(services)
        load(controlplane, "parents", count)
        requests = wait_quiet(controlplane, 2 * count)
        check_converged(controlplane, count)
        busy = usages(services)
        figures = span(requests, {audit_times.APPLIER})
        # Its reads of the Lease are not for any parent: one in 5 s at most.
        figures["requests per parent"] = sum(r.user == audit_times.APPLIER and r.resource != "leases" for r in requests) / count
        figures["services"] = {name: growth(base[name], busy[name], count) for name in busy}
        figures["watches"] = sorted({r.uri.partition("?")[0]: r.uri for r in audit_watches(controlplane)}.values())
        if rest_seconds:
            figures["rest"] = at_rest(controlplane, rest_seconds)
            figures["restart"] = restart(controlplane, services)
            figures["crash"] = crash(controlplane, services)
            figures["failover"] = {end: failover(folder, controlplane, services, end) for end in ("kill", "stop")}
        services.stop()
        return figures


def growth(before, after, parents):
    return {"base PSS MB": before["PSS MB"], "PSS MB": after["PSS MB"], "base RSS MB": before["RSS MB"], "RSS MB": after["RSS MB"],
            "kB per parent": (after["PSS MB"] - before["PSS MB"]) * 1000 / parents,
            "CPU ms per parent": (after["CPU s"] - before["CPU s"]) * 1000 / parents}


def start_services(folder, controlplane):
    services = Services(folder, {"watcher": controlplane.watcher_kubeconfig, "applier": controlplane.applier_kubeconfig}).start()
    while services.watcher.metric("leader_election_master_status") < 1 or services.watcher.metric("xebec_applier_credits") < 1:
        time.sleep(0.1)
    time.sleep(1)
    return services


def restart(controlplane, services):
    """The watcher is asked to stop and started again, and a parent is created meanwhile: when is it served, and what else is asked?"""
    services.watcher.stop()
    return start_watcher(controlplane, services, "after-restart")


def crash(controlplane, services):
    """The same after `kill -9` of the only watcher, which is started again in its own instance, as the kubelet does in a Pod."""
    instance = "--lease-instance=bench"
    services.watcher.stop()
    services.watcher.start(instance).wait_ready()
    while services.watcher.metric("leader_election_master_status") < 1:
        time.sleep(0.1)
    services.watcher.kill()
    return start_watcher(controlplane, services, "after-crash", instance)


def start_watcher(controlplane, services, parent, *flags):
    """Starts the watcher and creates `parent`: the first write for it, and the requests that are not for it."""
    mark, begin = controlplane.audit_file.stat().st_size, time.time()
    services.watcher.start(*flags)
    create_iris(controlplane.client(), parent)
    wait_quiet(controlplane, 0)
    requests = audit_times.read(controlplane.audit_file, mark)
    first = min(r.received for r in requests if r.user == audit_times.APPLIER and r.resource == "deployments")
    others = [r for r in asked_by_us(requests) if parent not in r.uri and r.resource != "events" and r.verb != "list"]
    return {"first write s": first - begin, "writes": sum(r.write for r in others), "gets": sum(r.verb == "get" for r in others)}


def failover(folder, controlplane, services, end):
    """The leading watcher is killed or asked to stop (`end`: "kill" or "stop") beside another one, and a parent is created: when
    does the other lead, and write?"""
    addresses = services.addresses | {"watcher": f"127.0.0.1:{free_port()}", "watcher metrics": f"127.0.0.1:{free_port()}"}
    second = Service("watcher", folder, arguments("watcher", addresses, {"watcher": controlplane.watcher_kubeconfig}),
                     addresses["watcher"], addresses["watcher metrics"], f"watcher-{end}").start().wait_ready()
    time.sleep(2)
    mark, begin = controlplane.audit_file.stat().st_size, time.time()
    services.watcher.process.signal(signal.SIGKILL if end == "kill" else signal.SIGTERM)
    create_iris(controlplane.client(), f"after-{end}")
    while second.metric("leader_election_master_status") < 1:
        time.sleep(0.2)
    wait_quiet(controlplane, 0)
    requests = audit_times.read(controlplane.audit_file, mark)
    acquired = audit_times.seconds(controlplane.client().get(*LEASE)["spec"]["acquireTime"])
    second.stop()
    if end == "stop":
        services.watcher.stop()  # it has ended by now, and well
    services.watcher.start().wait_ready()
    return {"acquired s": acquired - begin,
            "first write s": min(r.received for r in requests if r.user == audit_times.APPLIER and r.resource == "deployments") - begin}


def create_iris(kube, name):
    kube.create({"apiVersion": "example.com/v1alpha1", "kind": "Iris", "metadata": {"name": name, "namespace": NS},
                 "spec": {"deploymentName": name, "replicas": 1}})


def audit_watches(controlplane):
    return [r for r in audit_times.read(controlplane.audit_file) if (r.user, r.verb) == (audit_times.WATCHER, "watch") and r.resource != "leases"]


def asked_by_us(requests):
    """Writes, and reads: a watch that begins with a list is one."""
    return [r for r in requests if r.user in (audit_times.WATCHER, audit_times.APPLIER) and r.resource and (r.write or is_read(r))]


def at_rest(controlplane, seconds):
    mark = controlplane.audit_file.stat().st_size
    time.sleep(seconds)
    ours = asked_by_us(audit_times.read(controlplane.audit_file, mark))
    return {"seconds": seconds, "writes": sum(r.write for r in ours), "reads": sum(not r.write for r in ours)}


def span(requests, users):
    """From the first parent's creation to the last write."""
    parents = [r for r in requests if r.resource == "irises" and r.verb == "create"]
    writes = [r for r in requests if r.write and r.user in users | {audit_times.LOADER}]
    seconds = max(r.answered for r in writes) - min(r.received for r in parents)
    return {"seconds": seconds, "writes": len(writes), "writes per second": len(writes) / seconds}


def bare(count, watches):
    """The same requests for each parent, sent by one process that neither watches nor remembers; the same watches are open."""
    with cluster() as (_, controlplane):
        load(controlplane, "bare", count, watches=watches)
        requests = audit_times.read(controlplane.audit_file)
    check_bare(requests, count)
    return span(requests, {audit_times.LOADER})


def check_bare(requests, count):
    """A loop that left something out, or failed, would be no measure: for each parent what Xebec sends, once and with success."""
    sent = collections.Counter((r.verb, r.resource, r.subresource) for r in requests if r.write and r.user == audit_times.LOADER and r.code < 300)
    wanted = dict.fromkeys([("create", "irises", ""), ("patch", "deployments", ""), ("patch", "irises", "status"), ("create", "events", "")], count)
    if any(sent[what] != number for what, number in wanted.items()):
        raise SystemExit(f"the bare loop sent {dict(sent)}, not {wanted}")


def latency(parents):
    """One parent at a time, at the API server: from the answer to its creation to the arrival of the first write for it; and the whole, from
    the arrival of its creation to the answer to that write."""
    with cluster() as (folder, controlplane):
        services = start_services(folder, controlplane)
        kube = controlplane.client()
        for index in range(parents):
            create_iris(kube, f"calm-{index}")
            time.sleep(0.05)
        requests = wait_quiet(controlplane, 2 * parents)
        services.stop()
    created = {r.name or r.uri.rpartition("/")[2]: r for r in requests if r.resource == "irises" and r.verb == "create"}
    first = {}
    for r in requests:
        if r.user == audit_times.APPLIER and r.resource == "deployments":
            first.setdefault(r.name, r)
    pairs = [(created[name], first[name]) for name in created if name in first]
    if len(pairs) != parents:
        raise SystemExit(f"{len(pairs)} of {parents} parents got a Deployment")
    between = [(write.received - parent.answered) * 1000 for parent, write in pairs]
    whole = [(write.answered - parent.received) * 1000 for parent, write in pairs]
    return {f"{name}p{int(share * 100)} ms": audit_times.percentile(delays, share)
            for name, delays in (("", between), ("whole ", whole)) for share in (0.5, 0.9, 0.99)}


def namespace_deletion(parents):
    """Two namespaces alike are deleted one after the other: beside Xebec at work, and after it was stopped."""
    with cluster() as (folder, controlplane):
        services = start_services(folder, controlplane)
        kube = controlplane.client()
        for ns in ("warm-up", "with", "without"):
            kube.create_namespace(ns)
        load(controlplane, "parents", parents, ns="with")
        load(controlplane, "parents", parents, ns="without")
        wait_quiet(controlplane, 4 * parents)
        delete_namespace(controlplane, "warm-up")  # what the namespace controller learns once
        beside, asked = delete_namespace(controlplane, "with")
        wait_quiet(controlplane, 0)
        services.stop()
        alone, _ = delete_namespace(controlplane, "without")
    return {"with Xebec s": beside, "without s": alone, "requests of Xebec": asked}


def delete_namespace(controlplane, ns):
    """(seconds from the request to the end of the namespace, requests of Xebec meanwhile)"""
    kube, mark = controlplane.client(), controlplane.audit_file.stat().st_size
    kube.delete("namespaces", ns)
    while kube.get("namespaces", ns) is not None:
        time.sleep(0.2)
    requests = audit_times.read(controlplane.audit_file, mark)
    begin = min(r.received for r in requests if r.verb == "delete" and (r.resource, r.name) == ("namespaces", ns))
    end = max(r.answered for r in requests if (r.resource, r.subresource, r.name) == ("namespaces", "finalize", ns))
    return end - begin, len(asked_by_us(requests))
