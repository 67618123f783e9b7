# SPDX-License-Identifier: Apache-2.0
"""The chart rejects typos and contradictions in values with a message that says what to do, and applies valid
values."""

import copy
import json
import re

import pytest
import yaml

from support import chart, paths
from support.chart import of_kind, refusal, render

VALUES = yaml.safe_load((paths.CHART / "values.yaml").read_text())
SCHEMA = json.loads((paths.CHART / "values.schema.json").read_text())
# Maps whose keys are the user's or Kubernetes' own.
FREE = re.compile(r"[lL]abels$|[aA]nnotations$|nodeSelector$|affinity$|ecurityContext|dnsConfig$|rollingUpdate$|requests|limits|behavior$|^global$")


def maps(values, path=()):
    yield path, values
    for key, value in values.items():
        if isinstance(value, dict) and not FREE.search(".".join((*path, key))):
            yield from maps(value, (*path, key))


def test_a_misspelt_value_is_refused_wherever_it_stands():
    values, places = copy.deepcopy(VALUES), []
    for path, _ in list(maps(VALUES)):
        place = values
        for key in path:
            place = place[key]
        place["misspelt"] = 1
        places.append(path)
    assert len(places) > 40
    message = refusal(values)
    missing = [path for path in places if f"at '{'/' + '/'.join(path) if path else ''}': additional properties 'misspelt' not allowed" not in message]
    assert not missing, f"{missing}\n{message}"


def set_at(path, value):
    values = value
    for key in reversed(path.split(".")):
        values = {key: values}
    return values


@pytest.mark.parametrize("path, value", [
    ("watcher.replicas", "two"), ("watcher.replicas", -1), ("watcher.replicas", 17), ("watcher.config.buckets", 0), ("watcher.config.buckets", 1025), ("watcher.config.buckets", 10000), ("planner.replicas", 65), ("planner.autoscaling.maxReplicas", 65), ("planner.config.workers", -1), ("watcher.config.planTimeout", 10),
    ("watcher.config.planTimeout", "10 seconds"), ("watcher.config.lease", {"prefix": "mine-"}), ("watcher.config.lease", {"enabled": False}), ("applier.config", {"allow": ["*"]}),
    ("watcher", {"autoscaling": {"enabled": True}}), ("image.digest", "sha256:abc"), ("image.pullPolicy", "Sometimes"), ("tls.mode", "none"),
    ("tls.trustDomain", "Not a domain"), ("fullnameOverride", "Capital"), ("fullnameOverride", "x" * 47), ("fullnameOverride", "1st"),
    ("namespaceOverride", "a.b"), ("watchNamespaces", ["team a"]), ("watchNamespaces", ["a", "a"]), ("kinds.iris", True), ("logging.level", "verbose"),
    ("commonLabels", {"app.kubernetes.io/name": "mine"}), ("defaults.podLabels", {"app.kubernetes.io/component": "mine"}),
    ("planner.autoscaling.maxReplicas", 0), ("defaults.hostUsers", "no"), ("networkPolicy.apiServer.ports", []), ("networkPolicy.dns.ports", []), ("tls.auto.certDuration", "soon"),
    ("tls.auto.caDuration", "1000000h"), ("tls.auto.certDuration", "99999999h"),
    ("tls.auto.schedule", "every day"), ("tls.auto.schedule", "61 4 * * *"), ("tls.auto.schedule", "4 * * *"), ("tls.auto.schedule", "0 4 * * 7"),
    ("prometheusRule.runbookUrl", "docs/operations.md"),
])
def test_an_absurd_value_is_refused_and_named(path, value):
    assert f"at '/{path.replace('.', '/')}" in refusal(set_at(path, value))


@pytest.mark.parametrize("values, words", [
    ({"tls": {"mode": "disabled"}}, ["loopback", "tls.mode=auto"]),
    ({"tls": {"mode": "existingSecret"}}, ["tls.existingSecret.watcher is empty"]),
    ({"tls": {"mode": "existingSecret", "existingSecret": {"watcher": "mine", "planner": "mine", "applier": "another"}}},
     ['tls.existingSecret.planner: "mine" already holds the watcher\'s certificate', "docs/install.md"]),
    ({"tls": {"mode": "certManager", "certManager": {"issuerRef": {"name": "corp", "kind": "ClusterIssuer"}}}},
     ["every namespace", "allowSharedIssuer=true", "docs/security.md"]),
    ({"kinds": {kind: {"enabled": False} for kind in VALUES["kinds"]}}, ["All kinds are disabled"]),
    ({"podMonitor": {"enabled": True}, "serviceMonitor": {"enabled": True}}, ["scraped twice"]),
    ({"podMonitor": {"enabled": True}, "networkPolicy": {"enabled": True}}, ["networkPolicy.metricsFrom"]),
    ({"watcher": {"podDisruptionBudget": {"minAvailable": 1, "maxUnavailable": 1}}}, ["watcher.podDisruptionBudget has both"]),
    ({"defaults": {"podDisruptionBudget": {"minAvailable": 1}}, "planner": {"podDisruptionBudget": {"maxUnavailable": 1}}},
     ["planner.podDisruptionBudget has both"]),
    ({"planner": {"autoscaling": {"enabled": True, "minReplicas": 3, "maxReplicas": 2}}}, ["maxReplicas 2 is less than minReplicas 3"]),
    ({"planner": {"replicas": 2, "podDisruptionBudget": {"minAvailable": 2}}}, ["planner.podDisruptionBudget allows no disruption", "minAvailable to 1"]),
    ({"planner": {"replicas": 3, "podDisruptionBudget": {"minAvailable": "70%"}}}, ["allows no disruption", "with 3 replicas"]),
    ({"planner": {"autoscaling": {"enabled": True}, "podDisruptionBudget": {"minAvailable": "2"}}}, ["allows no disruption", "with 2 replicas"]),
    ({"watcher": {"replicas": 2, "podDisruptionBudget": {"maxUnavailable": 0}}}, ["allows no disruption", "maxUnavailable to 1"]),
    ({"applier": {"serviceAccount": {"create": False}}}, ["applier.serviceAccount.name"]),
    ({"watcher": {"serviceAccount": {"name": "one"}}, "applier": {"serviceAccount": {"create": False, "name": "one"}}},
     ['"one" is already the account of the watcher', "applier.serviceAccount.name"]),
    ({"applier": {"serviceAccount": {"create": False, "name": "xebec-certs"}}}, ["the account of the certificate Job"]),
    ({"watcher": {"config": {"lease": {"renewDeadline": "15s"}}}}, ["renewDeadline 15s must be shorter than duration 15s"]),
    ({"watcher": {"config": {"lease": {"duration": "9s"}}}}, ["renewDeadline 10s must be shorter than duration 9s"]),
    ({"watcher": {"config": {"lease": {"duration": "15s500ms"}}}}, ["duration 15s500ms must be whole seconds"]),
    ({"watcher": {"config": {"lease": {"retryPeriod": "1m"}}}}, ["retryPeriod 1m must be shorter than renewDeadline 10s"]),
    ({"watcher": {"config": {"retry": {"min": "0.2h"}}}}, ["min 0.2h is longer than max 5m"]),
    ({"applier": {"config": {"writes": {"max": 16}}}}, ["start 32 is more than max 16"]),
    ({"watcher": {"replicas": 16, "config": {"streamsPerAddress": 3}}},
     ["watcher.replicas=16", "there may be 17 watchers, each with 3 streams", "64 concurrent calls", "must not exceed 48"]),
    ({"watcher": {"replicas": 16, "config": {"streamsPerAddress": 1}, "strategy": {"rollingUpdate": {"maxSurge": "100%", "maxUnavailable": 1}}}},
     ["there may be 33 watchers, but only 32"]),
    ({"watcher": {"replicas": 4, "config": {"buckets": 3}}}, ["watcher.config.buckets=3", "watcher.replicas=4"]),
    ({"watcher": {"replicas": 4, "config": {"deletion": {"budget": 4}}}},
     ["deletion.budget=4", "5 watchers that may run during a rollout", "watcher.replicas=4", "Raise the budget to 5 or more"]),
    ({"watcher": {"replicas": 2, "config": {"streamsPerAddress": 16}, "strategy": {"rollingUpdate": {"maxUnavailable": "50%"}}}}, ["may be 4 watchers, each with 16 streams"]),
    ({"applier": {"drainSeconds": 13}}, ["requestTimeout", "applier.drainSeconds to 14"]),
    ({"applier": {"config": {"requestTimeout": "1m"}}}, ["may take 1m", "applier.drainSeconds to 80"]),
    ({"applier": {"drainSeconds": 40, "config": {"requestTimeout": "30s"}}},
     ["applier.config.requestTimeout=30s is longer than watcher.config.requestTimeout=10s", "Set watcher.config.requestTimeout to 30s or more"]),
    ({"applier": {"config": {"maxPlanAge": "10m"}}}, ["applier.config.maxPlanAge=10m is longer than watcher.config.planLife=10s plus 2s"]),
    ({"watcher": {"config": {"planLife": "9s999ms"}}}, ["applier.config.maxPlanAge=12s is longer than watcher.config.planLife=9s999ms"]),
    ({"watcher": {"config": {"requestTimeout": "9s999ms"}}}, ["applier.config.requestTimeout=10s is longer than watcher.config.requestTimeout=9s999ms"]),
])
def test_a_contradiction_is_refused_with_a_way_out(values, words):
    message = refusal(values)
    assert all(word in message for word in words), message


@pytest.mark.parametrize("watcher", [
    {"replicas": 16}, {"replicas": 16, "strategy": {"type": "Recreate"}, "config": {"streamsPerAddress": 3}}, {"replicas": 2, "config": {"streamsPerAddress": 16}},
    {"replicas": 16, "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}}, {"replicas": 16, "strategy": {"rollingUpdate": None}},
    {"replicas": 16, "strategy": {"rollingUpdate": {"maxSurge": "100%"}}, "config": {"streamsPerAddress": 1}}])
def test_as_many_watchers_as_planners_and_appliers_can_serve_are_taken(watcher):
    render({"watcher": watcher})


@pytest.mark.parametrize("auto, words", [
    ({"certDuration": "1h"}, ["tls.auto.certDuration=1h", "up to 24h apart", "144h or more"]),
    ({"certDuration": "143h"}, ["144h or more"]),
    ({"certDuration": "1007h", "schedule": "@weekly"}, ["1008h or more"]),
    ({"certDuration": "100h", "caDuration": "99h", "schedule": "@hourly"}, ["no certificate outlives the CA"]),
    ({"certDuration": "1h", "caDuration": "3h"}, ["tls.auto.caDuration=3h", "4h or more"]),
    ({"certDuration": "200h", "caDuration": "218h"}, ["caDuration to 219h or more"]),
    ({"schedule": "23 20-4 * * *"}, ["never runs"]),
])
def test_certificates_that_the_schedule_cannot_keep_are_refused(auto, words):
    message = refusal({"tls": {"auto": auto}})
    assert all(word in message for word in words), message


@pytest.mark.parametrize("schedule, gap", [
    ("23 4 * * *", 24), ("5 * * * *", 1), ("*/10 */6 ? * *", 6), ("0 0,6,20 * * *", 14), ("0 8-16/4 * * *", 16), ("0 3/7 * * *", 10), ("0 08 * * *", 24),
    ("0 4 * * mon-FRI", 72), ("0 4 1 * *", 744), ("0 4 31 * *", 1488), ("0 4 1,30 * *", 1488), ("0 4 1 * 3", 168), ("0 4 1 6 *", 8784), ("@midnight", 24), ("@every 1h30m", 2),
])
def test_the_gap_between_two_runs_of_a_schedule_is_known(schedule, gap):
    lives = {"schedule": schedule, "caDuration": f"{12 * gap}h"}
    render({"tls": {"auto": {**lives, "certDuration": f"{6 * gap}h"}}})
    assert f"up to {gap}h apart" in refusal({"tls": {"auto": {**lives, "certDuration": f"{6 * gap - 1}h"}}})


@pytest.mark.parametrize("values, words", [
    ({"duration": "720h"}, ["renewBefore=720h is not shorter than tls.certManager.duration=720h"]),
    ({"caDuration": "2159h"}, ["duration=2160h is longer than tls.certManager.caDuration=2159h"]),
    ({"caDuration": "4319h"}, ["tls.certManager.caDuration=4319h", "last third", "1440h"]),
    ({"duration": "59m", "renewBefore": "10m"}, ["tls.certManager.duration=59m", "1h or more"]),
    ({"renewBefore": "4m59s"}, ["tls.certManager.renewBefore=4m59s", "5m or more"]),
    ({"privateKey": {"algorithm": "RSA"}}, ["tls.certManager.privateKey.size=256", "RSA keys of 2048 to 8192 bits", "Set it to 2048"]),
    ({"privateKey": {"algorithm": "RSA", "size": 8193}}, ["size=8193", "RSA keys of 2048 to 8192 bits"]),
    ({"privateKey": {"size": 2048}}, ["size=2048", "ECDSA keys of 256, 384 or 521 bits", "Set it to 256"]),
])
def test_certificates_that_cert_manager_cannot_keep_are_refused(values, words):
    message = refusal({"tls": {"mode": "certManager", "certManager": values}})
    assert all(word in message for word in words), message
    if "caDuration" in values:
        render({"tls": {"mode": "certManager", "certManager": {**values, "issuerRef": {"name": "corp"}}}})


@pytest.mark.parametrize("values", [
    {"caDuration": "4320h"}, {"duration": "1h", "renewBefore": "5m"}, {"privateKey": {"algorithm": "RSA", "size": 2048}},
    {"privateKey": {"algorithm": "RSA", "size": 0}}, {"privateKey": {"algorithm": "Ed25519"}}, {"privateKey": {"size": 521}}])
def test_certificates_that_cert_manager_just_takes_are_rendered(values):
    render({"tls": {"mode": "certManager", "certManager": values}})


@pytest.mark.parametrize("tls, days", [({"auto": {"certDuration": "1000h"}}, "12.9"), ({"mode": "certManager", "certManager": {"renewBefore": "335h"}}, "14.0")])
def test_an_alert_that_would_stand_before_every_renewal_is_refused(tls, days):
    message = refusal({"tls": tls, "prometheusRule": {"enabled": True}})
    assert f"have {days} days left" in message and "certificateWarningDays=14" in message, message
    render({"tls": tls, "prometheusRule": {"enabled": True, "thresholds": {"certificateWarningDays": 12}}})
    render({"tls": tls})


@pytest.mark.parametrize("tls, days", [({"auto": {"certDuration": "1000h", "caDuration": "2000h"}}, "25.7"),
                                       ({"mode": "certManager", "certManager": {"caDuration": "6000h"}}, "23.3")])
def test_an_alert_on_the_ca_that_would_fire_before_every_replacement_is_refused(tls, days):
    thresholds = {"certificateWarningDays": 12}
    message = refusal({"tls": tls, "prometheusRule": {"enabled": True, "thresholds": thresholds}})
    assert f"has {days} days left" in message and "caWarningDays=30" in message, message
    render({"tls": tls, "prometheusRule": {"enabled": True, "thresholds": {**thresholds, "caWarningDays": 20}}})


def settings_code(component):
    """The code that declares the settings of a service: its own, and that which it shares with other services."""
    own = (paths.ROOT / component / "service/settings.cc").read_text()
    service, _, server = (paths.ROOT / "common/service/settings.cc").read_text().partition("void BindServer(")
    return own + service + (server if "BindServer(" in own else "") + (paths.ROOT / "common/rpc/tls/tls_settings.cc").read_text()


def least_durations(component):
    """{key: milliseconds} of the settings that are durations and have a least value in the code."""
    units = {"Milliseconds": 1, "Seconds": 1000}
    code = settings_code(component)
    found = re.findall(r'binder\.Add\(\s*"([\w.]+)",(?:(?!binder\.).)*?absl::(\w+)\((\d+)\)\);', code, re.S)
    return {key: int(number) * units[unit] for key, unit, number in found}


@pytest.mark.parametrize("component", [*chart.COMPONENTS, "hooks"])
def test_a_duration_that_a_service_would_not_start_with_is_refused(component):
    settings = least_durations(component)
    assert len(settings) == {"watcher": 13, "planner": 1, "applier": 4, "hooks": 2}[component]
    for key, least in settings.items():
        assert f"{component}.config.{key}={least - 1}ms: the {component} accepts" in refusal({component: {"config": set_at(key, f"{least - 1}ms")}})
        # The applier's timeout is at most the watcher's, and its plans do not live longer than the watcher's.
        render({"applier": {"config": {"requestTimeout": "100ms", "maxPlanAge": "2s"}}} | {component: {"config": set_at(key, f"{least}ms") | longer(key)}})


def longer(key):
    """What has to follow a least value for the comparisons with others."""
    return {"lease.duration": {"lease": {"duration": "2s", "renewDeadline": "500ms", "retryPeriod": "100ms"}},
            "lease.renewDeadline": {"lease": {"renewDeadline": "500ms", "retryPeriod": "100ms"}},
            "retry.max": {"retry": {"min": "1ms", "max": "1ms"}}}.get(key, {})


@pytest.mark.parametrize("here, file, there", [
    ('"duration" "15s"', "watcher/engine/options.h", "lease_duration = absl::Seconds(15)"),
    ('"renewDeadline" "10s"', "watcher/engine/options.h", "renew_deadline = absl::Seconds(10)"),
    ('"retryPeriod" "2s"', "watcher/engine/options.h", "retry_period = absl::Seconds(2)"),
    ('"min" "50ms"', "watcher/engine/options.h", "retry_min = absl::Milliseconds(50)"),
    ('"max" "5m"', "watcher/engine/options.h", "retry_max = absl::Minutes(5)"),
    ('"planLife" "10s"', "watcher/engine/options.h", "plan_life = absl::Seconds(10)"),
    ('"maxPlanAge" "12s"', "applier/engine/admission/policy.h", "max_plan_age = absl::Seconds(12)"),
    ('"requestTimeout" "10s" "lease"', "watcher/engine/options.h", "request_timeout = absl::Seconds(10)"),
    ('"requestTimeout" "10s" "writes"', "applier/service/settings.h", "request_timeout = absl::Seconds(10)"),
    ('"streamsPerAddress" 2', "watcher/service/settings.h", "streams_per_address = 2"),
    ("serves 64 calls", "common/rpc/server/server.h", "max_calls = 64"),
    ('"start" 32', "applier/service/settings.h", "writes_start = 32"),
    ('"max" 256', "applier/service/settings.h", "writes_max = 256"),
])
def test_the_checks_know_the_defaults_of_the_services(here, file, there):
    assert here in (paths.CHART / "templates/_checks.tpl").read_text() and there in (paths.ROOT / file).read_text()


# Values that templates take as a whole.
WHOLE = {"resources", "strategy", "startupProbe", "livenessProbe", "readinessProbe", "thresholds", "privateKey"}


def test_every_value_is_used_by_a_template():
    templates = "\n".join(path.read_text(encoding="utf-8") for path in (paths.CHART / "templates").rglob("*") if path.is_file())
    words = set(re.findall(r"(?:\.|\")(\w+)", templates))  # .Values.a.b, $settings.b, get $settings "b"
    listed = [(*path, key) for path, values in maps(VALUES) if not WHOLE & set(path) for key in values]
    assert len(listed) > 100
    assert [".".join(path) for path in listed if path[-1] not in words] == []


def test_a_release_name_that_can_name_no_service_is_refused():
    assert "begins with a letter" in refusal({}, release="1st")
    render({"fullnameOverride": "first"}, release="1st")


@pytest.mark.parametrize("image, rendered", [
    ({}, "xebec:0.1.0"),
    ({"tag": "1.2.3"}, "xebec:1.2.3"),
    ({"registry": "r.example:5000", "repository": "a/xebec"}, "r.example:5000/a/xebec:0.1.0"),
    ({"digest": "sha256:" + "a" * 64}, "xebec@sha256:" + "a" * 64),
    ({"tag": "1", "digest": "sha256:" + "a" * 64}, "xebec:1@sha256:" + "a" * 64),
])
def test_one_image_is_named_by_registry_tag_and_digest(image, rendered):
    images = {container["image"] for pod in chart.pod_templates(render({"image": image})).values() for container in pod["spec"]["containers"]}
    assert images == {rendered}


def test_a_global_registry_wins_and_pull_secrets_add_up():
    documents = render({"global": {"imageRegistry": "r.example", "imagePullSecrets": [{"name": "a"}]},
                        "image": {"registry": "other"}, "imagePullSecrets": ["b"]})
    for pod in chart.pod_templates(documents).values():
        assert pod["spec"]["containers"][0]["image"] == "r.example/xebec:0.1.0"
        assert pod["spec"]["imagePullSecrets"] == [{"name": "a"}, {"name": "b"}]


def test_a_pull_secret_that_is_named_twice_is_used_once():
    documents = render({"global": {"imagePullSecrets": ["a"]}, "imagePullSecrets": [{"name": "a"}]})
    assert {str(pod["spec"]["imagePullSecrets"]) for pod in chart.pod_templates(documents).values()} == {"[{'name': 'a'}]"}


@pytest.mark.parametrize("namespace", ["no", "1234"])
def test_a_namespace_that_yaml_could_read_as_another_type_stays_a_string(namespace):
    documents = render({"watchNamespaces": [namespace]}, namespace=namespace)
    assert {document["metadata"].get("namespace", namespace) for document in documents} <= {namespace, "kube-system"}
    assert {subject.get("namespace", namespace) for document in documents for subject in document.get("subjects", [])} == {namespace}


def test_settings_of_the_services_do_not_reach_the_certificate_job():
    debug, utc = {"name": "XEBEC_LOG_LEVEL", "value": "debug"}, {"name": "TZ", "value": "UTC"}

    def environments(values):
        templates = chart.pod_templates(render(values))
        return {name: pod["spec"]["containers"][0].get("env", []) for name, pod in templates.items()}

    def of_jobs(values):
        return [env for name, env in environments(values).items() if "Job/" in name and "certs" in name]
    default = {"defaults": {"extraEnv": [debug, utc]}}
    assert of_jobs(default) == [[utc]] * 2
    assert all(debug in environments(default)[f"Deployment/xebec-{name}"] for name in chart.COMPONENTS)
    assert of_jobs(default | {"tls": {"auto": {"pod": {"extraEnv": [debug]}}}}) == [[debug]] * 2


def test_a_component_has_the_last_word_over_the_defaults():
    documents = render({"defaults": {"priorityClassName": "low", "livenessProbe": {"enabled": False}, "nodeSelector": {"a": "1"}},
                        "planner": {"priorityClassName": "high", "livenessProbe": {"enabled": True}, "nodeSelector": {"b": "2"}}})
    pods = {name: chart.pod_templates(documents)[f"Deployment/xebec-{name}"]["spec"] for name in chart.COMPONENTS}
    assert [pods[name]["priorityClassName"] for name in chart.COMPONENTS] == ["low", "high", "low"]
    assert ["livenessProbe" in pods[name]["containers"][0] for name in chart.COMPONENTS] == [False, True, False]
    assert pods["planner"]["nodeSelector"] == {"kubernetes.io/os": "linux", "a": "1", "b": "2"}


def test_a_component_can_switch_off_what_the_defaults_switch_on():
    documents = render({"watcher": {"startupProbe": {"enabled": False}, "revisionHistoryLimit": 0}})
    deployment = chart.named(documents, "Deployment", "xebec-watcher")
    assert "startupProbe" not in deployment["spec"]["template"]["spec"]["containers"][0]
    assert deployment["spec"]["revisionHistoryLimit"] == 0


@pytest.mark.parametrize("values", [{"defaults": {"strategy": {"type": "Recreate"}}}, {name: {"strategy": {"type": "Recreate"}} for name in chart.COMPONENTS}])
def test_pods_that_are_replaced_at_once_roll_nothing(values):
    assert [d["spec"]["strategy"] for d in of_kind(render(values), "Deployment")] == 3 * [{"type": "Recreate"}]
    back = render({"defaults": {"strategy": {"type": "Recreate"}}, "watcher": {"strategy": {"type": "RollingUpdate"}}})
    assert chart.named(back, "Deployment", "xebec-watcher")["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 1, "maxUnavailable": 0}


def test_whose_users_a_pod_has_is_said_only_when_asked():
    assert all("hostUsers" not in pod["spec"] for pod in chart.pod_templates(render({})).values())
    documents = render({"defaults": {"hostUsers": False}, "watcher": {"hostUsers": True}, "planner": {"hostUsers": ""}})
    asked = {name: pod["spec"].get("hostUsers") for name, pod in chart.pod_templates(documents).items() if "/xebec-certs-" not in name}
    assert asked == {"Deployment/xebec-watcher": True, "Deployment/xebec-planner": None, "Deployment/xebec-applier": False, "CronJob/xebec-certs": False}
    assert chart.named(documents, "Pod", "xebec-check")["spec"]["hostUsers"] is False


def test_extra_objects_are_rendered_as_maps_and_as_text():
    documents = render({"extraObjects": [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "{{ .Release.Name }}-map"}},
                                         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ include \"xebec.fullname\" . }}-text'}"]})
    assert {"xebec-map", "xebec-text"} <= {d["metadata"]["name"] for d in of_kind(documents, "ConfigMap")}


def test_every_value_of_the_presets_is_known():
    for preset in ("values-ha.yaml", "values-minimal.yaml"):
        render({"files": [preset]})


def keys(properties, prefix=""):
    for key, schema in properties.items():
        if schema.get("properties"):
            yield from keys(schema["properties"], f"{prefix}{key}.")
        else:
            yield prefix + key


@pytest.mark.parametrize("component", [*chart.COMPONENTS, "hooks"])
def test_settings_of_a_service_are_the_charts_or_the_users(everything, component):
    """Every key that the binary knows is set by the chart or can be set in <component>.config, and none is both."""
    known = set(re.findall(r'binder\.Add(?:Choice)?\(\s*"([\w.]+)"', settings_code(component)))
    users = set(keys(SCHEMA["properties"][component]["properties"]["config"]["properties"]))
    ours = {"metricsListen", "listen", "drainTimeout", "log.level", "log.format", "tls.certificate", "tls.key", "tls.ca",
            "tls.watchers", "tls.clients"}
    ours |= {"watcher": {"advertise", "kubeconfig", "context", "planner", "applier", "kinds", "namespaces", "hooks.gateway", "hooks.parents", "hooks.children", "lease.enabled", "lease.instance", "lease.namespace", "lease.prefix"},
             "planner": {"plaintextListen", "reflection"},
             "applier": {"kubeconfig", "context", "allow", "denyNamespaces", "lease.namespace", "lease.prefix"},
             "hooks": {"allowedHosts", "deniedHosts", "allowPlaintext", "allowLoopback", "clusterDomain", "credentials"}}[component]
    assert users | ours == known
    assert not users & ours
    rendered = chart.config(render(chart.VARIANTS["hooks"]) if component == "hooks" else everything, component)
    written = {f"{key}.{inner}" for key, value in rendered.items() if isinstance(value, dict) for inner in value} | \
              {key for key, value in rendered.items() if not isinstance(value, dict)}
    assert written <= known


def test_a_deletion_budget_of_the_number_of_watchers_in_a_rollout_is_enough():
    render({"watcher": {"replicas": 4, "config": {"deletion": {"budget": 5}}}})
    render({"watcher": {"replicas": 4, "config": {"deletion": {"budget": 4}}, "strategy": {"type": "Recreate", "rollingUpdate": None}}})


def test_deletions_and_watchers_can_be_stopped_as_documented():
    documents = render({"watcher": {"replicas": 0, "config": {"deletion": {"budget": 0}}}})
    assert chart.config(documents, "watcher")["deletion"] == {"budget": 0}
    assert chart.named(documents, "Deployment", "xebec-watcher")["spec"]["replicas"] == 0


def test_what_a_user_adds_to_a_configuration_comes_on_top():
    documents = render({"watcher": {"config": {"lease": {"duration": "30s"}, "listPage": 1000000 // 100}}})
    config = chart.config(documents, "watcher")
    assert config["lease"] == {"namespace": chart.NAMESPACE, "prefix": "xebec-watcher-", "duration": "30s"}
    assert config["listPage"] == 10000
