# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/performance.md from the figures of the benchmark."""

import datetime
import json
import os
import re
import subprocess

from bench import calm
from bench.figures import median, ratios, reached, spread, table
from bench.peer_table import cell, of, peer_table, speed_table
from support import paths

PAGE, COMPARISON = paths.ROOT / "docs/performance.md", paths.ROOT / "docs/comparison.md"
LEAST_SHARE = {1000: 80, 5000: 70}  # of the bare loop, in percent


def machine():
    with open("/proc/cpuinfo", encoding="ascii") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    with open("/proc/meminfo", encoding="ascii") as file:
        memory = int(re.search(r"MemTotal:\s*(\d+)", file.read())[1]) / 2**20
    return f"{os.cpu_count()} CPUs ({model[1] if model else 'unknown'}), {memory:.0f} GB"


def commit():
    def ask(*command):
        return subprocess.run(["git", "-C", paths.ROOT, *command], capture_output=True, text=True, check=False).stdout.strip()
    changed = ask("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")
    return ask("rev-parse", "--short", "HEAD") + (" with changes" if changed else "")


def save(figures, path):
    """Writes the raw figures as JSON, unless the path is None."""
    if not path:
        return
    with open(path, "w", encoding="utf-8") as file:
        json.dump(figures, file, indent=1)


def runs(count):
    return "one run" if count == 1 else f"{count} runs: median (least–most)"


def shares(contenders, loop):
    """The speed relative to the bare loop, in percent, of each run."""
    return [share * 100 for share in ratios(of(contenders, loop, "seconds"), of(contenders, "xebec", "seconds"))]


def wanted_table(figures):
    loads = figures["loads"]
    requests = max(median(of(who, "xebec", "requests per parent")) for who in loads.values())
    rows = [["at most 3 requests for each new parent, without its creation", reached(requests <= 3, f"{requests:.2f}")]]
    crashes = [run["first write s"] for who in loads.values() for run in of(who, "xebec", "crash")]
    if crashes:
        rows.append(["first write ≤ 1 s after `kill -9` of the only watcher and its restart", reached(max(crashes) <= 1, f"{max(crashes):.2f} s")])
    for count, least in LEAST_SHARE.items():
        if count in loads and shares(loads[count], "bare"):
            share = median(shares(loads[count], "bare"))
            rows.append([f"≥ {least} % of the bare loop at {count:,} parents", reached(share >= least, f"{share:.0f} %")])
    for key, most in (("p50 ms", 8), ("p99 ms", 25)) if figures["latency"] else ():
        value = median(of(figures["latency"], "xebec", key))
        rows.append([f"first write for a new parent after ≤ {most} ms ({key[:3]})", reached(value <= most, f"{value:.1f} ms")])
    return table(["wanted", "reached"], rows)


def loads_table(loads):
    def row(name, function):
        return [name, *(function(contenders) for contenders in loads.values())]

    def values(who, key, digits):
        return lambda contenders: cell(of(contenders, who, key), digits)

    def first(text, *keys):
        def show(contenders):
            found = of(contenders, "xebec", *keys)
            return text(found[0]) if found else "not measured"
        return show
    return table(["", *(f"{count:,} parents" for count in loads)], [
        row("Xebec until converged, s", values("xebec", "seconds", 1)),
        row("bare loop with the same requests, s", values("bare", "seconds", 1)),
        row("bare loop with the cheapest requests, s", values("cheapest", "seconds", 1)),
        row("… and a status of two numbers, s", values("numbers", "seconds", 1)),
        row("Xebec, speed relative to the bare loop, %", lambda contenders: cell(shares(contenders, "bare"), 0)),
        row("Xebec, speed relative to the cheapest loop, %", lambda contenders: cell(shares(contenders, "cheapest"), 0)),
        row("CPU of the API server per parent, Xebec, ms", values("xebec", "CPU of the API server per parent ms", 2)),
        row("… bare loop, ms", values("bare", "CPU of the API server per parent ms", 2)),
        row("… bare loop with the cheapest requests, ms", values("cheapest", "CPU of the API server per parent ms", 2)),
        row("… and a status of two numbers, ms", values("numbers", "CPU of the API server per parent ms", 2)),
        row("own CPU per parent, Xebec, ms", values("xebec", "own CPU per parent ms", 2)),
        row("… bare loop with the cheapest requests, with its creation, ms", values("cheapest", "own CPU per parent ms", 2)),
        row("… and a status of two numbers, with its creation, ms", values("numbers", "own CPU per parent ms", 2)),
        row("Xebec, writes per second (with the creation of the parents)", values("xebec", "writes per second", 0)),
        row("requests per parent, without its creation", values("xebec", "requests per parent", 2)),
        row("memory of the three services before the first parent (PSS), MiB", values("xebec", "base PSS MiB", 1)),
        row("when idle, without Leases (one run)", first(rest_text, "rest")),
        row("after a restart of the watcher (one run)", first(restart_text, "restart")),
        row("after `kill -9` and a restart of the only watcher (one run)", first(restart_text, "crash")),
        row("failover after `kill -9` of one of two watchers (one run)", first(failover_text, "failover", "kill")),
        row("failover after SIGTERM to one of two watchers (one run)", first(failover_text, "failover", "stop")),
    ])


def rest_text(rest):
    return f"{rest['writes']} writes, {rest['reads']} reads in {rest['seconds']} s"


def restart_text(again):
    return f"first write for a new parent after {again['first write s']:.2f} s; {again['writes']} other writes, {again['gets']} GETs"


def failover_text(times):
    return f"all buckets after {times['acquired s']:.2f} s, all writes after {times['last write s']:.2f} s"


def services_table(loads):
    keys = (("base PSS MiB", 1), ("PSS MiB", 1), ("base RSS MiB", 1), ("RSS MiB", 1), ("KiB per parent", 2), ("CPU ms per parent", 2))
    rows = [[f"{name}, {count:,} parents", *(cell(of(contenders, "xebec", "services", name, key), digits) for key, digits in keys)]
            for count, contenders in loads.items() for name in contenders["xebec"][0]["services"]]
    return table(["service", *(key for key, _ in keys)], rows)


def each_key(runs_of_one, keys, digits=1):
    """A table with one column for each figure of a scenario."""
    return table(list(keys), [[spread([run[key] for run in runs_of_one], digits) for key in keys]])


def latency_section(latency):
    keys = [f"{name}{share} ms" for name in ("", "whole ") for share in ("p50", "p90", "p99")]
    return ["Latency at low load, from the answer to the creation of a parent until the first write for it arrives at the API server.\n"
            "*whole*: from the arrival of the creation until the answer to that write.", each_key(latency["xebec"], keys)]


def hops_section(latency):
    rows = [[f"{who}, {kind}", *(cell(of(latency, name, f"{kind}: {hop} {share} ms"), 1) for hop in calm.HOPS for share in ("p50", "p90", "p99"))]
            for kind in calm.KINDS for who, name in (("Xebec", "xebec"), ("peer", "peer")) if name in latency]
    return ["A parent that is created or changed at low load, ms. *Before*: from the answer to the user until the write of the child\n"
            "arrives at the API server. *Write*: until the API server has answered it.",
            table(["", *(f"{hop} {share}" for hop in calm.HOPS for share in ("p50", "p90", "p99"))], rows)]


def namespace_section(figures):
    return [f"Deletion of a namespace with {figures['namespace parents']} Irises and their Deployments, from the request until the namespace is gone, "
            "with\nand without Xebec running (one run):", each_key(figures["namespace"], figures["namespace"][0])]


def heading(count, measured):
    """`measured`: the commit."""
    return f"{datetime.date.today()}, commit {measured}, {machine()}; {runs(count)}."


def markdown(figures, count, measured):
    """The sections of the page."""
    parts = [heading(count, measured), peer_table(figures)]
    loads = {number: contenders for number, contenders in figures["loads"].items() if "xebec" in contenders}
    if loads:
        parts += ["Xebec and the bare loops:", wanted_table(figures | {"loads": loads}), loads_table(loads)]
    if "xebec" in figures["latency"]:
        parts += latency_section(figures["latency"]) + hops_section(figures["latency"])
    if figures["namespace"]:
        parts += namespace_section(figures)
    if loads:
        parts += ["Each service:", services_table(loads)]
    return "\n\n".join(parts)


def comparison(figures, count, measured):
    """The section of docs/comparison.md."""
    return f"{heading(count, measured)}\n\n{speed_table(figures)}"


def write(page, text, mark="figures"):
    """Replaces what the page has between `<!-- mark -->` and the next `<!-- end -->`."""
    whole = page.read_text(encoding="utf-8")
    marked = re.compile(rf"(<!-- {mark} -->\n).*?(<!-- end -->)", re.S)
    written, places = marked.subn(lambda m: f"{m[1]}{text}\n{m[2]}", whole)
    if places != 1:
        raise SystemExit(f"{page}: has {places} places for the {mark}; must have one")
    page.write_text(written, encoding="utf-8")
