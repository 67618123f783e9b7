# SPDX-License-Identifier: Apache-2.0
"""The benchmark: how fast, with how many requests, how much memory and CPU Xebec takes Irises to rest, beside a bare loop
that sends exactly the same requests with the same watches open."""

import argparse
import contextlib
import json
import os
import subprocess
import time

from bench import audit_times
from support import paths
from support.cluster import start_cluster
from support.processes import RunFolder
from support.progress import say, step
from support.trio import Trio

# The controllers that a Deployment without Pods needs not; Xebec alone is measured.
CONTROLLERS = "namespace-controller,garbage-collector-controller,serviceaccount-controller"
QUIET_SECONDS = 5
NS = "default"


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--counts", default="1000,5000", help="numbers of parents, comma-separated")
    parser.add_argument("--rest-seconds", type=int, default=60, help="how long requests are counted at rest")
    parser.add_argument("--latency-parents", type=int, default=200, help="parents created one by one for the latency")
    parser.add_argument("--output", help="write the figures there as JSON")
    return parser.parse_args()


@contextlib.contextmanager
def cluster():
    folder = RunFolder("bench")
    try:
        yield folder, start_cluster(folder, controllers=CONTROLLERS)
    finally:
        folder.close()


def load(controlplane, mode, count, prefix="bench", in_flight=32, watches=()):
    command = [os.path.join(paths.ROOT, "build/release/bin/xebec-bench-load"), "--kubeconfig", str(controlplane.kubeconfig),
               "--mode", mode, "--count", str(count), "--prefix", prefix, "--in-flight", str(in_flight)]
    for uri in watches:
        command += ["--watch", uri]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


def usage(process):
    """(resident MB, CPU seconds) of a process."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6, (int(fields[11]) + int(fields[12])) / ticks


def usages(trio):
    return {service.name: usage(service.process) for service in trio.services}


def wait_quiet(controlplane, expected):
    """Waits until `expected` applier writes were answered and none followed for a while."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        size = controlplane.audit_file.stat().st_size
        time.sleep(QUIET_SECONDS)
        requests = audit_times.read(controlplane.audit_file)
        writes = [r for r in requests if r.user == audit_times.APPLIER and r.write]
        if len(writes) >= expected and time.time() - writes[-1].answered >= QUIET_SECONDS:
            return requests
        if controlplane.audit_file.stat().st_size == size and not writes:
            raise SystemExit("the applier writes nothing")
    raise SystemExit("not at rest after 600 s")


def check_converged(controlplane, count):
    kube = controlplane.client()
    irises = kube.list("irises.example.com", NS)
    if len(irises) != count or len(kube.list("deployments.apps", NS)) != count:
        raise SystemExit("not every Iris has its Deployment")
    behind = [i["metadata"]["name"] for i in irises if i.get("status", {}).get("observedGeneration") != i["metadata"]["generation"]]
    if behind:
        raise SystemExit(f"{len(behind)} Irises without a status, e.g. {behind[0]}")


def measure_xebec(count, rest_seconds):
    with cluster() as (folder, controlplane):
        trio = Trio(folder, {"watcher": controlplane.watcher_kubeconfig, "applier": controlplane.applier_kubeconfig}).start()
        wait_leading(trio)
        base = usages(trio)
        load(controlplane, "parents", count)
        requests = wait_quiet(controlplane, 2 * count)
        check_converged(controlplane, count)
        busy = usages(trio)
        figures = span(requests, count, {audit_times.APPLIER})
        figures["requests per parent"] = sum(r.user == audit_times.APPLIER for r in requests) / count
        figures["services"] = {name: {"base MB": round(base[name][0], 1), "MB": round(busy[name][0], 1),
                                      "kB per parent": round((busy[name][0] - base[name][0]) * 1000 / count, 2),
                                      "CPU s": round(busy[name][1] - base[name][1], 2)} for name in busy}
        figures["total MB"] = round(sum(mb for mb, _ in busy.values()), 1)
        figures["rest"] = at_rest(controlplane, rest_seconds)
        figures["watches"] = sorted({r.uri.partition("?")[0] for r in audit_watches(controlplane)})
        trio.stop()
        return figures


def audit_watches(controlplane):
    with open(controlplane.audit_file, "rb") as file:
        events = [json.loads(line) for line in file.read().split(b"\n")[:-1]]
    return [audit_times.Request(e) for e in events if e["verb"] == "watch" and e["user"].get("username") == "xebec-watcher"
            and e["stage"] == "ResponseStarted" and "leases" not in e["requestURI"]]


def at_rest(controlplane, seconds):
    mark = controlplane.audit_file.stat().st_size
    time.sleep(seconds)
    ours = [r for r in audit_times.read(controlplane.audit_file, mark)
            if r.user in ("xebec-watcher", "xebec-applier") and r.resource != "leases" and r.verb != "watch"]
    return {"seconds": seconds, "writes": sum(r.write for r in ours), "reads": sum(not r.write for r in ours)}


def span(requests, count, users):
    """From the first parent's creation to the last write."""
    parents = [r for r in requests if r.resource == "irises" and r.verb == "create"]
    writes = [r for r in requests if r.write and r.user in users | {audit_times.LOADER}]
    begin, end = min(r.received for r in parents), max(r.answered for r in writes)
    return {"parents": count, "seconds": round(end - begin, 2), "writes": len(writes),
            "writes per second": round(len(writes) / (end - begin), 1)}


def measure_bare(count, watches):
    with cluster() as (_, controlplane):
        load(controlplane, "bare", count, watches=watches)
        return span(audit_times.read(controlplane.audit_file), count, {audit_times.LOADER})


def wait_leading(trio):
    while trio.watcher.metric("leader_election_master_status") < 1 or trio.watcher.metric("xebec_applier_slots") < 1:
        time.sleep(0.1)
    time.sleep(1)


def measure_latency(parents):
    """From the answer to a parent's creation to the arrival of the first write for it, at the API server, unhurried."""
    with cluster() as (folder, controlplane):
        trio = Trio(folder, {"watcher": controlplane.watcher_kubeconfig, "applier": controlplane.applier_kubeconfig}).start()
        wait_leading(trio)
        kube = controlplane.client()
        for index in range(parents):
            kube.create({"apiVersion": "example.com/v1alpha1", "kind": "Iris", "metadata": {"name": f"calm-{index}", "namespace": NS},
                         "spec": {"deploymentName": f"calm-{index}", "replicas": 1}})
            time.sleep(0.05)
        requests = wait_quiet(controlplane, 2 * parents)
        trio.stop()
    created = {r.name or name_of(r): r.answered for r in requests if r.resource == "irises" and r.verb == "create"}
    first = {}
    for r in requests:
        if r.user == audit_times.APPLIER and r.resource == "deployments":
            first.setdefault(r.name, r.received)
    delays = [(first[name] - created[name]) * 1000 for name in created if name in first]
    return {"parents": len(delays), **{f"p{int(share * 100)} ms": round(audit_times.percentile(delays, share), 2)
                                        for share in (0.5, 0.9, 0.99)}}


def name_of(request):
    return request.uri.rpartition("/")[2]


def main():
    options = arguments()
    figures = {"machine": f"{os.cpu_count()} CPUs", "date": time.strftime("%Y-%m-%d"), "runs": []}
    with step("latency at low load"):
        figures["latency"] = measure_latency(options.latency_parents)
    say(json.dumps(figures["latency"]))
    for count in map(int, options.counts.split(",")):
        with step(f"Xebec, {count} parents"):
            xebec = measure_xebec(count, options.rest_seconds)
        with step(f"bare loop, {count} parents"):
            bare = measure_bare(count, xebec["watches"])
        xebec["watches"] = len(xebec["watches"])
        run = {"xebec": xebec, "bare": bare, "share": round(bare["seconds"] / xebec["seconds"], 3)}
        figures["runs"].append(run)
        say(json.dumps(run, indent=1))
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)


if __name__ == "__main__":
    main()
