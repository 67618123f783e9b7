# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/performance.md from the figures of the benchmark."""

import datetime
import os
import re
import subprocess

from support import paths

PAGE = paths.ROOT / "docs/performance.md"
MARKED = re.compile(r"(<!-- figures -->\n).*(\n<!-- end -->)", re.S)


def median(values):
    return sorted(values)[len(values) // 2]


def spread(values, digits=1, unit=""):
    """"median (min–max)" of the runs."""
    ordered = sorted(values)
    shown = [f"{value:.{digits}f}" for value in (median(values), ordered[0], ordered[-1])]
    return f"{shown[0]}{unit} ({shown[1]}–{shown[2]})" if len(ordered) > 1 else f"{shown[0]}{unit}"


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


def runs(count):
    return "one run" if count == 1 else f"{count} runs: median (least–most)"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def reached(condition, value):
    return f"{'yes' if condition else '**no**'}: {value}"


def wanted_of_loads(loads):
    """Rows of the table of what is wanted: medians, of the worst size where both count."""
    requests = max(median([p["xebec"]["requests per parent"] for p in pairs]) for pairs in loads.values())
    rests = [p["xebec"]["rest"] for pairs in loads.values() for p in pairs if p["xebec"].get("rest")]
    asked = max((rest["writes"] + rest["reads"] for rest in rests), default=None)
    rows = [["at most 3 requests for each new parent, without its creation", reached(requests <= 3, f"{requests:.2f}")]]
    if asked is not None:
        rows.append(["0 writes and 0 reads when idle", reached(asked == 0, asked)])
    crashes = [p["xebec"]["crash"]["first write s"] for pairs in loads.values() for p in pairs if p["xebec"].get("crash")]
    if crashes:
        rows.append(["first write ≤ 1 s after `kill -9` of the only watcher and its restart", reached(max(crashes) <= 1, f"{max(crashes):.2f} s")])
    for count, least in ((1000, 80), (5000, 70)):
        if count in loads:
            share = median([p["share"] * 100 for p in loads[count]])
            rows.append([f"≥ {least} % of the bare loop at {count:,} parents", reached(share >= least, f"{share:.0f} %")])
    if 5000 in loads:
        memory = median([total(p, "PSS MB") for p in loads[5000]])
        rows.append(["the three services use less than 100 MB with 5,000 parents (PSS)", reached(memory < 100, f"{memory:.0f} MB")])
        resident = median([total(p, "RSS MB") for p in loads[5000]])
        rows.append(["… and as the sum of resident sets (RSS)", reached(resident < 100, f"{resident:.0f} MB")])
    return rows


def wanted_table(figures):
    rows = wanted_of_loads(figures["loads"]) if figures["loads"] else []
    for key, most in (("p50 ms", 8), ("p99 ms", 25)) if figures["latency"] else ():
        value = median([run[key] for run in figures["latency"]])
        rows.append([f"{key[:3]} ≤ {most} ms", reached(value <= most, f"{value:.1f} ms")])
    return table(["wanted", "reached"], rows)


def loads_table(loads):
    def row(name, function):
        return [name, *(function(pairs) for pairs in loads.values())]

    def of(side, key, digits):
        return lambda pairs: spread([pair[side][key] for pair in pairs], digits)
    return table(["", *(f"{count:,} parents" for count in loads)], [
        row("Xebec until converged, s", of("xebec", "seconds", 1)),
        row("bare loop, s", of("bare", "seconds", 1)),
        row("Xebec, speed relative to the bare loop", lambda pairs: spread([p["share"] * 100 for p in pairs], 0, " %")),
        row("Xebec, writes per second (with the creation of the parents)", of("xebec", "writes per second", 0)),
        row("requests per parent, without its creation", of("xebec", "requests per parent", 2)),
        row("memory of the three services (PSS), MB", lambda pairs: spread([total(p, "PSS MB") for p in pairs])),
        row("… before the first parent", lambda pairs: spread([total(p, "base PSS MB") for p in pairs])),
        row("… for each parent, kB", lambda pairs: spread([total(p, "kB per parent") for p in pairs])),
        row("sum of their resident sets (RSS; counts libraries three times), MB", lambda pairs: spread([total(p, "RSS MB") for p in pairs])),
        row("CPU of the three services for each parent, ms", lambda pairs: spread([total(p, "CPU ms per parent") for p in pairs], 2)),
        row("when idle (one run)", lambda pairs: rest_text(pairs[0]["xebec"])),
        row("after a restart of the watcher (one run)", lambda pairs: restart_text(pairs[0]["xebec"], "restart")),
        row("after `kill -9` and a restart of the only watcher (one run)", lambda pairs: restart_text(pairs[0]["xebec"], "crash")),
        row("failover after `kill -9` of the leading watcher (one run)", lambda pairs: failover_text(pairs[0]["xebec"], "kill")),
        row("failover after SIGTERM to the leading watcher (one run)", lambda pairs: failover_text(pairs[0]["xebec"], "stop")),
    ])


def total(pair, key):
    return sum(service[key] for service in pair["xebec"]["services"].values())


def rest_text(xebec):
    rest = xebec.get("rest")
    return f"{rest['writes']} writes, {rest['reads']} reads in {rest['seconds']} s" if rest else "not measured"


def restart_text(xebec, end):
    again = xebec.get(end)
    if not again:
        return "not measured"
    return f"first write for a new parent after {again['first write s']:.2f} s; {again['writes']} other writes, {again['gets']} GETs"


def failover_text(xebec, end):
    times = xebec.get("failover", {}).get(end)
    return f"acquired after {times['acquired s']:.2f} s, first write after {times['first write s']:.2f} s" if times else "not measured"


def services_table(loads):
    keys = (("base PSS MB", 1), ("PSS MB", 1), ("base RSS MB", 1), ("RSS MB", 1), ("kB per parent", 2), ("CPU ms per parent", 2))
    rows = [[f"{name}, {count:,} parents", *(spread([p["xebec"]["services"][name][key] for p in pairs], digits) for key, digits in keys)]
            for count, pairs in loads.items() for name in pairs[0]["xebec"]["services"]]
    return table(["service", *(key for key, _ in keys)], rows)


def each_key(runs_of_one, digits=1):
    """A table with one column for each figure of a scenario."""
    return table(list(runs_of_one[0]), [[spread([run[key] for run in runs_of_one], digits) for key in runs_of_one[0]]])


def namespace_section(figures):
    return [f"Deletion of a namespace with {figures['namespace parents']} Irises and their Deployments, from the request until the namespace is gone, "
            "with\nand without Xebec running:", each_key(figures["namespace"])]


def markdown(figures, count, measured):
    """The sections of the page; `measured`: the commit."""
    parts = [f"{datetime.date.today()}, commit {measured}, {machine()}; {runs(count)}."]
    if figures["loads"] or figures["latency"]:
        parts.append(wanted_table(figures))
    if figures["loads"]:
        parts.append(loads_table(figures["loads"]))
    if figures["latency"]:
        parts += ["Latency at low load, from the answer to the creation of a parent until the first write for it arrives at the API server.\n"
                  "*whole*: from the arrival of the creation until the answer to that write.", each_key(figures["latency"])]
    if figures["namespace"]:
        parts += namespace_section(figures)
    if figures["loads"]:
        parts += ["Each service:", services_table(figures["loads"])]
    return "\n\n".join(parts)


def write(text):
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(MARKED.sub(lambda m: m[1] + text + m[2], page), encoding="utf-8")
