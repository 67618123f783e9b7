# SPDX-License-Identifier: Apache-2.0
"""The alerts as Prometheus itself evaluates them: each fires when what it is for happens, and only then."""

import subprocess

import pytest
import yaml

from support import chart, paths

WATCHER, PLANNER, APPLIER = (f'namespace="{chart.NAMESPACE}",pod="xebec-{name}-0"' for name in chart.COMPONENTS)
IRISES = 'controller="irises.example.com"'
ALWAYS = "x100"  # so many minutes
DAY = 86400

# A release that does its work: {series: values}, one a minute.
WELL = {
    **{f'xebec_build_info{{component="{name}",{pod}}}': "1" + ALWAYS for name, pod in zip(chart.COMPONENTS, (WATCHER, PLANNER, APPLIER))},
    f"leader_election_master_status{{{WATCHER}}}": "1" + ALWAYS,
    f'xebec_reflector_synced{{resource="pods",{WATCHER}}}': "1" + ALWAYS,
    f'xebec_watch_errors_total{{code="403",resource="pods",{WATCHER}}}': "1" + ALWAYS,
    f'xebec_outcomes_total{{code="Forbidden",{IRISES},{WATCHER}}}': "1" + ALWAYS,
    f"controller_runtime_reconcile_total{{{IRISES},{WATCHER}}}": "0+60" + ALWAYS,
    f"controller_runtime_reconcile_errors_total{{{IRISES},{WATCHER}}}": "0+1" + ALWAYS,
    f"workqueue_depth{{{IRISES},{WATCHER}}}": "10" + ALWAYS,
    **{f'xebec_end_to_end_seconds_bucket{{le="{le}",{IRISES},{WATCHER}}}': "0+60" + ALWAYS for le in ("1", "100", "+Inf")},
    f"workqueue_longest_running_processor_seconds{{{IRISES},{WATCHER}}}": "1" + ALWAYS,
    f"xebec_planner_slots{{{WATCHER}}}": "4" + ALWAYS,
    f"xebec_applier_slots{{{WATCHER}}}": "4" + ALWAYS,
    f"controller_runtime_reconcile_panics_total{{{IRISES},{PLANNER}}}": "1" + ALWAYS,
    f"xebec_deletions_deferred_total{{{IRISES},{WATCHER}}}": "1" + ALWAYS,
    f"xebec_writes_slowed_total{{{IRISES},{WATCHER}}}": "0+1" + ALWAYS,
    f'xebec_apply_refused_total{{reason="KindNotAllowed",{APPLIER}}}': "1" + ALWAYS,
    f"xebec_reports_unknown_total{{{IRISES},{WATCHER}}}": "1" + ALWAYS,
    f'rest_client_requests_total{{code="200",{APPLIER}}}': "0+60" + ALWAYS,
    f'rest_client_requests_total{{code="500",{APPLIER}}}': "0+1" + ALWAYS,
    f"certificate_expiration_timestamp_seconds{{{WATCHER}}}": f"{90 * DAY}" + ALWAYS,
    f"certwatcher_read_certificate_errors_total{{{WATCHER}}}": "1" + ALWAYS,
    f"xebec_rpc_refused_total{{{PLANNER}}}": "1" + ALWAYS,
}

GONE = None
# {alert: what is otherwise}: the beginning of a series' name, and its values.
OTHERWISE = {
    "XebecServiceMissing": {'xebec_build_info{component="applier"': GONE},
    "XebecNoLeader": {"leader_election_master_status": "0" + ALWAYS},
    "XebecTwoLeaders": {f'leader_election_master_status{{namespace="{chart.NAMESPACE}",pod="xebec-watcher-1"}}': "1" + ALWAYS},
    "XebecNotSynced": {"xebec_reflector_synced": "0" + ALWAYS},
    "XebecForbidden": {"xebec_watch_errors_total": "0+1" + ALWAYS},
    "XebecErrors": {"controller_runtime_reconcile_errors_total": "0+30" + ALWAYS},
    "XebecQueueLong": {"workqueue_depth": "1001" + ALWAYS},
    "XebecSlow": {'xebec_end_to_end_seconds_bucket{le="1"': "0" + ALWAYS},
    "XebecReconcileStuck": {"workqueue_longest_running_processor_seconds": "121" + ALWAYS},
    "XebecNoPlanner": {"xebec_planner_slots": "0" + ALWAYS},
    "XebecNoApplier": {"xebec_applier_slots": "0" + ALWAYS},
    "XebecPlannerBroken": {"controller_runtime_reconcile_panics_total": "0+1" + ALWAYS},
    "XebecDeletionsDeferred": {"xebec_deletions_deferred_total": "0+1" + ALWAYS},
    "XebecWriteLoop": {"xebec_writes_slowed_total": "0+60" + ALWAYS},
    "XebecWritesRefused": {"xebec_apply_refused_total": "0+1" + ALWAYS},
    "XebecReportsLost": {"xebec_reports_unknown_total": "0+1" + ALWAYS},
    "XebecApiErrors": {'rest_client_requests_total{code="500"': "0+30" + ALWAYS},
    "XebecCertificateExpiresSoon": {"certificate_expiration": f"{10 * DAY}" + ALWAYS},
    "XebecCertificateExpiresNow": {"certificate_expiration": f"{2 * DAY}" + ALWAYS},
    "XebecCertificateBad": {"certwatcher_read_certificate_errors_total": "0+1" + ALWAYS},
    "XebecCallsRefused": {"xebec_rpc_refused_total": "0+1" + ALWAYS},
}
WITH_IT = {"XebecCertificateExpiresNow": {"XebecCertificateExpiresSoon"}}


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    [rule] = chart.of_kind(chart.render({"prometheusRule": {"enabled": True}}), "PrometheusRule")
    file = tmp_path_factory.mktemp("alerts") / "rules.yaml"
    file.write_text(yaml.safe_dump(rule["spec"]))
    return file


def promtool(*arguments):
    done = subprocess.run([paths.promtool(), *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def series(otherwise):
    """WELL, with what is otherwise in place of what begins like it, or beside it."""
    found = dict(WELL)
    for begin, values in otherwise.items():
        names = [name for name in WELL if name.startswith(begin)] or [begin]
        found |= dict.fromkeys(names, values)
    return [{"series": name, "values": values} for name, values in found.items() if values is not GONE]


def fire(rules, otherwise, alerts):
    """After 95 minutes exactly these are firing."""
    expected = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(alerts)]
    test = {"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [{
        "interval": "1m", "input_series": series(otherwise),
        "promql_expr_test": [{"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": "95m", "exp_samples": expected}]}]}
    file = rules.parent / f"{'-'.join(alerts) or 'none'}.yaml"
    file.write_text(yaml.safe_dump(test))
    promtool("test", "rules", file)


def test_prometheus_understands_the_rules(rules):
    promtool("check", "rules", rules)


def test_nothing_fires_where_all_is_well(rules):
    fire(rules, {}, [])


@pytest.mark.parametrize("alert", OTHERWISE)
def test_an_alert_fires_when_what_it_is_for_happens(rules, alert):
    fire(rules, OTHERWISE[alert], {alert} | WITH_IT.get(alert, set()))


def test_every_alert_is_here(rules):
    assert {rule["alert"] for group in yaml.safe_load(rules.read_text())["groups"] for rule in group["rules"]} == set(OTHERWISE)
