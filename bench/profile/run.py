# SPDX-License-Identifier: Apache-2.0
"""Where the time of new parents goes: CPU of the API server by kind of request, own CPU by function, memory by owner,
and the way of one parent through the services."""

import argparse
import os
import subprocess
import pathlib
import tempfile
import threading

from bench import audit_times
from bench.cluster import fresh
from bench.contenders import Xebec, controller_runtime
from bench.figures import table
from bench.profile import functions, memory, stacks, timeline
from support import paths
from support.progress import say, step

TOP, SLOWEST = 25, 6
# jemalloc prints its figures each time that the program has allocated so many bytes.
ALLOCATOR = "stats_interval:67108864,stats_interval_opts:gmdablxe"


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/profile-burst", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="number of parents")
    parser.add_argument("--contender", choices=("xebec", "peer"), default="xebec")
    parser.add_argument("--timeline-parents", type=int, default=100, help="parents created one by one for the timeline")
    parser.add_argument("--go", default="go", help="the Go whose pprof reads profiles")
    return parser.parse_args()


class ServerProfile(threading.Thread):
    """The CPU profile of the API server for so many seconds."""

    def __init__(self, cluster, seconds):
        super().__init__(daemon=True)
        self._kube, self._seconds, self.file = cluster.client(), seconds, cluster.folder.path / "apiserver.pprof"

    def run(self):
        connection = self._kube.connect(self._seconds + 60)
        connection.request("GET", f"/debug/pprof/profile?seconds={self._seconds}", headers=self._kube.headers())
        self.file.write_bytes(connection.getresponse().read())
        connection.close()

    def samples(self, go):
        traces = subprocess.run([go, "tool", "pprof", "-traces", self.file], capture_output=True, text=True, check=True)
        return stacks.samples(traces.stdout)


def show_server(samples):
    total = sum(seconds for seconds, _ in samples)
    for title, key in (("kind of request", stacks.kind), ("function", stacks.leaf)):
        rows = [[name, f"{seconds:.2f}", f"{seconds / total:.1%}"] for name, seconds in stacks.by(key, samples)[:TOP]]
        say(f"\nCPU of the API server by {title}, {total:.1f} s:\n\n" + table([title, "s", "share"], rows))


def show_functions(samples, names):
    for pid, name in names.items():
        own = [sample for sample in samples if sample.pid == pid]
        for title in ("library", "thread", "function"):
            rows = [[text, f"{share:.1%}"] for text, share in functions.most([getattr(sample, title) for sample in own], TOP)]
            say(f"\nCPU of {name} by {title}, {len(own) / functions.HERTZ:.1f} s:\n\n" + table([title, "share"], rows))


def show_memory(name, process):
    smaps, program = memory.read(process.pid)
    rows = [[who, f"{rss}", f"{pss}"] for who, (rss, pss) in sorted(memory.by_owner(smaps, program).items())]
    rows += [[f"… {library}", f"{rss}", f"{pss}"] for library, rss, pss in memory.libraries(smaps)]
    with open(process.log, encoding="utf-8", errors="replace") as file:
        rows += [[f"jemalloc, {key}", f"{size // 1024}", ""] for key, size in memory.allocator(file.read()).items()]
    threads = len(os.listdir(f"/proc/{process.pid}/task"))
    say(f"\nMemory of {name} by owner, kB, {threads} threads:\n\n" + table(["owner", "RSS", "PSS"], rows))


def burst(options, make):
    with fresh() as cluster:
        contender = make(cluster).start({"MALLOC_CONF": ALLOCATOR})
        processes = contender.processes()
        perf = functions.Perf(cluster.folder.path, [process.pid for process in processes.values()]) if functions.available() else None
        server = ServerProfile(cluster, max(12, options.count // 80))  # until the events are written, too
        server.start()
        with step(f"{options.count} parents"):
            cluster.load("parents", options.count)
            cluster.wait_quiet(0, lambda requests: len(audit_times.converged(requests, contender.users)) == options.count)
            server.join()
        show_server(server.samples(options.go))
        if perf:
            show_functions(perf.stop(), {process.pid: name for name, process in processes.items()})
        else:
            say("\nperf is not installed: no CPU by function")
        for name, process in processes.items():
            show_memory(name, process)
        contender.stop()


def one_by_one(count):
    library = paths.ROOT / "build" / os.environ["XEBEC_PRESET"] / "bench/libxebec-bench-trace.so"
    with fresh() as cluster, tempfile.TemporaryDirectory() as folder:
        xebec = Xebec(cluster).start({"LD_PRELOAD": str(library), "BENCH_TRACE": f"{folder}/trace"})
        cluster.load("latency", count, prefix="timeline")
        processes, addresses = xebec.processes(), xebec.services.addresses
        ports = {int(addresses[name].rpartition(":")[2]): name for name in ("planner", "applier")} | {cluster.controlplane.port: "API server"}
        records = []
        for name, process in processes.items():
            records += timeline.records(pathlib.Path(f"{folder}/trace.{process.pid}").read_text(encoding="ascii"), name, ports)
        rows, found = timeline.hops(records)
        say(f"\nThe way of one parent, medians of {found} creations and changes, µs:\n\n" +
            table(["hop", "since the hop before", "since the parent arrived", "threads"],
                  [[name, f"{step:.0f}", f"{total:.0f}", str(threads)] for name, step, total, threads in rows]))
        say(f"\nThe {SLOWEST} slowest of these, µs since the hop before:\n\n" +
            table(["hop", *map(str, range(1, SLOWEST + 1))],
                  [[name, *(f"{step:.0f}" for step in steps)] for (name, *_), steps in zip(timeline.HOPS, zip(*timeline.slowest(records, SLOWEST)))]))
        xebec.stop()


def main():
    options = arguments()
    burst(options, {"xebec": Xebec, "peer": controller_runtime}[options.contender])
    if options.contender == "xebec" and options.timeline_parents:
        one_by_one(options.timeline_parents)


if __name__ == "__main__":
    main()
