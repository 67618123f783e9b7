# SPDX-License-Identifier: Apache-2.0
"""The rendered objects: names, Pods, certificates, CRDs and monitoring."""

import re

import pytest
import yaml

from support import chart, manifests, paths
from support.chart import config, named, of_kind, pod_templates, render

LONG = "a" * 52 + "z"
ELSEWHERE = {"enabled": True, "namespace": "monitoring"}
RECOMMENDED = {"name", "instance", "component", "part-of", "version", "managed-by"}


# ---- names and labels -----------------------------------------------------------------------------------------


def check_names(documents):
    limits = {"Service": 63, "CronJob": 52, "Job": 63, "Deployment": 63}
    for document in documents:
        name = document["metadata"]["name"]
        assert len(name) <= limits.get(document["kind"], 253), f'{document["kind"]} {name}'
        for value in document["metadata"].get("labels", {}).values():
            assert len(value) <= 63, value
    for pod in pod_templates(documents).values():
        assert all(len(value) <= 63 for value in pod["metadata"]["labels"].values())


@pytest.mark.parametrize("release, values", [(LONG, {}), ("x", {"fullnameOverride": "a" * 46}), ("a.b", {}), (LONG, {"nameOverride": "n" * 63}),
                                             (LONG, {"namespaceOverride": "n" * 63, "watchNamespaces": ["w" * 63], "grafanaDashboard": ELSEWHERE})])
def test_long_names_fit_everywhere(release, values):
    check_names(render(values, release=release))


def test_two_long_releases_do_not_meet():
    names = [{(d["kind"], d["metadata"]["name"]) for d in render({"crds": {"enabled": False}}, release=release)} for release in (LONG, "a" * 53)]
    assert not names[0] & names[1]


def test_a_long_release_is_coherent():
    documents = render({}, release=LONG)
    service = next(d["metadata"]["name"] for d in of_kind(documents, "Service") if d["metadata"]["name"].endswith("-planner"))
    fullname = service.removesuffix("-planner")
    assert config(documents, "watcher", fullname)["planner"] == f"dns:///{service}.{chart.NAMESPACE}.svc:7443"
    assert config(documents, "watcher", fullname)["lease"]["prefix"] == config(documents, "applier", fullname)["lease"]["prefix"]


def places(values, namespace):
    return {(d["kind"], d["metadata"].get("namespace", ""), d["metadata"]["name"]) for d in render(values, namespace=namespace)}


@pytest.mark.parametrize("values, outside", [
    ({}, set()), ({"watchNamespaces": ["team-a", "one"]}, {("Role", "team-a", "one:xebec-watcher"), ("RoleBinding", "team-a", "one:xebec-applier"),
                                                           ("Role", "one", "xebec-watcher")}),
    (chart.VARIANTS["hooks-namespaces"], {(kind, "default", "one:xebec-applier-operators") for kind in ("Role", "RoleBinding")}),
    ({"podMonitor": ELSEWHERE, "prometheusRule": ELSEWHERE, "grafanaDashboard": ELSEWHERE},
     {("PodMonitor", "monitoring", "one.xebec"), ("PrometheusRule", "monitoring", "one.xebec"), ("ConfigMap", "monitoring", "one.xebec-dashboard")}),
    ({"serviceMonitor": ELSEWHERE}, {("ServiceMonitor", "monitoring", "one.xebec")})])
def test_one_release_name_in_two_namespaces_shares_nothing_but_crds(values, outside):
    first, second = places(values, "one"), places(values, "two")
    assert {kind for kind, _, _ in first & second} == {"CustomResourceDefinition"}
    assert outside <= first


def test_an_object_in_a_namespace_that_is_the_releases_by_name_has_no_other_name():
    assert ("PodMonitor", "one", "xebec") in places({"podMonitor": {"enabled": True, "namespace": "one"}}, "one")


@pytest.mark.parametrize("how", [{"namespace": "iris-system"}, {"values": {"namespaceOverride": "iris-system"}}])
def test_it_can_live_in_iris_system(how):
    documents = render(**how)
    for document in documents:
        assert document["metadata"].get("namespace", "iris-system") == "iris-system"
        for subject in document.get("subjects", []):
            assert subject["namespace"] == "iris-system"
    assert config(documents, "watcher")["planner"] == "dns:///xebec-planner.iris-system.svc:7443"
    assert config(documents, "applier")["lease"]["namespace"] == "iris-system"


def test_everything_carries_the_recommended_labels(everything):
    for document in everything:
        if document["metadata"]["name"] == "xebec-extra":
            continue
        labels = document["metadata"]["labels"]
        assert {f"app.kubernetes.io/{label}" for label in RECOMMENDED} | {"helm.sh/chart", "team"} <= set(labels), document["kind"]
        assert document["metadata"]["annotations"]["owner"] == "a"


def test_selectors_are_name_instance_and_component_and_match_their_pods(documents):
    for deployment in of_kind(documents, "Deployment"):
        selector = deployment["spec"]["selector"]["matchLabels"]
        assert set(selector) == {f"app.kubernetes.io/{label}" for label in ("name", "instance", "component")}
        assert selector.items() <= deployment["spec"]["template"]["metadata"]["labels"].items()
    for service in of_kind(documents, "Service"):
        pod = pod_templates(documents)[f'Deployment/{service["metadata"]["name"]}']
        assert service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
        named_ports = {port["name"]: port["containerPort"] for port in pod["spec"]["containers"][0]["ports"]}
        assert {port["name"]: port["port"] for port in service["spec"]["ports"]} == named_ports
        assert service["spec"]["clusterIP"] == "None" and service["spec"]["publishNotReadyAddresses"] is False


# ---- Pods -----------------------------------------------------------------------------------------------------


def test_every_pod_is_restricted(documents):
    for name, pod in pod_templates(documents).items():
        spec = pod["spec"]
        assert spec["securityContext"]["runAsNonRoot"] is True, name
        assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert spec["automountServiceAccountToken"] is False and spec["enableServiceLinks"] is False
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
        assert all(set(volume) - {"name"} <= {"configMap", "secret", "projected"} for volume in spec["volumes"])
        for container in spec["containers"]:
            assert container["securityContext"] == {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                                                    "capabilities": {"drop": ["ALL"]}}
            assert container["command"][0].startswith("/usr/bin/xebec-")
            assert {"cpu", "memory"} <= set(container["resources"]["requests"]) and "memory" in container["resources"]["limits"]


def test_tls_files_are_mounted_whole_so_that_renewals_arrive(documents):
    for pod in (pod for name, pod in pod_templates(documents).items() if name.startswith("Deployment/")):
        (mount,) = [mount for mount in pod["spec"]["containers"][0]["volumeMounts"] if mount["name"] == "tls"]
        assert mount["mountPath"] == "/etc/xebec/tls" and "subPath" not in mount


def test_a_pod_has_time_to_drain(documents):
    for component in chart.COMPONENTS:
        spec = pod_templates(documents)[f"Deployment/xebec-{component}"]["spec"]
        drain = int(config(documents, component)["drainTimeout"].removesuffix("s"))
        pause = spec["containers"][0].get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
        assert spec["terminationGracePeriodSeconds"] >= drain + pause + 5


def test_an_applier_that_drains_has_time_for_what_it_has_asked():
    settings = {"drainSeconds": 40, "config": {"requestTimeout": "30s"}}
    documents = render({"applier": settings, "watcher": {"config": {"requestTimeout": "30s"}}})
    assert config(documents, "applier")["requestTimeout"] == "30s" and config(documents, "applier")["drainTimeout"] == "40s"
    assert pod_templates(documents)["Deployment/xebec-applier"]["spec"]["terminationGracePeriodSeconds"] == 7 + 40 + 10


def test_for_the_loss_of_a_node_equal_pods_must_be_on_several():
    for component in chart.COMPONENTS:
        (spread,) = pod_templates(render(chart.VARIANTS["ha"]))[f"Deployment/xebec-{component}"]["spec"]["topologySpreadConstraints"]
        assert (spread["whenUnsatisfiable"], spread["topologyKey"], spread["maxSkew"]) == ("DoNotSchedule", "kubernetes.io/hostname", 1)
        # Nodes that take no Pods do not count; during a rollout old Pods do not either.
        assert spread["nodeTaintsPolicy"] == "Honor" and spread["matchLabelKeys"] == ["pod-template-hash"]


def test_a_spread_without_a_selector_gets_the_labels_of_its_service_and_another_keeps_its_own():
    zone = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
    own = {"labelSelector": {"matchLabels": {"app.kubernetes.io/part-of": "xebec"}}}
    documents = render({"planner": {"topologySpreadConstraints": [zone, zone | own]}})
    first, second = pod_templates(documents)["Deployment/xebec-planner"]["spec"]["topologySpreadConstraints"]
    assert first["labelSelector"] == named(documents, "Deployment", "xebec-planner")["spec"]["selector"]
    assert second == zone | own


def test_a_changed_configuration_replaces_the_pods_of_that_service_alone(default):
    changed = render({"applier": {"config": {"maxDeletions": 1}}})
    different = [name for name, pod in pod_templates(default).items() if pod != pod_templates(changed)[name]]
    assert different == ["Deployment/xebec-applier"]


def test_a_new_chart_version_alone_replaces_no_pod(default):
    for pod in pod_templates(default).values():
        assert not {"helm.sh/chart", "app.kubernetes.io/version"} & set(pod["metadata"]["labels"])


def test_probes_ask_the_plain_port_of_the_service_itself(default):
    for component, port in {"watcher": 8081, "planner": 8080, "applier": 8082}.items():
        container = pod_templates(default)[f"Deployment/xebec-{component}"]["spec"]["containers"][0]
        paths_asked = {probe: container[probe]["httpGet"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
        assert paths_asked == {"startupProbe": {"path": "/livez", "port": "http"}, "livenessProbe": {"path": "/livez", "port": "http"},
                               "readinessProbe": {"path": "/readyz", "port": "http"}}
        assert config(default, component)["metricsListen"] == f"0.0.0.0:{port}"


def test_a_budget_exists_where_there_is_more_than_one(default, everything):
    assert of_kind(default, "PodDisruptionBudget") == []
    budgets = {d["metadata"]["name"]: d["spec"] for d in of_kind(everything, "PodDisruptionBudget")}
    assert set(budgets) == {f"xebec-{component}" for component in chart.COMPONENTS}
    assert budgets["xebec-watcher"]["maxUnavailable"] == 1 and budgets["xebec-applier"]["minAvailable"] == 1


def test_a_scaled_planner_has_no_replicas_of_its_own(everything):
    assert "replicas" not in named(everything, "Deployment", "xebec-planner")["spec"]
    assert named(everything, "HorizontalPodAutoscaler", "xebec-planner")["spec"]["scaleTargetRef"]["name"] == "xebec-planner"


def test_plaintext_is_for_loopback_alone(default, everything):
    assert "plaintextListen" not in config(default, "planner") and config(default, "planner")["reflection"] is False
    assert config(everything, "planner")["plaintextListen"] == ["127.0.0.1:7445"] and config(everything, "planner")["reflection"] is True


# ---- certificates ---------------------------------------------------------------------------------------------


def test_the_job_gets_a_new_name_when_its_spec_changes_and_only_then(default):
    def job(documents):
        (found,) = of_kind(documents, "Job")
        return found["metadata"]["name"]
    assert job(render({"watcher": {"replicas": 2}})) == job(default)
    assert job(render({"image": {"tag": "0.1.1"}})) != job(default)
    assert job(render({"tls": {"auto": {"certDuration": "1000h"}}})) != job(default)


def test_the_job_and_the_cronjob_do_the_same(default):
    (job,), (cron,) = of_kind(default, "Job"), of_kind(default, "CronJob")
    template = cron["spec"]["jobTemplate"]["spec"]
    assert template.pop("ttlSecondsAfterFinished")
    assert job["spec"] == template, "a GitOps controller would create the Job again after Kubernetes deleted it"
    assert "helm.sh/hook" not in job["metadata"].get("annotations", {})


@pytest.mark.parametrize("name", ["cert-manager", "cert-manager-own-issuer"])
def test_cert_manager_issues_what_the_services_prove_and_ask_for(name):
    documents = render(chart.VARIANTS[name])
    settings = config(documents, "watcher")
    certificates = {d["metadata"]["name"]: d["spec"] for d in of_kind(documents, "Certificate") if not d["spec"].get("isCA")}
    for component in ("planner", "applier"):
        host = re.fullmatch(r"dns:///(.*):\d+", settings[component])[1]
        assert host in certificates[f"xebec-{component}-tls"]["dnsNames"]
    assert certificates["xebec-watcher-tls"]["uris"] == config(documents, "applier")["tls"]["watchers"]
    assert certificates["xebec-client-tls"]["uris"] == config(documents, "planner")["tls"]["clients"]
    for component in chart.COMPONENTS:
        volumes = pod_templates(documents)[f"Deployment/xebec-{component}"]["spec"]["volumes"]
        assert certificates[f"xebec-{component}-tls"]["secretName"] in [v["secret"]["secretName"] for v in volumes if "secret" in v]
    issuers = {d["metadata"]["name"] for d in of_kind(documents, "Issuer")} or {"corp"}
    assert {certificate["issuerRef"]["name"] for certificate in certificates.values()} <= issuers
    assert not of_kind(documents, "Job", "CronJob")


def test_a_ca_of_cert_manager_keeps_its_key_and_what_it_signs_does_not():
    """Certificates from before and after its renewal have to trust each other."""
    policies = {d["metadata"]["name"]: d["spec"]["privateKey"]["rotationPolicy"] for d in of_kind(render(chart.VARIANTS["cert-manager"]), "Certificate")}
    assert policies == {"xebec-ca": "Never", **{f"xebec-{who}-tls": "Always" for who in (*chart.COMPONENTS, "client")}}


def test_existing_secrets_are_mounted_and_nobody_writes_certificates():
    documents = render(chart.VARIANTS["existing-secret"])
    for component in chart.COMPONENTS:
        volumes = pod_templates(documents)[f"Deployment/xebec-{component}"]["spec"]["volumes"]
        assert {"name": "tls", "secret": {"secretName": f"my-{component}"}} in volumes
    assert not of_kind(documents, "Job", "CronJob", "Certificate", "Issuer")


# ---- CRDs -----------------------------------------------------------------------------------------------------


def test_crds_are_those_of_the_files_and_stay_on_uninstall(default):
    rendered = {d["metadata"]["name"]: d for d in of_kind(default, "CustomResourceDefinition")}
    files = {d["metadata"]["name"]: d for d in manifests.crds_of_kinds()}
    assert {name: d["spec"] for name, d in rendered.items()} == {name: d["spec"] for name, d in files.items()}
    assert all(d["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep" for d in rendered.values())


def test_crds_can_be_left_out_or_let_go():
    assert of_kind(render({"crds": {"enabled": False}}), "CustomResourceDefinition") == []
    assert all("annotations" not in d["metadata"] for d in of_kind(render({"crds": {"keep": False}}), "CustomResourceDefinition"))


# ---- what watches over it -------------------------------------------------------------------------------------


def test_network_policies_let_the_watcher_call_and_the_planner_call_nobody(everything):
    policies = {d["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/component"]: d["spec"] for d in of_kind(everything, "NetworkPolicy")}
    assert set(policies) == {*chart.COMPONENTS, "certs", "check"}
    assert all(policy["policyTypes"] == ["Ingress", "Egress"] for policy in policies.values())
    assert policies["planner"]["egress"] == []

    def callers(component):
        return [peer["podSelector"]["matchLabels"]["app.kubernetes.io/component"] for rule in policies[component]["ingress"]
                if rule["ports"][0]["port"] == "grpc" for peer in rule["from"]]
    assert callers("planner") == callers("applier") == callers("watcher") == ["watcher", "check"]
    called = {port["port"] for rule in policies["watcher"]["egress"] for port in rule["ports"]}
    assert called == {443, 6443, 53, 7442, 7443, 7444}
    for component in ("applier", "certs"):
        assert {port["port"] for rule in policies[component]["egress"] for port in rule["ports"]} == {443, 6443, 53}
    assert {port["port"] for rule in policies["check"]["egress"] for port in rule["ports"]} == {53, 7442, 7443, 7444}
    assert policies["check"]["ingress"] == []


def test_dns_may_have_another_port():
    documents = render({"networkPolicy": {"enabled": True, "dns": {"ports": [53, 5353]}}, "hooks": chart.HOOKS})
    for policy in of_kind(documents, "NetworkPolicy"):
        if policy["metadata"]["name"] != "xebec-planner":
            dns = [rule["ports"] for rule in policy["spec"]["egress"] if {"port": 53, "protocol": "UDP"} in rule.get("ports", [])]
            assert dns == [[{"port": port, "protocol": protocol} for port in (53, 5353) for protocol in ("UDP", "TCP")]], policy["metadata"]["name"]


def test_clients_can_be_admitted_to_watcher_and_planner_only():
    clients = {"namespaceSelector": {"matchLabels": {"name": "clients"}}}
    policies = of_kind(render({"networkPolicy": {"enabled": True, "clientsFrom": [clients]}}), "NetworkPolicy")
    let = {d["spec"]["podSelector"]["matchLabels"]["app.kubernetes.io/component"]
           for d in policies for rule in d["spec"].get("ingress", []) if clients in rule["from"] and rule["ports"] == [{"port": "grpc", "protocol": "TCP"}]}
    assert let == {"watcher", "planner"}


@pytest.mark.parametrize("component", chart.COMPONENTS)
def test_further_containers_are_beside_ours_under_the_runtime_class(component):
    beside, first = {"name": "beside", "image": "beside:1"}, {"name": "first", "image": "first:1"}
    pods = pod_templates(render({component: {"extraContainers": [beside], "extraInitContainers": [first], "runtimeClassName": "sandboxed"}}))
    for name, pod in pods.items():
        mine = name.endswith(f"xebec-{component}")
        assert (beside in pod["spec"]["containers"], first in pod["spec"].get("initContainers", [])) == (mine, mine), name
        assert pod["spec"].get("runtimeClassName") == ("sandboxed" if mine else None), name


@pytest.mark.parametrize("mode, secret", [("auto", "xebec-watcher-tls"), ("existingSecret", "my-watcher")])
def test_helm_test_asks_all_three_services_with_the_watchers_certificate(mode, secret):
    secrets = {component: f"my-{component}" for component in chart.COMPONENTS}
    pod = named(render({"tls": {"mode": mode, "existingSecret": secrets}}), "Pod", "xebec-check")
    assert pod["metadata"]["annotations"]["helm.sh/hook"] == "test"
    (container,) = pod["spec"]["containers"]
    assert container["command"] == ["/usr/bin/xebec", "check"]
    assert "--wait=40s" in container["args"]  # longer than the 30 s for which a cluster's DNS may show Pods that went
    for component, port in (("watcher", 7442), ("planner", 7443), ("applier", 7444)):
        assert f"--{component}=dns:///xebec-{component}.{chart.NAMESPACE}.svc:{port}" in container["args"]
    assert pod["spec"]["volumes"] == [{"name": "tls", "secret": {"secretName": secret}}]
    assert pod["spec"]["automountServiceAccountToken"] is False and pod["spec"]["restartPolicy"] == "Never"


def metrics_in_the_code():
    """Names of all metrics, as the sources write them."""
    found = set()
    pattern = r'"((?:xebec|controller_runtime|workqueue|leader_election|rest_client|certwatcher|certificate|process)_[a-z_]+)"'
    for folder in ("watcher", "planner", "applier", "hooks", "common"):
        for path in (paths.ROOT / folder).rglob("*.cc"):
            if not path.name.endswith("_test.cc"):
                found |= set(re.findall(pattern, path.read_text()))
    return found - {"process_id"}


def metrics_named_in(text):
    names = set(re.findall(r"\b((?:xebec|controller_runtime|workqueue|leader_election|rest_client|certwatcher|certificate|process)_[a-z_]+)", text))
    return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}


@pytest.mark.parametrize("file", ["files/alerts.yaml", "files/dashboard.json"])
def test_alerts_and_dashboard_ask_for_metrics_that_exist(file):
    named_there = metrics_named_in((paths.CHART / file).read_text())
    assert len(named_there) > 12
    assert named_there <= metrics_in_the_code()


def test_the_dashboard_shows_how_the_watchers_share_the_buckets():
    shown = metrics_named_in((paths.CHART / "files/dashboard.json").read_text())
    assert {"xebec_buckets_held", "xebec_bucket_moves_total", "xebec_buckets_unassigned"} <= shown


def test_every_alert_has_a_runbook_and_every_metric_its_row(everything):
    page = (paths.ROOT / "docs/operations.md").read_text()
    (rule,) = of_kind(everything, "PrometheusRule")
    for alert in rule["spec"]["groups"][0]["rules"]:
        assert "runbook_url" not in alert["annotations"]
        assert f'### {alert["alert"]}\n' in page
        assert f'| [{alert["alert"]}](#{alert["alert"].lower()}) | {alert["labels"]["severity"]} | ' in page
        assert "SELECTOR" not in alert["expr"] and "$" not in alert["expr"] and 'namespace="xebec-system"' in alert["expr"]
    assert metrics_in_the_code() == metrics_named_in(page)


def test_alerts_link_to_their_runbooks_where_that_is_known():
    rule = named(render(chart.VARIANTS["service-monitor"]), "PrometheusRule", "xebec")
    for alert in rule["spec"]["groups"][0]["rules"]:
        assert alert["annotations"]["runbook_url"] == f'https://runbooks.example/xebec#{alert["alert"].lower()}'


def test_both_monitors_find_the_ports_of_all_three(everything):
    services = render(chart.VARIANTS["service-monitor"])
    pods = named(everything, "PodMonitor", "xebec")["spec"]
    spec = named(services, "ServiceMonitor", "xebec")["spec"]
    assert spec["selector"] == pods["selector"] and spec["namespaceSelector"] == pods["namespaceSelector"] == {"matchNames": [chart.NAMESPACE]}
    for service in of_kind(services, "Service"):
        labels = service["metadata"]["labels"]
        assert spec["selector"]["matchLabels"].items() <= labels.items()
        assert labels["app.kubernetes.io/component"] in spec["selector"]["matchExpressions"][0]["values"]
        assert spec["endpoints"][0]["port"] in [port["name"] for port in service["spec"]["ports"]]


def test_the_dashboard_is_json_for_grafanas_sidecar(everything):
    dashboard = named(everything, "ConfigMap", "xebec-dashboard")
    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert len(yaml.safe_load(dashboard["data"]["xebec.json"])["panels"]) > 10


@pytest.mark.parametrize("place", ["charts/xebec/values.yaml", "charts/xebec/templates/NOTES.txt", "docs/scaling.md"])
def test_it_is_said_everywhere_that_more_watchers_share_the_load(place):
    text = re.sub(r"[\s#|]+", " ", (paths.ROOT / place).read_text())
    assert "hare the load" in text and "do not share" not in text
