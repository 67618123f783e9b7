# SPDX-License-Identifier: Apache-2.0
"""User-defined operators in the chart: the gateway, the rights, and what is refused."""

import re

import pytest

from support import chart, paths
from support.chart import Grant, grants, named, of_kind, refusal, render, roles_of

OPERATORS = {Grant("xebec.dev", "operators", "", verb) for verb in ("get", "list", "watch")}
FORBIDDEN = re.findall(r'"([\w.]+\.k8s\.io)"', (paths.ROOT / "common/declare/forbidden.cc").read_text())


def hooks(**values):
    return {"hooks": chart.HOOKS | values}


@pytest.fixture(scope="module")
def with_hooks():
    return render(chart.VARIANTS["hooks"])


def test_without_hooks_nothing_of_them_is_rendered(default):
    assert [d["metadata"]["name"] for d in default if "hooks" in d["metadata"]["name"] or "operators" in d["metadata"]["name"]] == []
    assert "hooks" not in chart.config(default, "watcher")


def test_the_gateway_has_neither_rights_nor_a_token(with_hooks):
    assert roles_of(with_hooks, "xebec-hooks") == {}
    assert named(with_hooks, "ServiceAccount", "xebec-hooks")["automountServiceAccountToken"] is False
    pod = chart.pod_templates(with_hooks)["Deployment/xebec-hooks"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert {volume["name"]: volume.get("secret", {}).get("secretName") for volume in pod["volumes"]} == \
        {"config": None, "tls": "xebec-hooks-tls", "credential-team-a": "team-a-tls"}


def test_the_gateway_is_told_where_hooks_may_be(with_hooks):
    config = chart.config(with_hooks, "hooks")
    assert config["credentials"] == ["team-a=/etc/xebec/credentials/team-a@*.team-a.svc|hooks.example.com"]
    assert config["allowedHosts"] == ["hooks.example.com"] and config["allowPlaintext"] is True
    assert config["deniedHosts"] == [f"xebec-{who}.{chart.NAMESPACE}.svc" for who in (*chart.COMPONENTS, "hooks")] + ["10.96.0.0/12"]
    assert config["tls"]["watchers"] == [f"spiffe://cluster.local/ns/{chart.NAMESPACE}/sa/xebec-watcher"]


@pytest.mark.parametrize("values, fullname", [({}, "xebec"), ({"fullnameOverride": "other"}, "other"), ({"clusterDomain": "corp.example"}, "xebec")])
def test_every_service_of_the_release_is_denied_by_its_own_name(values, fullname):
    documents = render(hooks() | values)
    services = of_kind(documents, "Service")
    assert [each["metadata"]["name"] for each in services if each["spec"]["clusterIP"] != "None"] == []
    # The policy of the gateway denies the subdomains, too: hooks/engine/endpoint_policy_test.cc,
    # DeniedServiceIncludesTheNamesOfItsPods.
    config = chart.config(documents, "hooks", fullname)
    assert config["deniedHosts"] == [f'{each["metadata"]["name"]}.{chart.NAMESPACE}.svc' for each in services]
    assert config["clusterDomain"] == values.get("clusterDomain", "cluster.local")


def test_watcher_and_applier_get_the_rights_on_what_operators_may_name(default, with_hooks):
    def added(component):
        return roles_of(with_hooks, f"xebec-{component}")[""] - roles_of(default, f"xebec-{component}")[""]
    read = {Grant("example.com", "websites", "", verb) for verb in ("get", "list", "watch")}
    assert added("watcher") == OPERATORS | read | {Grant("", "nodes", "", verb) for verb in ("get", "list", "watch")}
    assert added("applier") == {
        *(Grant(group, resource, "", verb) for group, resource in (("example.com", "websites"), ("xebec.dev", "operators")) for verb in ("get", "patch")),
        *(Grant(group, f"{resource}/status", "", verb) for group, resource in (("example.com", "websites"), ("xebec.dev", "operators"))
          for verb in ("patch", "update")),
        *(Grant(group, f"{resource}/finalizers", "", "update") for group, resource in (("example.com", "websites"), ("xebec.dev", "operators"))),
        Grant("", "configmaps", "", "delete")}


def test_both_services_get_the_lists(with_hooks):
    assert chart.config(with_hooks, "watcher")["hooks"] == {
        "gateway": f"dns:///xebec-hooks.{chart.NAMESPACE}.svc:7446", "parents": ["websites.example.com"], "children": ["configmaps", "deployments.apps"]}
    assert {"operators.xebec.dev", "websites.example.com", "configmaps"} <= set(chart.config(with_hooks, "applier")["allow"])
    assert "nodes" not in chart.config(with_hooks, "applier")["allow"]


def test_the_applier_itself_refuses_the_namespace_of_the_release(default, with_hooks):
    without_policies = render(hooks(admissionPolicy={"enabled": False}))
    for documents in with_hooks, without_policies, render(chart.VARIANTS["hooks-aggregate"]):
        assert chart.config(documents, "applier")["denyNamespaces"] == [chart.NAMESPACE]
    assert "denyNamespaces" not in chart.config(default, "applier")


def test_with_namespaces_only_operators_are_in_the_whole_cluster():
    documents = render(chart.VARIANTS["hooks-namespaces"])
    assert roles_of(documents, "xebec-watcher")[""] == OPERATORS
    assert Grant("example.com", "websites", "", "list") in roles_of(documents, "xebec-watcher")["team-a"]
    allow = chart.config(documents, "applier")["allow"]
    assert "operators.xebec.dev" in allow and "websites.example.com@team-a" in allow and "websites.example.com" not in allow


EVENTS = {Grant("events.k8s.io", "events", "", verb) for verb in ("create", "patch")}


def test_with_namespaces_the_applier_publishes_events_of_operators_in_default_and_nothing_else_there():
    """Events of cluster-scoped objects are in the namespace default: EventNamespace in
    applier/engine/events/event_body.cc."""
    documents = render(chart.VARIANTS["hooks-namespaces"])
    assert roles_of(documents, "xebec-applier")["default"] == EVENTS
    assert "default" not in roles_of(documents, "xebec-watcher")
    there = [d for d in documents if d["metadata"].get("namespace") == "default"]
    assert [(d["kind"], d["metadata"]["name"]) for d in there] == [(kind, f"{chart.NAMESPACE}:xebec-applier-operators") for kind in ("Role", "RoleBinding")]
    assert there[1]["subjects"] == [{"kind": "ServiceAccount", "name": "xebec-applier", "namespace": chart.NAMESPACE}]
    assert {d["metadata"]["labels"]["app.kubernetes.io/component"] for d in there} == {"applier-operators"}
    assert [rule for rule in chart.config(documents, "applier")["allow"] if rule.endswith("@default")] == []


@pytest.mark.parametrize("watched", [["default"], ["team-a", "default"]])
def test_where_default_is_watched_its_role_contains_the_right_to_publish_events(watched):
    documents = render(hooks() | {"watchNamespaces": watched})
    assert roles_of(documents, "xebec-applier")["default"] > EVENTS
    names = [d["metadata"]["name"] for d in of_kind(documents, "Role") if d["metadata"]["namespace"] == "default"]
    assert sorted(names) == [f"{chart.NAMESPACE}:xebec-{component}" for component in ("applier", "watcher")]


def test_a_release_in_default_publishes_events_of_operators_beside_itself():
    documents = render(chart.VARIANTS["hooks-namespaces"], namespace="default")
    found = roles_of(documents, "xebec-applier")["default"]
    assert {grant for grant in found if grant.resource != "leases"} == EVENTS
    assert named(documents, "RoleBinding", "xebec-applier-operators")["metadata"]["namespace"] == "default"


@pytest.mark.parametrize("values", [{}, hooks(), {"watchNamespaces": ["team-a"]}, chart.VARIANTS["hooks-namespaces"] | {"rbac": {"create": False}}])
def test_without_operators_or_namespaces_or_roles_nothing_is_in_default(values):
    assert [d["metadata"]["name"] for d in render(values) if d["metadata"].get("namespace") == "default"] == []


def test_aggregated_roles_take_their_rules_from_labelled_roles():
    documents = render(chart.VARIANTS["hooks-aggregate"])
    for component in ("watcher", "applier"):
        name = f"{chart.NAMESPACE}:xebec-{component}-aggregate"
        assert named(documents, "ClusterRole", name)["aggregationRule"] == {
            "clusterRoleSelectors": [{"matchLabels": {f"xebec.dev/aggregate-to-{component}": "true"}}]}
        assert named(documents, "ClusterRoleBinding", name)["subjects"][0]["name"] == f"xebec-{component}"
    assert chart.config(documents, "watcher")["hooks"]["children"] == ["*"]
    assert "*" in chart.config(documents, "applier")["allow"]


def test_the_applier_writes_neither_beside_xebec_nor_what_gives_rights(with_hooks):
    release, cluster = (named(with_hooks, "ValidatingAdmissionPolicy", f"{chart.NAMESPACE}.xebec-hooks-{what}") for what in ("release", "cluster"))
    assert release["spec"]["matchConstraints"]["namespaceSelector"] == {"matchLabels": {"kubernetes.io/metadata.name": chart.NAMESPACE}}
    [rule] = cluster["spec"]["matchConstraints"]["resourceRules"]
    assert rule["apiGroups"] == FORBIDDEN and "rbac.authorization.k8s.io" in FORBIDDEN
    for policy in release, cluster:
        assert policy["spec"]["validations"][0]["expression"] == "false"
        assert policy["spec"]["matchConditions"][0]["expression"].endswith(f'"system:serviceaccount:{chart.NAMESPACE}:xebec-applier"')
        assert named(with_hooks, "ValidatingAdmissionPolicyBinding", policy["metadata"]["name"])["spec"]["validationActions"] == ["Deny"]


def test_the_policies_do_not_depend_on_the_roles_of_the_chart():
    names = {d["metadata"]["name"] for d in of_kind(render(hooks() | {"rbac": {"create": False}}), "ValidatingAdmissionPolicy")}
    assert names == {f"{chart.NAMESPACE}.xebec-{what}" for what in ("certificates", "hooks-release", "hooks-cluster")}


def test_the_preset_for_the_loss_of_a_node_runs_two_gateways():
    documents = render(hooks() | {"files": ["values-ha.yaml"]})
    assert named(documents, "Deployment", "xebec-hooks")["spec"]["replicas"] == 2
    assert named(documents, "PodDisruptionBudget", "xebec-hooks")


def test_an_installation_may_have_operators_only():
    """Without a kind, the watcher would reconcile all kinds."""
    none = {"kinds": {kind: {"enabled": False} for kind in ("iris", "podset", "immortal", "database")}}
    documents = render(hooks() | none)
    assert chart.config(documents, "watcher")["kinds"] == ["operators.xebec.dev"]
    assert chart.config(documents, "applier")["allow"] == ["operators.xebec.dev", "configmaps", "deployments.apps", "websites.example.com"]
    assert [d["metadata"]["name"] for d in of_kind(documents, "CustomResourceDefinition")] == ["operators.xebec.dev"]
    aggregated = render({"hooks": {"enabled": True, "aggregate": True}} | none)
    assert named(aggregated, "ClusterRole", f"{chart.NAMESPACE}:xebec-watcher")["rules"] == []
    assert "those that Operators name as parents" in chart.notes(hooks() | none)


def test_the_gateway_alone_reaches_programs_and_watcher_and_check_alone_reach_it(with_hooks):
    def peers(rules):
        return [peer["podSelector"]["matchLabels"]["app.kubernetes.io/component"] for rule in rules for peer in rule.get("to", rule.get("from", []))
                if "podSelector" in peer]
    policies = {d["metadata"]["name"].removeprefix("xebec-"): d["spec"] for d in of_kind(with_hooks, "NetworkPolicy")}
    assert peers(policies["hooks"]["ingress"]) == ["watcher", "check"]
    assert policies["hooks"]["egress"][-1]["to"] == [{"namespaceSelector": {}}, {"ipBlock": {"cidr": "0.0.0.0/0"}}, {"ipBlock": {"cidr": "::/0"}}]
    for caller in ("watcher", "check"):
        assert "hooks" in peers(policies[caller]["egress"])
    peer = {"podSelector": {"matchLabels": {"is": "hook"}}}
    chosen = render({**hooks(), "networkPolicy": {"enabled": True, "hooksTo": [peer]}})
    assert named(chosen, "NetworkPolicy", "xebec-hooks")["spec"]["egress"][-1]["to"] == [peer]
    inside = render({**hooks(), "networkPolicy": {"enabled": True}})
    assert named(inside, "NetworkPolicy", "xebec-hooks")["spec"]["egress"][-1]["to"] == [{"namespaceSelector": {}}]


def test_helm_test_asks_the_gateway_if_there_is_one(with_hooks):
    def flags(objects):
        return {argument.partition("=")[0] for argument in named(objects, "Pod", "xebec-check")["spec"]["containers"][0]["args"]}
    assert flags(with_hooks) - flags(render({})) == {"--hooks"}
    assert f"--hooks=dns:///xebec-hooks.{chart.NAMESPACE}.svc:7446" in named(with_hooks, "Pod", "xebec-check")["spec"]["containers"][0]["args"]


def test_users_declare_operators_only_with_a_role_that_nobody_has_yet(with_hooks):
    role = named(with_hooks, "ClusterRole", f"{chart.NAMESPACE}:xebec-operators-edit")
    assert "create" in {grant.verb for grant in grants(role["rules"])}
    assert not [label for label in role["metadata"]["labels"] if "aggregate" in label]


def test_the_certificate_job_knows_of_the_gateway(default, with_hooks):
    def arguments(documents):
        return [pod for name, pod in chart.pod_templates(documents).items() if name.startswith("CronJob/")][0]["spec"]["containers"][0]["args"]
    assert [each for each in arguments(with_hooks) if each not in arguments(default)] == ["--hooks"]
    assert Grant("", "secrets", "xebec-hooks-tls", "update") in roles_of(with_hooks, "xebec-certs")[chart.NAMESPACE]


@pytest.mark.parametrize("key", ["parents", "children", "related"])
@pytest.mark.parametrize("group", [*FORBIDDEN, "xebec.dev"])
def test_what_gives_rights_is_refused(key, group):
    said = refusal(hooks(**{key: [{"group": group, "resource": "things"}]}))
    assert f"hooks.{key}[0]: things.{group} gives rights" in said and "Remove the entry" in said


@pytest.mark.parametrize("values, words", [
    (hooks(children=[{"group": "", "resource": "secrets"}]), ["hooks.children[0]: secrets", "every Secret"]),
    (hooks(related=[{"group": "", "resource": "secrets"}]), ["hooks.related[0]: secrets"]),
    (hooks(parents=[{"group": "", "resource": "secrets"}]), ["hooks.parents[0]: secrets", "every Secret"]),
    (hooks(parents=[{"group": "example.com", "resource": "irises"}]), ["irises.example.com is a built-in kind", "Disable it under kinds"]),
    (hooks(parents=[]), ["hooks.parents and hooks.children must name", "hooks.aggregate=true"]),
    (hooks(children=[]), ["hooks.parents and hooks.children must name"]),
    ({**hooks(aggregate=True), "watchNamespaces": ["a"]}, ["hooks.aggregate=true", "contradicts watchNamespaces"]),
    ({**hooks(), "watchNamespaces": ["a", chart.NAMESPACE]}, [f"watchNamespaces contains {chart.NAMESPACE}", "a namespace of its own"]),
    (hooks(credentials=[{"name": "a", "secret": secret, "hosts": ["a.b.svc"]} for secret in ("one", "two")]), ['the name "a" appears twice']),
    (hooks(serviceAccount={"name": "xebec-applier"}), ["already the account of the applier"]),
    ({**hooks(), "tls": {"mode": "existingSecret", "existingSecret": {who: f"my-{who}" for who in chart.COMPONENTS}}},
     ["tls.existingSecret.hooks is empty"]),
])
def test_a_contradiction_is_refused_with_a_way_out(values, words):
    said = refusal(values)
    assert [word for word in words if word not in said] == [], said


@pytest.mark.parametrize("resource", [{"group": "*", "resource": "pods"}, {"group": "", "resource": "*"}, {"group": "", "resource": "pods/exec"},
                                      {"group": "", "resource": "pods", "verbs": ["*"]}, {"group": "", "resource": "pods", "verbs": ["update"]}, {"resource": "pods"}])
def test_wildcards_subresources_and_other_verbs_are_refused(resource):
    assert "/hooks/children/0" in refusal(hooks(children=[resource]))


def test_a_built_in_kind_that_is_off_may_be_declared():
    render({**hooks(parents=[{"group": "example.com", "resource": "irises"}]), "kinds": {"iris": {"enabled": False}}})
