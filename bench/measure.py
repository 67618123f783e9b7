# SPDX-License-Identifier: Apache-2.0
"""The benchmark: how fast, with how many requests, how much memory and CPU Xebec makes Irises converge, in turns with
the same operator on controller-runtime and with a bare loop. Writes docs/performance.md and docs/comparison.md unless
told otherwise."""

import argparse
import time

from bench import burst, calm, namespaces, report, restarts, rollouts
from bench.contenders import Xebec, controller_runtime, kopf, untuned
from bench.figures import in_turn
from support.progress import duration, say, step

SCENARIOS = ("latency", "loads", "foreign", "namespace")
FAILOVERS = ("kill", "stop")
OTHERS = ("As the first flag, --watchers, --hooks, --children, --baseline FOLDER, --statuses or --writes selects another measurement. "
          "./dev help bench FLAG shows its flags.")


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__, epilog=OTHERS)
    parser.add_argument("--counts", default="1000,5000", help="numbers of parents, comma-separated, ascending")
    parser.add_argument("--runs", type=int, default=3, help="how often each is measured")
    parser.add_argument("--idle-seconds", type=int, default=60, help="seconds during which the requests of idle parents are counted")
    parser.add_argument("--latency-parents", type=int, default=200, help="parents created one by one for the latency")
    parser.add_argument("--updates", type=int, default=200, help="quick updates during which conflicts are counted")
    parser.add_argument("--foreign-pods", type=int, default=10000, help="Pods of others in the cluster for the memory")
    parser.add_argument("--namespace-parents", type=int, default=200, help="parents in a namespace that is deleted")
    parser.add_argument("--only", choices=SCENARIOS, help="measures that alone and leaves the pages as they are")
    parser.add_argument("--contenders", choices=("all", "both", "xebec", "peer"), default="all",
                        help="measures that one alone, or both without the bare loops, and leaves the pages as they are")
    parser.add_argument("--peers", choices=("", "kopf"), default="", help="measures this one, too, with the fewest parents")
    parser.add_argument("--output", help="write the raw figures there as JSON")
    parser.add_argument("--dry-run", action="store_true", help="leaves the pages as they are")
    return parser.parse_args()


class Bench:
    """`figures`: {"latency" | "foreign": {contender: [figures of a run]}, "loads": {count: {contender: [...]}},
    "namespace": [...]}."""

    def __init__(self, options):
        self.options, self.counts = options, [int(count) for count in options.counts.split(",")]
        self.figures = {"latency": {}, "loads": {count: {} for count in self.counts}, "foreign": {}, "namespace": [],
                        "foreign pods": options.foreign_pods, "namespace parents": options.namespace_parents}

    def rivals(self, run):
        """Xebec and the tuned peer, each first in every other run."""
        rivals = [(name, make) for name, make in (("xebec", Xebec), ("peer", controller_runtime)) if self.options.contenders in ("all", "both", name)]
        return in_turn(run, rivals)

    def record(self, where, name, title, function, *arguments):
        with step(f"{title}, {name}"):
            figures = function(*arguments)
        where.setdefault(name, []).append(figures)
        return figures

    def latency(self, run):
        for name, make in self.rivals(run):
            figures = self.record(self.figures["latency"], name, f"run {run}: latency at low load", calm.measure, make, self.options.latency_parents,
                                  self.options.updates)
            say(f"    {figures[calm.ROLLOUT]:.2f} writes of the status while a Deployment starts {rollouts.REPLICAS} Pods")

    def loads(self, run):
        for count in self.counts:
            where, title = self.figures["loads"][count], f"run {run}: {count:,} parents"
            for name, make in self.rivals(run):
                figures = self.record(where, name, title, burst.measure, make, count, 0, self.afterwards(run, name, count))
                say(f"    {figures['seconds']:.1f} s, own CPU {figures['own CPU s']:.1f} s, CPU of the API server {figures['CPU of the API server s']:.1f} s")
            if self.options.contenders == "all":
                self.yardsticks(run, count, where, title)

    def yardsticks(self, run, count, where, title):
        """The bare loop with our requests, in the first run and with few parents with cheaper ones, too; the peer as
        kubebuilder makes it."""
        watches = where["xebec"][-1]["watches"]
        self.record(where, "bare", title, burst.loop, "bare", count, watches)
        if run == 1 or count == self.counts[0]:
            for loop in ("cheapest", "numbers"):
                self.record(where, loop, title, burst.loop, loop, count, watches)
        if run == 1:
            self.record(where, "untuned", title, burst.measure, untuned, count)
        if self.options.peers and count == self.counts[0]:
            self.record(where, "kopf", title, burst.measure, kopf, count)

    def afterwards(self, run, name, count):
        """What is measured once the parents have converged."""
        def measure(cluster, contender):
            figures = {}
            if run == 1 and count == self.counts[0]:
                figures["rest"] = restarts.idle(cluster, contender, self.options.idle_seconds)
            if run == 1 and name == "xebec":
                figures["restart"] = restarts.restart(cluster, contender)
                figures["crash"] = restarts.crash(cluster, contender)
                figures["failover"] = {end: restarts.failover(cluster, contender, end) for end in FAILOVERS}
            if count == self.counts[0]:
                figures["kill all s"] = restarts.kill_all(cluster, contender)
            return figures
        return measure

    def foreign(self, run):
        """Memory hardly varies: one run."""
        pods = self.options.foreign_pods
        for name, make in self.rivals(run) if run == 1 else ():
            self.record(self.figures["foreign"], name, f"{self.counts[0]:,} parents beside {pods:,} Pods of others", burst.measure, make,
                        self.counts[0], pods)

    def namespace(self, run):
        if run == 1 and self.options.contenders != "peer":
            with step(f"namespace with {self.options.namespace_parents} parents deleted"):
                self.figures["namespace"].append(namespaces.measure(self.options.namespace_parents))

    def run(self):
        for run in range(1, self.options.runs + 1):
            for scenario in [self.options.only] if self.options.only else SCENARIOS:
                getattr(self, scenario)(run)
        return self.figures


def main():
    options, measured, begin = arguments(), report.commit(), time.monotonic()
    figures = Bench(options).run()
    say(f"measured in {duration(time.monotonic() - begin)}")
    report.save(figures, options.output)
    text = report.markdown(figures, options.runs, measured)
    say(text)
    if not (options.dry_run or options.only or options.contenders != "all"):
        report.write(report.PAGE, text)
        report.write(report.COMPARISON, report.comparison(figures, options.runs, measured))


if __name__ == "__main__":
    main()
