# SPDX-License-Identifier: Apache-2.0
"""The alerts as Prometheus evaluates them: each fires when its cause is present, and only then."""

import re
import subprocess

import pytest
import yaml

from support import chart, paths

WATCHER, PLANNER, APPLIER, GATEWAY = (f'namespace="{chart.NAMESPACE}",pod="xebec-{name}-0"' for name in (*chart.COMPONENTS, "hooks"))
IRISES = 'controller="irises.example.com"'
WEBSITES = 'operator="websites.example.com"'
ALWAYS = "x100"  # so many minutes
DAY = 86400
SECOND_WATCHER = WATCHER.replace("xebec-watcher-0", "xebec-watcher-1")
SECOND_APPLIER = APPLIER.replace("xebec-applier-0", "xebec-applier-1")
SECOND_GATEWAY = GATEWAY.replace("xebec-hooks-0", "xebec-hooks-1")
PODS = (("watcher", WATCHER), ("planner", PLANNER), ("applier", APPLIER), ("applier", SECOND_APPLIER), ("hooks", GATEWAY), ("hooks", SECOND_GATEWAY))
VERSION = 'version="0.1.0"'
APPLY = 'xebec_apply_total{gvk="apps/v1/Deployment",op="apply",result='

# A healthy release: {series: values}, one value per minute.
HEALTHY = {
    **{f'xebec_build_info{{component="{name}",{VERSION},{pod}}}': "1" + ALWAYS for name, pod in PODS},
    **{f"process_start_time_seconds{{{pod}}}": "1000" + ALWAYS for _, pod in PODS},
    **{f"process_resident_memory_bytes{{{pod}}}": "100" + ALWAYS for _, pod in PODS},
    **{f"xebec_memory_limit_bytes{{{pod}}}": "200" + ALWAYS for _, pod in PODS},
    **{f"xebec_ca_expiration_timestamp_seconds{{{pod}}}": f"{900 * DAY}" + ALWAYS for _, pod in PODS},
    f'xebec_reflector_lag_seconds{{resource="pods",{WATCHER}}}': "60" + ALWAYS,
    f'xebec_watch_errors_total{{code="401",resource="pods",{WATCHER}}}': "1" + ALWAYS,
    f"controller_runtime_terminal_reconcile_errors_total{{{IRISES},{WATCHER}}}": "0x50 1x50",
    f'{APPLY}"Changed",{APPLIER}}}': "0+60" + ALWAYS,
    f'{APPLY}"NotStarted",{APPLIER}}}': "0+1" + ALWAYS,
    f'{APPLY}"Unavailable",{SECOND_APPLIER}}}': "1" + ALWAYS,
    f'{APPLY}"Unauthorized",{APPLIER}}}': "1" + ALWAYS,
    f"xebec_apply_budget_at_minimum{{{APPLIER}}}": "0" + ALWAYS,
    **{f"xebec_apply_unavailable{{{pod}}}": "0" + ALWAYS for pod in (APPLIER, SECOND_APPLIER)},
    f'xebec_apply_class_at_minimum{{resource="pods",verb="create",{APPLIER}}}': "0" + ALWAYS,
    f"xebec_apply_clock_skew_seconds{{{APPLIER}}}": "-1" + ALWAYS,
    f"xebec_apply_events_dropped_total{{{APPLIER}}}": "1" + ALWAYS,
    **{f"leader_election_master_status{{{pod}}}": "1" + ALWAYS for pod in (WATCHER, SECOND_WATCHER)},
    **{f"xebec_buckets{{{pod}}}": "128" + ALWAYS for pod in (WATCHER, SECOND_WATCHER)},
    **{f"xebec_buckets_held{{{pod}}}": "64" + ALWAYS for pod in (WATCHER, SECOND_WATCHER)},
    **{f"xebec_buckets_unassigned{{{pod}}}": "0" + ALWAYS for pod in (WATCHER, SECOND_WATCHER)},
    **{f"xebec_watchers_differing{{{pod}}}": "0" + ALWAYS for pod in (WATCHER, SECOND_WATCHER)},
    f'xebec_reflector_synced{{resource="pods",{WATCHER}}}': "1" + ALWAYS,
    f'xebec_watch_errors_total{{code="403",resource="pods",{WATCHER}}}': "1" + ALWAYS,
    f'xebec_outcomes_total{{code="Forbidden",{IRISES},{WATCHER}}}': "1" + ALWAYS,
    f"controller_runtime_reconcile_total{{{IRISES},{WATCHER}}}": "0+60" + ALWAYS,
    f"controller_runtime_reconcile_errors_total{{{IRISES},{WATCHER}}}": "0+1" + ALWAYS,
    f"workqueue_depth{{{IRISES},{WATCHER}}}": "10" + ALWAYS,
    **{f'xebec_end_to_end_seconds_bucket{{le="{le}",{IRISES},{WATCHER}}}': "0+60" + ALWAYS for le in ("1", "100", "+Inf")},
    f"workqueue_longest_running_processor_seconds{{{IRISES},{WATCHER}}}": "1" + ALWAYS,
    f"xebec_planner_credits{{{WATCHER}}}": "4" + ALWAYS,
    f"xebec_gateway_credits{{{WATCHER}}}": "256" + ALWAYS,
    **{f"xebec_operator_hook_available{{{WEBSITES},{pod}}}": "1" + ALWAYS for pod in (WATCHER, SECOND_WATCHER)},
    f"xebec_operator_breaker_open{{{WEBSITES},{WATCHER}}}": "0" + ALWAYS,
    f"xebec_applier_credits{{{WATCHER}}}": "4" + ALWAYS,
    f"controller_runtime_reconcile_panics_total{{{IRISES},{PLANNER}}}": "1" + ALWAYS,
    f"xebec_deletions_deferred_total{{{IRISES},{WATCHER}}}": "1" + ALWAYS,
    f"xebec_writes_slowed_total{{{IRISES},{WATCHER}}}": "0+1" + ALWAYS,
    f'xebec_apply_refused_total{{reason="KindNotAllowed",{APPLIER}}}': "1" + ALWAYS,
    f'xebec_apply_refused_total{{reason="ForeignOwner",{APPLIER}}}': "1" + ALWAYS,
    f'xebec_plans_refused_total{{reason="not_owned",{IRISES},{WATCHER}}}': "1" + ALWAYS,
    f'xebec_plans_refused_total{{reason="Stale",{IRISES},{WATCHER}}}': "0+60" + ALWAYS,
    f"xebec_reports_unknown_total{{{IRISES},{WATCHER}}}": "1" + ALWAYS,
    f'rest_client_requests_total{{code="200",{APPLIER}}}': "0+60" + ALWAYS,
    f'rest_client_requests_total{{code="500",{APPLIER}}}': "0+1" + ALWAYS,
    f"certificate_expiration_timestamp_seconds{{{WATCHER}}}": f"{90 * DAY}" + ALWAYS,
    f"certwatcher_read_certificate_errors_total{{{WATCHER}}}": "1" + ALWAYS,
    f"xebec_rpc_refused_total{{{PLANNER}}}": "1" + ALWAYS,
}

GONE = None
# {alert, or "alert, which of its causes": the cause}: prefix of the names of series, and their values.
CAUSES = {
    "XebecReplicaMissing": {f'xebec_build_info{{component="applier",{VERSION},{SECOND_APPLIER}': GONE},
    "XebecReplicaMissing, a gateway": {f'xebec_build_info{{component="hooks",{VERSION},{SECOND_GATEWAY}': GONE},
    "XebecRestarts": {f"process_start_time_seconds{{{SECOND_APPLIER}": "1000+300" + ALWAYS},
    "XebecMemoryNearLimit": {f"process_resident_memory_bytes{{{WATCHER}": "185" + ALWAYS},
    "XebecVersionSkew": {f'xebec_build_info{{component="planner",version="0.2.0",{PLANNER}}}': "1" + ALWAYS},
    "XebecReflectorLag": {"xebec_reflector_lag_seconds": "0+60" + ALWAYS},
    "XebecReflectorLag, of a dead watch that is opened again after 7 minutes": {"xebec_reflector_lag_seconds": "0x87 0+60x7 0x100"},
    "XebecUnauthorized": {'xebec_watch_errors_total{code="401"': "0+1" + ALWAYS},
    "XebecTerminalErrors": {"controller_runtime_terminal_reconcile_errors_total": "0+1" + ALWAYS},
    "XebecWritesStopped": {f'{APPLY}"Changed"': "7" + ALWAYS, f'{APPLY}"NotStarted"': "0+5" + ALWAYS},
    "XebecNotStarted": {f'{APPLY}"NotStarted"': "0+90" + ALWAYS},
    "XebecWriteBudgetLow": {"xebec_apply_budget_at_minimum": "1" + ALWAYS},
    "XebecWriteBudgetLow, one class": {"xebec_apply_class_at_minimum": "1" + ALWAYS},
    "XebecApplierUnavailable": {f"xebec_apply_unavailable{{{SECOND_APPLIER}": "1" + ALWAYS},
    "XebecClockSkew": {"xebec_apply_clock_skew_seconds": "-16" + ALWAYS},
    "XebecEventsDropped": {"xebec_apply_events_dropped_total": "0+1" + ALWAYS},
    "XebecCAExpiresSoon": {f"xebec_ca_expiration_timestamp_seconds{{{WATCHER}": f"{20 * DAY}" + ALWAYS},
    "XebecServiceMissing": {'xebec_build_info{component="applier"': GONE},
    "XebecServiceMissing, the gateway": {'xebec_build_info{component="hooks"': GONE},
    "XebecNoLeader": {"leader_election_master_status": "0" + ALWAYS},
    "XebecBucketUnassigned": {f"xebec_buckets_unassigned{{{SECOND_WATCHER}": "1" + ALWAYS},
    "XebecBucketHeldTwice": {f"xebec_buckets_held{{{SECOND_WATCHER}": "65" + ALWAYS},
    "XebecWatchersDiffer": {f"xebec_watchers_differing{{{SECOND_WATCHER}": "1" + ALWAYS},
    "XebecNotSynced": {"xebec_reflector_synced": "0" + ALWAYS},
    "XebecForbidden": {'xebec_watch_errors_total{code="403"': "0+1" + ALWAYS},
    "XebecErrors": {"controller_runtime_reconcile_errors_total": "0+30" + ALWAYS},
    "XebecQueueLong": {"workqueue_depth": "1001" + ALWAYS},
    "XebecSlow": {'xebec_end_to_end_seconds_bucket{le="1"': "0" + ALWAYS},
    "XebecReconcileStuck": {"workqueue_longest_running_processor_seconds": "121" + ALWAYS},
    "XebecNoPlanner": {"xebec_planner_credits": "0" + ALWAYS},
    "XebecNoApplier": {"xebec_applier_credits": "0" + ALWAYS},
    "XebecNoGateway": {"xebec_gateway_credits": "0" + ALWAYS, "xebec_operator_hook_available": "0" + ALWAYS},
    "XebecHookUnavailable": {f"xebec_operator_hook_available{{{WEBSITES},{SECOND_WATCHER}": "0" + ALWAYS, "xebec_operator_breaker_open": "1" + ALWAYS},
    "XebecHookBreakerOpen": {"xebec_operator_breaker_open": "1" + ALWAYS},
    "XebecPlannerBroken": {"controller_runtime_reconcile_panics_total": "0+1" + ALWAYS},
    "XebecDeletionsDeferred": {"xebec_deletions_deferred_total": "0+1" + ALWAYS},
    "XebecWriteLoop": {"xebec_writes_slowed_total": "0+60" + ALWAYS},
    "XebecWritesRefused": {'xebec_apply_refused_total{reason="KindNotAllowed"': "0+1" + ALWAYS},
    "XebecPlansRefused": {'xebec_plans_refused_total{reason="not_owned"': "0+1" + ALWAYS},
    "XebecPlansRefused, by the applier": {'xebec_apply_refused_total{reason="ForeignOwner"': "0+1" + ALWAYS},
    "XebecReportsLost": {"xebec_reports_unknown_total": "0+1" + ALWAYS},
    "XebecApiErrors": {'rest_client_requests_total{code="500"': "0+30" + ALWAYS},
    "XebecCertificateExpiresSoon": {"certificate_expiration": f"{10 * DAY}" + ALWAYS},
    "XebecCertificateExpiresNow": {"certificate_expiration": f"{2 * DAY}" + ALWAYS},
    "XebecCertificateInvalid": {"certwatcher_read_certificate_errors_total": "0+1" + ALWAYS},
    "XebecCallsRefused": {"xebec_rpc_refused_total": "0+1" + ALWAYS},
}
WITH_IT = {"XebecCertificateExpiresNow": {"XebecCertificateExpiresSoon"}}
# Normal events after which no alert fires.
HARMLESS = {
    "one user's name conflict in a quiet cluster": {
        "controller_runtime_reconcile_total": "0+1" + ALWAYS, "controller_runtime_reconcile_errors_total": "0+1" + ALWAYS,
        f'{APPLY}"Changed"': "7" + ALWAYS, f'{APPLY}"NotStarted"': "0+3" + ALWAYS, f'{APPLY}"NameConflict",{APPLIER}}}': "0+1" + ALWAYS},
    "a quiet cluster": {"controller_runtime_reconcile_total": "7" + ALWAYS, f'{APPLY}"Changed"': "7" + ALWAYS, f'{APPLY}"NotStarted"': "7" + ALWAYS},
    "two restarts": {f"process_start_time_seconds{{{SECOND_APPLIER}": "1000x70 2000x5 3000x100"},
    "a rollout to another version": {f'xebec_build_info{{component="planner",version="0.2.0",{PLANNER}}}': "_x70 1x8 _x100"},
    "a crash of a watcher": {f"xebec_buckets_unassigned{{{WATCHER}": "0x50 64 0x100", f"xebec_buckets_held{{{SECOND_WATCHER}": "64x50 0x1 64x100"},
    "another number of buckets": {"xebec_buckets{": "128x50 256x100", "xebec_buckets_held": "64x50 0x1 128x100", "xebec_buckets_unassigned": "0x50 256x1 0x100"},
    "a rollout with other kinds": {"xebec_watchers_differing": "0x50 1x8 0x100"},
    "a hook that restarts": {"xebec_operator_hook_available": "1x50 0x5 1x100", "xebec_operator_breaker_open": "0x50 1x5 0x100"},
    "a webhook that restarts": {"xebec_apply_class_at_minimum": "0x70 1x10 0x100"},
    "a full relist": {"xebec_reflector_lag_seconds": "0+60x4 0x100"},
}


@pytest.fixture(scope="module")
def rules(tmp_path_factory):
    return rules_of({"hooks": chart.HOOKS | {"replicas": 2}}, tmp_path_factory)


def rules_of(values, tmp_path_factory):
    values = {"prometheusRule": {"enabled": True}, "applier": {"replicas": 2}} | values
    [rule] = chart.of_kind(chart.render(values), "PrometheusRule")
    file = tmp_path_factory.mktemp("alerts") / "rules.yaml"
    file.write_text(yaml.safe_dump(rule["spec"]))
    return file


def name_of(cause):
    return cause.partition(",")[0]


def promtool(*arguments):
    done = subprocess.run([paths.promtool(), *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def series(otherwise):
    """HEALTHY; series whose names begin like one of `otherwise` get its values, and new series are added."""
    found = dict(HEALTHY)
    for begin, values in otherwise.items():
        names = [name for name in HEALTHY if name.startswith(begin)] or [begin]
        found |= dict.fromkeys(names, values)
    return [{"series": name, "values": values} for name, values in found.items() if values is not GONE]


def fire(rules, otherwise, alerts, name=None):
    """After 95 minutes exactly these alerts are firing."""
    expected = [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(alerts)]
    test = {"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": [{
        "interval": "1m", "input_series": series(otherwise),
        "promql_expr_test": [{"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": "95m", "exp_samples": expected}]}]}
    file = rules.parent / f"{name or '-'.join(alerts)}.yaml"
    file.write_text(yaml.safe_dump(test))
    promtool("test", "rules", file)


def test_prometheus_understands_the_rules(rules):
    promtool("check", "rules", rules)


def test_no_alert_fires_in_a_healthy_release(rules):
    fire(rules, {}, [], "healthy")


@pytest.mark.parametrize("event", HARMLESS)
def test_no_alert_fires_for_a_normal_event(rules, event):
    fire(rules, HARMLESS[event], [], event.replace(" ", "-"))


def test_no_alert_fires_in_a_release_without_hooks(tmp_path_factory):
    without = {'xebec_build_info{component="hooks"': GONE, "xebec_gateway_credits": GONE, "xebec_operator": GONE}
    fire(rules_of({}, tmp_path_factory), without, [], "without-hooks")


@pytest.mark.parametrize("alert", CAUSES)
def test_an_alert_fires_for_its_cause(rules, alert):
    fire(rules, CAUSES[alert], {name_of(alert)} | WITH_IT.get(alert, set()), alert.replace(", ", "-"))


def test_the_refusals_that_alerts_name_begin_with_zero():
    """Prometheus sees no increase in a counter that begins with its first refusal."""
    observer = (paths.ROOT / "applier/service/plan_observer.cc").read_text(encoding="utf-8")
    registered = re.search(r"kReportedRefusals = \{(.*?)\};", observer, re.S)[1]
    alerts = (paths.CHART / "files/alerts.yaml").read_text(encoding="utf-8")
    named = "|".join(re.findall(r'xebec_apply_refused_total\{reason=~"([^"]+)"', alerts)).split("|")
    assert len(named) > 10 and sorted(named) == sorted(re.findall(r'"(\w+)"', registered))


def test_every_alert_has_a_cause_here(rules):
    assert {rule["alert"] for group in yaml.safe_load(rules.read_text())["groups"] for rule in group["rules"]} == set(map(name_of, CAUSES))
