# SPDX-License-Identifier: Apache-2.0
"""The benchmark: how fast, with how many requests, how much memory and CPU Xebec takes Irises to rest, beside a bare loop
that sends exactly the same requests with the same watches open. Writes docs/performance.md unless told otherwise."""

import argparse
import json

from bench import report, scenarios
from support.progress import say, step


SCENARIOS = ("latency", "loads", "namespace")


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--counts", default="1000,5000", help="numbers of parents, comma-separated")
    parser.add_argument("--runs", type=int, default=3, help="how often each is measured")
    parser.add_argument("--rest-seconds", type=int, default=60, help="seconds during which the requests of idle parents are counted")
    parser.add_argument("--latency-parents", type=int, default=200, help="parents created one by one for the latency")
    parser.add_argument("--namespace-parents", type=int, default=200, help="parents in a namespace that is deleted")
    parser.add_argument("--only", choices=SCENARIOS, help="measures that alone and leaves docs/performance.md as it is")
    parser.add_argument("--output", help="write the raw figures there as JSON")
    parser.add_argument("--dry-run", action="store_true", help="leaves docs/performance.md as it is")
    return parser.parse_args()


def measure_pair(count, rest_seconds, title):
    """Xebec and the bare loop one after the other, so that both meet the machine in the same mood."""
    with step(f"Xebec, {title}"):
        xebec = scenarios.xebec(count, rest_seconds)
    with step(f"bare loop, {title}"):
        bare = scenarios.bare(count, xebec["watches"])
    pair = {"xebec": xebec, "bare": bare, "share": bare["seconds"] / xebec["seconds"]}
    say(f"  {xebec['seconds']:.1f} s beside {bare['seconds']:.1f} s: {pair['share']:.0%}")
    return pair


def measure(run, options, figures):
    """One run of each scenario that is wanted."""
    wanted = [options.only] if options.only else SCENARIOS
    if "latency" in wanted:
        with step(f"latency at low load, run {run}"):
            figures["latency"].append(scenarios.latency(options.latency_parents))
    for count in map(int, options.counts.split(",")) if "loads" in wanted else ():
        rest = options.rest_seconds if run == 1 else 0
        pair = measure_pair(count, rest, f"{count} parents, run {run}")
        figures["loads"].setdefault(count, []).append(pair)
    if "namespace" in wanted:
        with step(f"namespace with {options.namespace_parents} parents deleted, run {run}"):
            figures["namespace"].append(scenarios.namespace_deletion(options.namespace_parents))


def main():
    options, measured = arguments(), report.commit()
    figures = {"latency": [], "loads": {}, "namespace": [], "namespace parents": options.namespace_parents}
    for run in range(1, options.runs + 1):
        measure(run, options, figures)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)
    text = report.markdown(figures, options.runs, measured)
    say(text)
    if not options.dry_run and not options.only:
        report.write(text)


if __name__ == "__main__":
    main()
