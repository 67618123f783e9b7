# SPDX-License-Identifier: Apache-2.0
"""The benchmark computes and shows its figures correctly."""

import json
import os
import time

import pytest

from bench import audit_times, burst, calm, children, figures, hook_report, peer_table, procfs, report, share_report, watcher_moves
from support import assignment

XEBEC, PEER = audit_times.APPLIER, audit_times.PEER


def event(user, verb, resource, second, name="a", subresource="", code=200, stage="ResponseComplete"):
    return json.dumps({
        "stage": stage, "verb": verb, "requestURI": f"/{resource}/{name}", "user": {"username": user}, "responseStatus": {"code": code},
        "objectRef": {"resource": resource, "name": name, "subresource": subresource},
        "requestReceivedTimestamp": f"2026-11-23T08:00:{second:02d}.000000Z", "stageTimestamp": f"2026-11-23T08:00:{second:02d}.500000Z"})


def requests(tmp_path, *events):
    log = tmp_path / "audit.log"
    log.write_text("\n".join([*events, '{"incomplete']))
    return audit_times.read(log)


def test_a_ratio_is_that_of_one_run():
    assert figures.ratios([1, 4], [2, 2]) == [0.5, 2]
    assert figures.ratios([1, 4], [0]) == []
    assert figures.spread([3, 1, 2], 0, " s") == "2 s (1–3)"
    assert figures.spread([1234.5]) == "1,234.5"
    assert figures.percentile(range(100), 0.99) == 99


def test_what_processes_have_used():
    before, used, after = time.process_time(), procfs.cpu(os.getpid()), time.process_time()
    assert before <= used <= after
    assert procfs.set_sizes("aa-bb ---p 0 0 0 [rollup]\nRss:   8 kB\nPss:  5 kB\nPss_Anon: 1 kB\nAnonymous:    2 kB\n") == (8192, 5120, 2048)
    assert procfs.total([procfs.Usage(1, 2, 3, 4), procfs.Usage(1, 1, 1, 1)]) == (2, 3, 4, 5)
    assert procfs.usage(os.getpid()).rss > 0


def test_a_parent_has_converged_with_the_later_of_child_and_status(tmp_path):
    seen = requests(tmp_path,
                    event("admin", "create", "irises", 1, code=201), event("admin", "create", "irises", 2, name="b", code=201),
                    event(XEBEC, "patch", "deployments", 3, code=409), event(XEBEC, "create", "deployments", 4, code=201),
                    event(XEBEC, "patch", "irises", 6, subresource="status"), event(XEBEC, "patch", "irises", 9, subresource="status"),
                    event(XEBEC, "create", "events", 10, code=201), event("other", "create", "deployments", 2, name="b", code=201),
                    event(XEBEC, "update", "leases", 11))
    done = audit_times.converged(seen, {XEBEC})
    assert list(done) == ["a"] and round(done["a"] % 60, 1) == 6.5
    assert audit_times.conflicts(seen, {XEBEC}) == 1
    assert len(audit_times.asked(seen, {XEBEC})) == 5
    assert burst.span(seen, {XEBEC}) == {"seconds": 5.5, "seconds with events": 9.5, "writes per second": 5 / 5.5}


def test_a_change_takes_its_way_to_the_api_server_and_the_time_of_its_write(tmp_path):
    seen = requests(tmp_path,
                    event(XEBEC, "create", "deployments", 1, code=201), event("admin", "patch", "irises", 2),
                    event(XEBEC, "patch", "deployments", 4, code=409), event(XEBEC, "patch", "deployments", 5),
                    event(XEBEC, "patch", "deployments", 7), event(XEBEC, "patch", "irises", 8, subresource="status"))
    hops = calm.hops(seen, {XEBEC})
    assert round(hops["changed: before p50 ms"]) == 2500 and round(hops["changed: write p99 ms"]) == 500


def test_costs_are_those_of_the_burst():
    before, after = [procfs.Usage(1, 0, 0, 0)], [procfs.Usage(3, 20 * 2**20, 10 * 2**20, 0)]
    cost = burst.costs(before, after, {"API server": 1, "etcd": 1}, {"API server": 5, "etcd": 2}, 1000)
    assert cost["own CPU per parent ms"] == 2 and cost["CPU of the API server per parent ms"] == 4
    assert cost["RSS MiB"] == 20 and cost["PSS MiB"] == 10 and cost["CPU of the etcd s"] == 1


def line(row):
    return peer_table.line(row)[4:]


def test_the_verdict_is_about_the_median_of_the_ratios():
    contenders = {"xebec": [{"seconds": 8}, {"seconds": 9}, {"seconds": 30}], "peer": [{"seconds": 10}] * 3}
    assert line(peer_table.row("time", contenders, "seconds", ratio=0.9)) == ["0.90 (0.80–3.00)", "≤ 0.90 × peer", "yes: 0.90"]
    assert line(peer_table.row("time", contenders, "seconds", ratio=0.85))[-1] == "**no**: 0.90"
    assert line(peer_table.row("time", contenders, "seconds", digits=0, most=8)) == ["0.90 (0.80–3.00)", "≤ 8", "**no**: 9"]
    assert line(peer_table.row("time", {"xebec": contenders["xebec"]}, "seconds", ratio=1)) == ["–", "≤ 1.00 × peer", "–"]
    assert line(peer_table.row("rest", {"xebec": [{"rest": {"reads": 0}}, {}]}, "rest", "reads", digits=0, most=0))[-1] == "yes: 0"


def test_growth_is_seen_from_the_fewest_to_the_most_parents():
    loads = {10: {"xebec": [{"own": 1.0}]}, 20: {"xebec": [{"own": 1.3}]}}
    assert peer_table.growth_line("own", loads, "own")[1::5] == ["1.00 / 1.30", "**no**: 1.30"]


def test_watchers_have_fair_shares_within_a_fifth():
    assert watcher_moves.is_fair([100, 120, 100, 80])
    assert not watcher_moves.is_fair([100, 125, 100, 75]) and not watcher_moves.is_fair([0, 0])
    assert (assignment.count("0-3,7,9-10"), assignment.numbers("0-1,7")) == (7, [0, 1, 7])


def test_a_watcher_may_need_a_little_more_than_its_share_beside_what_as_many_watchers_need_without_parents():
    runs = [{1: {"RSS before MiB": [30], "RSS MiB": [50]}, 2: {"RSS before MiB": [30, 30], "RSS MiB": [40, 42]},
             4: {"RSS before MiB": [31, 31, 31, 32], "RSS MiB": [35, 35, 34, 36.5]}}]
    assert share_report.wanted(runs, [1, 2, 4], "RSS")[1:] == ["–", "**no**: ≤ 41.5", "yes: ≤ 36.8"], "every watcher must reach it"


def test_both_languages_must_reach_what_is_wanted_of_hooks():
    contenders = {"built in": [{"calls": 0}], "go": [{"calls": 1.5}, {"calls": 1.6}], "python": [{"calls": 2.5}], "metacontroller": [{"calls": 9}]}
    assert hook_report.row("calls", contenders, "calls", most=2)[1:] == ["0.0", "1.6 (1.5–1.6)", "2.5", "9.0", "≤ 2", "**no**: 2.5"]
    assert hook_report.row("calls", contenders, "calls", most=2, judged=("go",))[-1] == "yes: 1.6"
    assert hook_report.row("calls", contenders, "calls")[-2:] == ["–", "–"]


def test_a_disturbance_is_a_ratio_of_one_run():
    runs = [{"alone": {"s": 10}, "beside": {"s": 12}}, {"alone": {"s": 20}, "beside": {"s": 20}}]
    assert hook_report.disturbed_rows(runs, "beside", [("time", "s", 1.1)]) == [
        ["beside: time", "15.0 (10.0–20.0)", "16.0 (12.0–20.0)", "1.10 (1.00–1.20)", "≤ 1.1", "yes: 1.10"]]


def test_percentiles_of_latencies():
    seen = {"ok": True, "created ms": list(range(100)), "changed ms": [7]}
    assert calm.percentiles(seen)["created p99 ms"] == 99 and calm.percentiles(seen)["changed p50 ms"] == 7


def test_the_costs_of_children_stand_side_by_side():
    def costs(ms):
        return {"ms": ms, "plans": 1, "requests": 1}
    runs = {pods: [{"one": costs(ms), "all": costs(ms), "scale": costs(ms)}] for pods, ms in ((1, 2.0), (100, 3.5))}
    lines = children.markdown(runs).splitlines()
    assert lines[0] == "| PodSets of | 1 Pods | 100 Pods |"
    assert lines[2] == "| a change of one Pod: own CPU, ms | 2.00 | 3.50 |"


def test_figures_are_written_into_an_empty_place_too(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("<!-- figures of a -->\n<!-- end -->\n<!-- figures of b -->\nold\n<!-- end -->\n", encoding="utf-8")
    report.write(page, "new", "figures of a")
    report.write(page, "newer", "figures of b")
    assert page.read_text(encoding="utf-8") == "<!-- figures of a -->\nnew\n<!-- end -->\n<!-- figures of b -->\nnewer\n<!-- end -->\n"
    with pytest.raises(SystemExit, match="has 0 places for the figures of c"):
        report.write(page, "x", "figures of c")


def test_memory_is_that_of_a_process_that_has_been_idle(monkeypatch):
    slept = []
    monkeypatch.setattr(burst.time, "sleep", slept.append)
    monkeypatch.setattr(burst, "usages", lambda contender: {"watcher": procfs.Usage(9.5, 20, 10, 5)} if slept else {})
    assert burst.with_idle_memory({"watcher": procfs.Usage(9.0, 50, 40, 30)}, None) == {"watcher": procfs.Usage(9.0, 20, 10, 5)}
    assert slept == [burst.IDLE_AFTER]


def test_cpu_at_low_load_is_that_of_all_processes():
    before, after = ({"planner": procfs.Usage(cpu, 0, 0, 0), "watcher": procfs.Usage(1 + cpu, 0, 0, 0)} for cpu in (1.0, 1.5))
    assert calm.own_cpu(before, after) == 1.0
