# SPDX-License-Identifier: Apache-2.0
"""PodSets with many Pods: what a change of one Pod costs, changes of all Pods at once, and a scale step. `./dev bench
--children`."""

import argparse
import concurrent.futures
import time

from bench import audit_times, procfs
from bench.cluster import NS, fresh
from bench.contenders import Xebec, usages
from bench.figures import spread, table
from bench.report import PAGE, commit, heading, save, write
from support.progress import say, step

POD_SETS, NAME = "podsets.app.example.com", "many"
WRITERS = 8
PAUSE = 0.25  # seconds after each change of all Pods, so that the next one finds an idle system
SINGLE_PAUSE = 1.1  # seconds after each change of one Pod: more than one repeated write per second counts as a write loop
IDLE_SECONDS = 20  # during which the CPU of idle services is measured


class PodSet:
    """One PodSet, and Pods whose readiness a stand-in for the kubelet reports."""

    def __init__(self, cluster, contender, pods):
        self._cluster, self._contender, self._kube, self.pods = cluster, contender, cluster.client(), pods

    def create(self):
        self._kube.create({"apiVersion": "app.example.com/v1alpha1", "kind": "PodSet", "metadata": {"name": NAME, "namespace": NS},
                           "spec": {"replicas": self.pods}})
        self._wait(lambda: len(self.names()) == self.pods)
        self.report_all(True)
        return self

    def names(self):
        return [pod["metadata"]["name"] for pod in self._kube.list("pods", NS)]

    def report(self, name, ready):
        """The kubelet's report about one Pod."""
        conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
        self._kube.patch("pods", name, NS, {"status": {"phase": "Running", "conditions": conditions}}, "status")

    def report_all(self, ready):
        with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
            list(pool.map(lambda name: self.report(name, ready), self.names()))
        self._wait(lambda: self.status()["readyReplicas"] == (self.pods if ready else 0))

    def status(self):
        return self._kube.get(POD_SETS, NAME, NS).get("status", {})

    def scale(self, replicas):
        self.pods = replicas
        self._kube.patch(POD_SETS, NAME, NS, {"spec": {"replicas": replicas}})
        self._wait(lambda: len(self.names()) == replicas)

    def _wait(self, done):
        while not done():
            time.sleep(0.02)
        while self._contender.waiting():
            time.sleep(0.02)
        time.sleep(PAUSE)


class Meter:
    """What work costs beyond the CPU of idle services."""

    def __init__(self, cluster, contender):
        self._cluster, self._contender, self._idle = cluster, contender, 0
        self._idle = self._cpu_during(lambda: time.sleep(IDLE_SECONDS)) / IDLE_SECONDS

    def _cpu_during(self, work):
        def cpu():
            return procfs.total(usages(self._contender).values()).cpu
        before, begin = cpu(), time.monotonic()
        work()
        return cpu() - before - self._idle * (time.monotonic() - begin)

    def used(self, work, times):
        """For each of `times`: own CPU in ms, plans, and requests."""
        watcher, mark = self._contender.services.watcher, self._cluster.mark()
        plans, cpu = watcher.metric("xebec_plans_total"), self._cpu_during(lambda: (work(), self._cluster.wait_quiet(mark)))
        requests = audit_times.asked(self._cluster.requests(mark), self._contender.users)
        return {"ms": cpu * 1000 / times, "plans": (watcher.metric("xebec_plans_total") - plans) / times, "requests": len(requests) / times}


def measure(pods, options):
    """{"one" | "all" | "scale": what Meter.used returns} with a PodSet of so many Pods."""
    with fresh() as cluster:
        contender = Xebec(cluster).start()
        pod_set = PodSet(cluster, contender, pods).create()
        meter = Meter(cluster, contender)
        figures = {"one": meter.used(lambda: one_by_one(pod_set, options.changes), options.changes),
                   "all": meter.used(lambda: all_at_once(pod_set, options.rounds), options.rounds * 2 * pods),
                   "scale": meter.used(lambda: steps(pod_set, options.rounds), options.rounds * 2)}
        contender.stop()
        return figures


def one_by_one(pod_set, changes):
    """One Pod becomes unready and ready again."""
    name = pod_set.names()[0]
    for change in range(changes):
        pod_set.report(name, bool(change % 2))
        time.sleep(SINGLE_PAUSE)


def all_at_once(pod_set, rounds):
    for _ in range(rounds):
        pod_set.report_all(False)
        pod_set.report_all(True)


def steps(pod_set, rounds):
    """Scales by one, there and back."""
    pods = pod_set.pods
    for _ in range(rounds):
        pod_set.scale(pods + 1)
        pod_set.scale(pods)


TITLES = {"one": "a change of one Pod", "all": "a change of each Pod at the same time", "scale": "a scale step by one Pod"}
COSTS = {"ms": ("own CPU, ms", 2), "plans": ("plans", 2), "requests": ("requests", 2)}


def markdown(figures):
    rows = [[f"{title}: {name}", *(spread([run[what][cost] for run in figures[pods]], digits) for pods in figures)]
            for what, title in TITLES.items() for cost, (name, digits) in COSTS.items()]
    return table(["PodSets of", *(f"{pods:,} Pods" for pods in figures)], rows)


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --children", description=__doc__)
    parser.add_argument("--counts", default="1,10,100", help="numbers of Pods, comma-separated")
    parser.add_argument("--changes", type=int, default=50, help="changes of one Pod, one after another")
    parser.add_argument("--rounds", type=int, default=10, help="how often all Pods change twice, and how often the PodSet is scaled there and back")
    parser.add_argument("--runs", type=int, default=2, help="how often each is measured")
    parser.add_argument("--output", help="write the raw figures there as JSON")
    parser.add_argument("--dry-run", action="store_true", help="leaves the page as it is")
    return parser.parse_args()


def main():
    options, measured = arguments(), commit()
    counts = [int(count) for count in options.counts.split(",")]
    figures = {count: [] for count in counts}
    for run in range(1, options.runs + 1):
        for count in counts:
            with step(f"run {run}: a PodSet of {count} Pods"):
                figures[count].append(measure(count, options))
    save(figures, options.output)
    text = heading(options.runs, measured) + "\n\n" + markdown(figures)
    say(text)
    if not options.dry_run:
        write(PAGE, text, "figures of children")


if __name__ == "__main__":
    main()
