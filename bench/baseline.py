# SPDX-License-Identifier: Apache-2.0
"""What a change costs: the figures of this build beside those of another one, in turns, each on a fresh control plane.
`./dev bench --baseline FOLDER`."""

import argparse
import os
import pathlib
from unittest import mock

from bench import burst, calm
from bench.contenders import Xebec
from bench.figures import in_turn, median, ratios, spread, table
from bench.report import commit, machine, save
from support import manifests
from support.progress import say, step

COSTS = ("seconds", "own CPU s", "CPU of the API server s", "RSS MiB", "PSS MiB", "requests per parent")
LATENCIES = ("created p50 ms", "created p99 ms", "changed p50 ms", "changed p99 ms")


class Baseline(Xebec):
    """The three services of another build, with the rights that only they need."""

    def __init__(self, cluster, folder, rights):
        if rights:
            manifests.apply_all(cluster.client(), manifests.read(rights))
        super().__init__(cluster)
        self._folder = folder

    def launch(self, env=None):
        with mock.patch.dict(os.environ, {"XEBEC_BIN": self._folder}):
            super().launch(env)


def measure(options):
    """{"this build" | "baseline": [figures of a run]}; each is the first one in every other run."""
    builds = [("this build", Xebec), ("baseline", lambda cluster: Baseline(cluster, options.folder, options.rights))]
    figures = {name: [] for name, _ in builds}
    for run in range(1, options.runs + 1):
        for name, make in in_turn(run, builds):
            with step(f"run {run}: {name}"):
                costs = burst.measure(make, options.parents)
                figures[name].append({key: costs[key] for key in COSTS} | calm.measure(make, options.latency_parents, 0))
    return figures


def markdown(figures, options):
    def row(key):
        ours, theirs = ([run[key] for run in figures[name]] for name in ("this build", "baseline"))
        ratio = ratios(ours, theirs)
        return [key, spread(ours, 2), spread(theirs, 2), f"{median(ours) / median(theirs):.2f}", spread(ratio, 2)]
    head = [f"{options.parents:,} new parents, and {options.latency_parents} one by one", f"commit {commit()}", options.name, "ratio of the medians",
            "ratio of each run"]
    return f"{options.runs} runs: median (least–most); {machine()}\n\n" + table(head, [row(key) for key in COSTS + LATENCIES])


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --baseline", description=__doc__)
    parser.add_argument("folder", help="the programs of the other build: build/release/bin of another working tree")
    parser.add_argument("--rights", type=pathlib.Path, help="a manifest that grants the rights that only the other build needs")
    parser.add_argument("--name", default="baseline", help="what the table calls it")
    parser.add_argument("--runs", type=int, default=8, help="how often each build is measured")
    parser.add_argument("--parents", type=int, default=1000, help="parents that are created at once")
    parser.add_argument("--latency-parents", type=int, default=200, help="parents that are created one by one")
    parser.add_argument("--output", help="write the raw figures there as JSON")
    options = parser.parse_args()
    options.folder = str(pathlib.Path(options.folder).absolute())
    return options


def main():
    options = arguments()
    figures = measure(options)
    save(figures, options.output)
    say(markdown(figures, options))


if __name__ == "__main__":
    main()
