# SPDX-License-Identifier: Apache-2.0
"""The tables of `./dev bench --hooks`."""

from bench.figures import median, ratios, reached, spread, table
from bench.peer_table import cell, of
from bench.report import heading

CONTENDERS = (("built in", "built-in Iris"), ("go", "hook in Go"), ("python", "hook in Python"), ("metacontroller", "Metacontroller, webhook in Go"))
PROCESSES = {"planner": "the planner", "applier": "the applier", "watcher": "the watcher", "gateway": "the gateway",
             "metacontroller": "Metacontroller", "hook": "the hook"}
MOST_CALLS = 2  # for each new parent
LATENCY_WANTED = {"p50": 7, "p99": 14}  # ms with a hook in Go
MOST_SLOWER = 1.15  # with a slow hook
MOST_DISTURBED = 1.1  # of another kind
METACONTROLLER = """\
We measured Metacontroller 1.5.20 (July 2021), the newest version that Go fetches as a module. It has 16 workers and a
client limit of 1,000 requests per second with a burst of 2,000 (the defaults are 5, 5 and 10). Its webhook decides the
same as the hook in Go. Metacontroller creates and replaces whole objects. After each call of the webhook, it reads the
parent. Because this status has numbers, it writes the status even if nothing has changed. It publishes no event of a
created child. The figures do not include its requests for the discovery of kinds, every 30 s. Its restarts are not
measured. The column "wanted" applies only to Xebec."""
RESTARTS = (("watcher", "a restart of the watcher"), ("gateway", "a restart of the gateway"), ("both", "a restart of both"))


def row(name, contenders, *keys, digits=1, most=None, judged=("go", "python")):
    """`most`: wanted at most, of each contender in `judged`."""
    found = [of(contenders, who, *keys) for who, _ in CONTENDERS]
    ours = [median(values) for who in judged if (values := of(contenders, who, *keys))]
    verdict = reached(max(ours) <= most, cell([max(ours)], digits)) if most is not None and ours else "–"
    return [name, *(cell(values, digits) for values in found), "–" if most is None else f"≤ {most:g}", verdict]


def load_rows(count, contenders):
    rows = [row(f"{count:,} new parents until all children and statuses exist, s", contenders, "seconds"),
            row(f"calls of the hook for each of {count:,}", contenders, "calls per parent", digits=2, most=MOST_CALLS),
            row(f"requests for each of {count:,}", contenders, "requests per parent", digits=2),
            row(f"CPU of the API server for each of {count:,}, ms", contenders, "CPU of the API server per parent ms", digits=2)]
    rows += [row(f"CPU of {title} for each of {count:,}, ms", contenders, "services", name, "CPU ms per parent", digits=2)
             for name, title in PROCESSES.items()]
    rows.append(row(f"own CPU, all of these, for each of {count:,}, ms", contenders, "own CPU per parent ms", digits=2))
    rows += [row(f"resident memory (RSS) of {title} with {count:,}, MiB", contenders, "services", name, "RSS MiB", digits=0)
             for name, title in PROCESSES.items()]
    return [*rows, row(f"resident memory (RSS), all of these, with {count:,}, MiB", contenders, "RSS MiB", digits=0)]


def latency_rows(contenders):
    titles = (("parent created → child seen on a watch", "created"), ("parent changed → change of the child seen", "changed"))
    return [row(f"{title}, {share} ms", contenders, f"{key} {share} ms", most=LATENCY_WANTED[share] if key == "created" else None, judged=("go",))
            for title, key in titles for share in LATENCY_WANTED]


def calm_rows(contenders):
    rows = [row(f"idle: {what}", contenders, "rest", key, digits=0, most=0)
            for what, key in (("calls of the hook, and answers from the cache", "calls"), ("writes, without Leases", "writes"), ("reads, without Leases", "reads"))]
    for key, title in RESTARTS:
        rows += [row(f"after {title}: calls of the hook", contenders, "restarts", key, "calls", digits=0, most=None if key == "both" else 0),
                 row(f"after {title}: answers from the cache", contenders, "restarts", key, "hits", digits=0),
                 row(f"after {title}: writes", contenders, "restarts", key, "writes", digits=0, most=0)]
    return rows


def main_table(figures):
    loads = figures["loads"]
    rows = [each for count, contenders in loads.items() for each in load_rows(count, contenders)]
    rows += latency_rows(figures["latency"])
    if loads:
        rows += calm_rows(loads[min(loads)])
    return table(["", *(title for _, title in CONTENDERS), "wanted", "reached"], rows)


def slow_table(slow, options):
    quick, late = slow.get(0, []), slow.get(options.delay_ms, [])

    def line(name, key, digits, most=None):
        shares = ratios(*([run[key] for run in runs] for runs in (late, quick)))
        verdict = reached(median(shares) <= most, f"{median(shares):.2f}") if most and shares else "–"
        return [name, *(cell([run[key] for run in runs], digits) for runs in (quick, late)), cell(shares, 2), f"≤ {most:g}" if most else "–", verdict]
    return table([f"{options.slow_parents:,} parents, hook in Go", "calls take 0 ms", f"calls take {options.delay_ms} ms", "ratio", "wanted", "reached"], [
        line("until all children and statuses exist, s", "seconds", 1, MOST_SLOWER),
        line("calls of the hook for each", "calls per parent", 2),
        line("CPU of the API server for each, ms", "CPU of the API server per parent ms", 2)])


def disturbed_rows(runs, what, keys):
    """`keys`: (title, key, wanted at most as a ratio)."""
    rows = []
    for title, key, most in keys:
        alone, beside = ([run[name][key] for run in runs] for name in ("alone", "beside"))
        shares = ratios(beside, alone)
        verdict = reached(median(shares) <= most, f"{median(shares):.2f}") if most else "–"
        rows.append([f"{what}: {title}", spread(alone), spread(beside), cell(shares, 2), f"≤ {most:g}" if most else "–", verdict])
    return rows


def disturbed_table(figures, options):
    latencies = [(f"Iris {key} → Deployment seen, {share} ms", f"{key} {share} ms", MOST_DISTURBED if share == "p99" else None)
                 for key in ("created", "changed") for share in ("p50", "p99")]
    rows = []
    if figures["hanging"]:
        whole = (f"{options.hanging_parents:,} new Irises, s", "seconds", MOST_DISTURBED)
        rows += disturbed_rows(figures["hanging"], f"{options.hanging_parents:,} parents of a hanging hook", [whole, *latencies])
    if figures["declarations"]:
        rows += disturbed_rows(figures["declarations"], f"{options.declarations} declarations come and go", latencies)
    return table(["built-in Irises beside", "alone", "beside", "ratio", "wanted", "reached"], rows)


def markdown(figures, options):
    parts = [heading(options.runs, figures["commit"])]
    if figures["latency"] or any(figures["loads"].values()):
        parts += [main_table(figures), METACONTROLLER]
    if figures["slow"]:
        parts.append(slow_table(figures["slow"], options))
    if figures["hanging"] or figures["declarations"]:
        parts.append(disturbed_table(figures, options))
    return "\n\n".join(parts)
