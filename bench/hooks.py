# SPDX-License-Identifier: Apache-2.0
"""Operators that users declare: time, calls, CPU and memory with a hook in Go and in Python, in turns with
Metacontroller, and how little other kinds notice of hooks. `./dev bench --hooks`."""

import argparse
import json

from bench import burst, calm, disturbances, hook_report, restarts
from bench.converged import wait_converged
from bench.contenders import Xebec
from bench.figures import in_turn
from bench.hooked import declared
from bench.metacontroller import Metacontroller
from bench.report import PAGE, commit, save, write
from support.progress import say, step

SCENARIOS = ("latency", "loads", "slow", "hanging", "declarations")
# "built in" is the same kind without a hook.
CONTENDERS = (("built in", Xebec), ("go", declared("go")), ("python", declared("python")), ("metacontroller", Metacontroller))


def rotated(run):
    """Another contender is the first one in each run."""
    begin = (run - 1) % len(CONTENDERS)
    return CONTENDERS[begin:] + CONTENDERS[:begin]


class Bench:
    """`figures`: {"latency": {contender: [figures of a run]}, "loads": {count: {contender: [...]}}, "slow": {delay in
    ms: [...]}, "hanging", "declarations": [...]}."""

    def __init__(self, options):
        self.options = options
        self.figures = {"latency": {}, "loads": {count: {} for count in options.numbers}, "slow": {}, "hanging": [], "declarations": []}

    def latency(self, run):
        for name, make in rotated(run):
            with step(f"run {run}: latency at low load, {name}"):
                self.figures["latency"].setdefault(name, []).append(calm.measure(make, self.options.latency_parents, 0))

    def loads(self, run):
        for count in self.options.numbers:
            for name, make in rotated(run):
                with step(f"run {run}: {count:,} parents, {name}"):
                    figures = burst.measure(make, count, afterwards=self.afterwards(run, name, count))
                self.figures["loads"][count].setdefault(name, []).append(figures)
                say(f"    {figures['seconds']:.1f} s, {figures.get('calls per parent', 0):.2f} calls per parent")

    def afterwards(self, run, name, count):
        """What is measured once the parents have converged; idle parents once, and restarts of Xebec's services
        once."""
        def measure(cluster, contender):
            if name == "built in":
                return {}
            figures = {"calls per parent": contender.calls()[0] / count}
            if run == 1 and count == self.options.numbers[0]:
                figures["rest"] = idle(cluster, contender, self.options.idle_seconds)
                if name != "metacontroller":
                    figures["restarts"] = all_restarts(cluster, contender, count)
            return figures
        return measure

    def slow(self, run):
        count, delays = self.options.slow_parents, (0, self.options.delay_ms)
        for delay in in_turn(run, delays):
            with step(f"run {run}: {count:,} parents, each call of the hook takes {delay} ms"):
                figures = burst.measure(declared("go", delay), count, afterwards=self.afterwards(0, "go", count))
            self.figures["slow"].setdefault(delay, []).append(figures)
            say(f"    {figures['seconds']:.1f} s")

    def hanging(self, run):
        with step(f"run {run}: Irises beside parents of a hanging hook"):
            self.figures["hanging"].append(disturbances.hanging(self.options, run))

    def declarations(self, run):
        with step(f"run {run}: Irises while declarations come and go"):
            self.figures["declarations"].append(disturbances.declarations(self.options))

    def run(self):
        for run in range(1, self.options.runs + 1):
            for scenario in [self.options.only] if self.options.only else SCENARIOS:
                getattr(self, scenario)(run)
        return self.figures


def idle(cluster, contender, seconds):
    before = sum(contender.calls())
    requests = restarts.idle(cluster, contender, seconds)
    return requests | {"calls": sum(contender.calls()) - before}


def all_restarts(cluster, contender, count):
    watcher, gateway = contender.services.watcher, contender.gateway
    return {what: restarted(cluster, contender, count, *services) for what, services in
            (("watcher", [watcher]), ("gateway", [gateway]), ("both", [watcher, gateway]))}


def restarted(cluster, contender, count, *services):
    """Restarts these services: calls of the hook, answers from the cache, and writes."""
    calls, hits = (0, 0) if contender.gateway in services else contender.calls()
    mark = cluster.mark()
    contender.restart(*services)
    wait_converged(contender, count)
    calls_after, hits_after = contender.calls()
    return {"calls": calls_after - calls, "hits": hits_after - hits, "writes": restarts.writes_since(cluster, contender, mark)}


def added(figures, path):
    """With the scenarios of an earlier call that were not measured now."""
    with open(path, encoding="utf-8") as file:
        earlier = json.load(file)
    for name in ("loads", "slow"):
        earlier[name] = {int(number): runs for number, runs in earlier[name].items()}
    kept = {name: earlier[name] for name in SCENARIOS if not figures[name] or name == "loads" and not any(figures[name].values())}
    return figures | kept | {"commit": f"{earlier['commit']} and {figures['commit']}"}


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --hooks", description=__doc__)
    parser.add_argument("--counts", default="1000,5000", help="numbers of parents, comma-separated, ascending")
    parser.add_argument("--runs", type=int, default=2, help="how often each is measured")
    parser.add_argument("--idle-seconds", type=int, default=60, help="seconds during which calls for idle parents are counted")
    parser.add_argument("--latency-parents", type=int, default=200, help="parents created one by one for the latency")
    parser.add_argument("--slow-parents", type=int, default=10000, help="parents of a slow hook")
    parser.add_argument("--delay-ms", type=int, default=20, help="what each call of a slow hook takes")
    parser.add_argument("--hanging-parents", type=int, default=1000, help="parents of a hanging hook, and Irises beside them")
    parser.add_argument("--beside-parents", type=int, default=1000, help="Irises created one by one beside hanging hooks and beside declarations")
    parser.add_argument("--declarations", type=int, default=100, help="declarations that come and go")
    parser.add_argument("--only", choices=SCENARIOS, help="measures that alone and leaves the page as it is")
    parser.add_argument("--add", help="takes the scenarios that are not measured from the raw figures in this file, and writes the page")
    parser.add_argument("--output", help="write the raw figures there as JSON")
    parser.add_argument("--dry-run", action="store_true", help="leaves the page as it is")
    options = parser.parse_args()
    options.numbers = [int(count) for count in options.counts.split(",")]
    return options


def main():
    options, measured = arguments(), commit()
    figures = Bench(options).run() | {"commit": measured}
    if options.add:
        figures = added(figures, options.add)
    save(figures, options.output)
    text = hook_report.markdown(figures, options)
    say(text)
    if not (options.dry_run or options.only and not options.add):
        write(PAGE, text, "figures of hooks")


if __name__ == "__main__":
    main()
