# SPDX-License-Identifier: Apache-2.0
"""Pods that run to completion, and what users can attach to every object."""

import pytest
import yaml

from support import chart, manifests, paths
from support.chart import named, of_kind, pod_templates, render

SIDECAR, LINKERD = "sidecar.istio.io/inject", "linkerd.io/inject"
ENV = [{"name": "HTTPS_PROXY", "value": "http://proxy.example:3128"}]


def job_pods(values):
    documents = render(values)
    pods = {name.split("/")[0]: pod for name, pod in pod_templates(documents).items() if "/xebec-certs" in name}
    return {**pods, "check": named(documents, "Pod", "xebec-check")}


def test_the_certificate_job_cannot_hang_forever():
    documents = render({"tls": {"auto": {"activeDeadlineSeconds": 300}}})
    (job,), (cron,) = of_kind(documents, "Job"), of_kind(documents, "CronJob")
    assert job["spec"]["activeDeadlineSeconds"] == cron["spec"]["jobTemplate"]["spec"]["activeDeadlineSeconds"] == 300


def test_an_image_that_is_loaded_late_is_still_picked_up():
    """The Job of an installation waits for it: the name of the Job does not change, so an upgrade creates no other
    one."""
    (job,) = of_kind(render({}), "Job")
    assert job["spec"]["activeDeadlineSeconds"] == 3600


def test_the_log_of_a_certificate_job_can_be_read_until_the_next_one():
    documents = render({})
    for name, pod in pod_templates(documents).items():
        if "/xebec-certs" in name:
            assert pod["spec"]["restartPolicy"] == "Never", "with OnFailure, the Job deletes its Pod when it gives up"
            assert pod["spec"]["containers"][0]["terminationMessagePolicy"] == "FallbackToLogsOnError"
    (cron,) = of_kind(documents, "CronJob")
    assert cron["spec"]["schedule"] == "23 4 * * *" and cron["spec"]["jobTemplate"]["spec"]["ttlSecondsAfterFinished"] > 86400


def test_service_meshes_inject_no_sidecar_into_pods_that_must_end():
    pods = job_pods({"defaults": {"podLabels": {SIDECAR: "true", "a": "1"}, "podAnnotations": {LINKERD: "enabled", "b": "2"}}})
    assert set(pods) == {"Job", "CronJob", "check"}
    for pod in pods.values():
        assert {SIDECAR: "false", "a": "1"}.items() <= pod["metadata"]["labels"].items()
        assert {LINKERD: "disabled", "b": "2"}.items() <= pod["metadata"]["annotations"].items()


def test_defaults_reach_job_pods_and_their_own_settings_override_them():
    own = {"extraEnv": ENV, "nodeSelector": {"pool": "jobs"}, "priorityClassName": "low"}
    common = {"extraEnvFrom": [{"configMapRef": {"name": "proxy"}}], "priorityClassName": "high"}
    for values in ({"tls": {"auto": {"pod": own}}, "check": {"pod": own}, "defaults": common}, {"defaults": {**common, **own}}):
        for pod in job_pods(values).values():
            (container,) = pod["spec"]["containers"]
            assert container["env"] == ENV and container["envFrom"] == common["extraEnvFrom"]
            assert pod["spec"]["nodeSelector"]["pool"] == "jobs" and pod["spec"]["priorityClassName"] == "low"


def test_services_and_accounts_take_annotations_labels_and_pull_secrets():
    extra = {"annotations": {"note": "a"}, "labels": {"tier": "b"}, "imagePullSecrets": ["pull", {"name": "me"}]}
    documents = render({"defaults": {"serviceAnnotations": {"note": "s"}, "serviceLabels": {"tier": "s"}}, "tls": {"auto": {"serviceAccount": extra}},
                        "watcher": {"serviceAccount": extra}, "planner": {"serviceAccount": extra, "serviceLabels": {"tier": "p"}},
                        "applier": {"serviceAccount": extra}})
    accounts = of_kind(documents, "ServiceAccount")
    assert len(accounts) == len(chart.COMPONENTS) + 1
    for account in accounts:
        assert account["metadata"]["annotations"]["note"] == "a" and account["metadata"]["labels"]["tier"] == "b"
        assert account["imagePullSecrets"] == [{"name": "pull"}, {"name": "me"}]
    services = {d["metadata"]["name"]: d["metadata"] for d in of_kind(documents, "Service")}
    assert all(metadata["annotations"] == {"note": "s"} for metadata in services.values())
    assert [services[f"xebec-{name}"]["labels"]["tier"] for name in chart.COMPONENTS] == ["s", "p", "s"]


@pytest.mark.parametrize("monitor, kind", [("podMonitor", "PodMonitor"), ("serviceMonitor", "ServiceMonitor")])
def test_the_label_job_names_the_release(monitor, kind):
    """The dashboard selects a release by it."""
    (found,) = of_kind(render({monitor: {"enabled": True}}), kind)
    assert found["spec"]["jobLabel"] == "app.kubernetes.io/instance"


def test_a_shared_issuer_needs_an_explicit_acknowledgement():
    issuer = {"name": "corp", "kind": "ClusterIssuer"}
    render({"tls": {"mode": "certManager", "certManager": {"issuerRef": issuer, "allowSharedIssuer": True}}})
    render({"tls": {"mode": "certManager", "certManager": {"issuerRef": {"name": "corp"}}}})


def test_the_chart_lists_its_crds_for_artifact_hub():
    listed = yaml.safe_load((paths.CHART / "Chart.yaml").read_text())
    crds = {(crd["spec"]["names"]["kind"], crd["spec"]["versions"][0]["name"], crd["metadata"]["name"]) for crd in manifests.crds()}
    assert {(each["kind"], each["version"], each["name"]) for each in yaml.safe_load(listed["annotations"]["artifacthub.io/crds"])} == crds
    assert listed["maintainers"]
