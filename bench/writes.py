# SPDX-License-Identifier: Apache-2.0
"""How many requests the API server carries out best at a time: time and CPU of new parents, by the highest limit of the
applier on requests in flight. `./dev bench --writes`."""

import argparse
import functools

from bench import burst
from bench.contenders import Xebec
from bench.figures import in_turn, spread, table
from bench.report import commit, machine, runs, save
from support.progress import say, step

START = 32  # the default of --writes-start
COLUMNS = ("seconds", "CPU of the API server per parent ms", "own CPU per parent ms")


def measure(options):
    """{limit: [figures of a run]}"""
    figures = {limit: [] for limit in options.limits}
    for run in range(1, options.runs + 1):
        for limit in in_turn(run, options.limits):
            with step(f"run {run}: at most {limit} requests in flight"):
                figures[limit].append(burst.measure(functools.partial(Xebec, applier=limited(limit)), options.parents))
    return figures


def limited(limit):
    """The flags of the applier. Its limit begins at 32 and rises as long as the answers are quick."""
    return [f"--writes-start={min(limit, START)}", f"--writes-max={limit}"]


def markdown(figures, options):
    head = [f"at most so many requests in flight; {options.parents:,} new parents", "time until all are converged, s",
            "CPU of the API server for each parent, ms", "own CPU for each parent, ms"]
    rows = [[str(limit), *(spread([run[column] for run in measured], 2) for column in COLUMNS)] for limit, measured in figures.items()]
    return f"commit {commit()}, {machine()}; {runs(options.runs)}\n\n" + table(head, rows)


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench --writes", description=__doc__)
    parser.add_argument("--limits", default="4,8,16,32,64,256", help="values of the flag --writes-max of the applier, comma-separated")
    parser.add_argument("--parents", type=int, default=2000, help="parents that are created at once")
    parser.add_argument("--runs", type=int, default=3, help="how often each limit is measured")
    parser.add_argument("--output", help="write the raw figures there as JSON")
    options = parser.parse_args()
    options.limits = [int(limit) for limit in options.limits.split(",")]
    return options


def main():
    options = arguments()
    figures = measure(options)
    save(figures, options.output)
    say(markdown(figures, options))


if __name__ == "__main__":
    main()
