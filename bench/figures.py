# SPDX-License-Identifier: Apache-2.0
"""Medians, percentiles, ratios and their texts."""

from statistics import median


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def spread(values, digits=1, unit=""):
    """"median (least–most)" of the runs."""
    ordered = sorted(values)
    shown = [f"{value:,.{digits}f}" for value in (median(values), ordered[0], ordered[-1])]
    return f"{shown[0]}{unit} ({shown[1]}–{shown[2]})" if len(ordered) > 1 else f"{shown[0]}{unit}"


def ratios(ours, theirs):
    """The ratio of each run. Runs without the other's figure, or with 0 there, have none."""
    return [mine / other for mine, other in zip(ours, theirs) if other]


def in_turn(run, contenders):
    """In ascending order in odd runs, and in descending order in even runs: no place in the order favours a
    contender."""
    return contenders if run % 2 else contenders[::-1]


def table(head, rows):
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def reached(condition, value):
    return f"{'yes' if condition else '**no**'}: {value}"
