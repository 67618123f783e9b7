# SPDX-License-Identifier: Apache-2.0
"""The rights of the identities."""

import re

import pytest
import yaml

from support import chart, manifests, paths
from support.chart import Grant, grants, of_kind, render, roles_of
from support.terminal import documented

KINDS = yaml.safe_load((paths.CHART / "files/kinds.yaml").read_text())
ROLES = ("Role", "ClusterRole")
BINDINGS = ("RoleBinding", "ClusterRoleBinding")


def test_nothing_is_granted_by_a_wildcard(documents):
    for role in of_kind(documents, *ROLES):
        assert not [grant for grant in grants(role.get("rules", [])) if "*" in "".join(grant)], role["metadata"]["name"]


def test_the_planner_has_neither_rights_nor_a_token(documents):
    assert roles_of(documents, "xebec-planner") == {}
    pod = chart.pod_templates(documents)["Deployment/xebec-planner"]["spec"]
    assert pod["automountServiceAccountToken"] is False
    assert {volume["name"] for volume in pod["volumes"]} == {"config", "tls"}


@pytest.mark.parametrize("component", ["watcher", "applier"])
def test_rights_with_all_kinds_are_those_that_the_integration_tests_run_with(default, component):
    """tests/controlplane/rbac.yaml, whose pairs of group and resource include some that do not exist."""
    rendered = roles_of(default, f"xebec-{component}")
    tested = roles_of(manifests.read(paths.RBAC), f"xebec-{component}")
    exist = {(grant.group, grant.resource) for grants in rendered.values() for grant in grants}
    parents = {(parent["group"], parent["resource"]) for row in KINDS.values() for parent in row["parents"]}
    groups, plurals = {group for group, _ in parents}, {plural for _, plural in parents}

    def is_real(grant):
        resource = grant.resource.partition("/")[0]
        return (grant.group, grant.resource) in exist or not (grant.group in groups and resource in plurals) or (grant.group, resource) in parents

    assert rendered == {where: {grant for grant in grants if is_real(grant)} for where, grants in tested.items()}


def test_the_watcher_may_list_events_and_not_watch_them(default):
    [found] = [found for where, found in roles_of(default, "xebec-watcher").items() if where == ""]
    assert {grant.verb for grant in found if grant.resource == "events"} == {"list"}


def test_no_secret_is_read_and_the_watcher_writes_leases_alone(documents):
    for component in ("watcher", "applier"):
        for found in roles_of(documents, f"xebec-{component}").values():
            secrets = {grant.verb for grant in found if grant.resource.startswith("secrets")}
            assert secrets <= ({"create"} if component == "applier" else set())
            if component == "watcher":
                assert {grant.resource for grant in found if grant.verb not in ("get", "list", "watch")} <= {"leases"}
            else:
                assert not [grant for grant in found if grant.verb in ("list", "watch", "deletecollection", "escalate", "bind", "impersonate")]


def test_watchers_write_their_leases_and_appliers_read_the_assignment_alone(documents):
    group, members = "coordination.k8s.io", [f"xebec-watcher-{number}" for number in range(32)]
    leases = {component: {grant for grant in roles_of(documents, f"xebec-{component}")[chart.NAMESPACE] if grant.resource == "leases"}
              for component in ("watcher", "applier")}
    assert leases["applier"] == {Grant(group, "leases", "xebec-watcher-assignment", "get")}
    assert leases["watcher"] == {Grant(group, "leases", name, "update") for name in [*members, "xebec-watcher-assignment"]} | \
                                {Grant(group, "leases", "", verb) for verb in ("list", "watch", "create")}


def test_there_are_leases_for_as_many_watchers_as_the_watcher_knows():
    assert "kMemberLeases = 32" in (paths.ROOT / "watcher/engine/io.h").read_text()


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_alone_brings_its_own_rights_and_crds_and_no_others(kind):
    documents = render({"kinds": {other: {"enabled": other == kind} for other in KINDS}})
    row = KINDS[kind]
    parents = {(parent["group"], parent["resource"]) for parent in row["parents"]}
    children = {(child["group"], child["resource"]) for child in row["children"]}
    watched = {(grant.group, grant.resource) for grant in roles_of(documents, "xebec-watcher")[""]}
    seen = {(watch["group"], watch["resource"]) for watch in row.get("watches", [])}
    listed = {(each["group"], each["resource"]) for each in row.get("lists", [])}
    assert watched == parents | seen | listed | children - {("", "secrets")}
    written = {(grant.group, grant.resource.partition("/")[0]) for grant in roles_of(documents, "xebec-applier")[""]}
    assert written == parents | children | {("events.k8s.io", "events")}
    assert {d["metadata"]["name"] for d in of_kind(documents, "CustomResourceDefinition")} == {f"{plural}.{group}" for group, plural in parents}
    assert set(chart.config(documents, "watcher")["kinds"]) == {f"{plural}.{group}" for group, plural in parents}


def test_the_appliers_allow_list_is_what_it_may_write(documents):
    written = {(f"{resource}.{grant.group}" if grant.group else resource) + (f"@{where}" if where else "")
               for where, found in roles_of(documents, "xebec-applier").items() if where != chart.NAMESPACE  # the Lease
               for grant in found if (resource := grant.resource.partition("/")[0]) != "events"}
    assert set(chart.config(documents, "applier")["allow"]) - {"*"} == written  # "*": with hooks.aggregate


def test_with_namespaces_nothing_is_granted_beyond_them_and_the_releases():
    documents = render(chart.VARIANTS["namespaces"])
    assert of_kind(documents, "ClusterRole", "ClusterRoleBinding", "ValidatingAdmissionPolicy") == []
    for component in ("watcher", "applier"):
        found = roles_of(documents, f"xebec-{component}")
        assert set(found) == {"team-a", "team-b", chart.NAMESPACE}
        assert {grant.resource for grant in found[chart.NAMESPACE]} == {"leases"}
    assert chart.config(documents, "watcher")["namespaces"] == ["team-a", "team-b"]


def test_without_rbac_create_there_is_no_role():
    assert of_kind(render({"rbac": {"create": False}}), *ROLES, *BINDINGS) == []


def test_certificates_are_written_by_an_account_that_may_nothing_else(default):
    found = roles_of(default, "xebec-certs")
    names = {"xebec-ca", *(f"xebec-{who}-tls" for who in ("watcher", "planner", "applier", "client"))}
    assert found == {chart.NAMESPACE: {Grant("", "secrets", "", "create")} |
                     {Grant("", "secrets", name, verb) for name in names for verb in ("get", "update")}}


OF_THE_RELEASE = ["xebec-applier-tls", "xebec-ca", "xebec-client-tls", "xebec-planner-tls", "xebec-watcher-tls"]


@pytest.mark.parametrize("values, secrets", [
    ({}, OF_THE_RELEASE),
    ({"watchNamespaces": ["team-a", chart.NAMESPACE]}, OF_THE_RELEASE),
    (chart.VARIANTS["cert-manager"], OF_THE_RELEASE),
    ({"rbac": {"create": False}}, OF_THE_RELEASE),  # the account has its rights from roles that the chart does not know
    (chart.VARIANTS["existing-secret"], ["my-applier", "my-planner", "my-watcher"])])
def test_the_applier_is_kept_from_the_releases_own_certificates(values, secrets):
    documents = render(values)
    [policy] = of_kind(documents, "ValidatingAdmissionPolicy")
    [rule] = policy["spec"]["matchConstraints"]["resourceRules"]
    assert sorted(rule["resourceNames"]) == secrets and rule["operations"] == ["CREATE", "UPDATE"]
    mounted = {volume["secret"]["secretName"] for pod in chart.pod_templates(documents).values() for volume in pod["spec"]["volumes"] if "secret" in volume}
    assert mounted <= set(secrets)
    [validation] = policy["spec"]["validations"]
    assert validation["expression"] == f'request.userInfo.username != "system:serviceaccount:{chart.NAMESPACE}:xebec-applier"'
    [binding] = of_kind(documents, "ValidatingAdmissionPolicyBinding")
    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}


@pytest.mark.parametrize("values", [{"tls": {"admissionPolicy": {"enabled": False}}}, {"kinds": {"database": {"enabled": False}}},
                                    {"watchNamespaces": ["team-a"]}])
def test_there_is_no_policy_where_it_is_not_wanted_or_nothing_is_to_be_kept(values):
    assert of_kind(render(values), "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding") == []


def test_users_get_the_kinds_with_the_roles_of_kubernetes(default):
    def labelled(label):
        return [role for role in of_kind(default, "ClusterRole")
                if role["metadata"]["labels"].get(f"rbac.authorization.k8s.io/aggregate-to-{label}") == "true"]
    (view,), (edit,), (admin,) = (labelled(label) for label in ("view", "edit", "admin"))
    assert {grant.verb for grant in grants(view["rules"])} == {"get", "list", "watch"}
    assert edit is admin
    assert Grant("example.com", "irises", "", "create") in grants(edit["rules"])
    assert Grant("example.com", "irises/scale", "", "patch") in grants(edit["rules"])
    assert not [grant for grant in grants(edit["rules"]) if grant.resource.endswith(("/status", "/finalizers"))]


def test_with_namespaces_users_get_the_kinds_by_the_documented_command(default):
    """Nothing is granted in the cluster then; whoever administers it asks the chart for these two roles."""
    values = {**chart.VARIANTS["namespaces"], "kinds": {}}
    commands = " ".join(documented("install.md", "Users in `watchNamespaces`"))
    [flags] = re.findall(r"helm template xebec charts/xebec -n xebec-system -f - ([^|]*) \|", commands)
    done = chart.helm("template", "xebec", paths.CHART, "-n", chart.NAMESPACE, *flags.split(), values=values)
    assert done.returncode == 0, done.stderr
    aggregated = [role for role in of_kind(default, "ClusterRole") if any("aggregate-to" in label for label in role["metadata"]["labels"])]
    assert chart.parse(done.stdout) == aggregated and len(aggregated) == 2


def test_scale_is_offered_for_kinds_whose_crd_has_it():
    for row in KINDS.values():
        for parent in row["parents"]:
            (crd,) = manifests.read(paths.CRDS / f'{parent["resource"]}.{parent["group"]}.yaml')
            assert ("scale" in crd["spec"]["versions"][0]["subresources"]) == parent.get("scale", False)


def test_every_crd_belongs_to_a_kind():
    parents = {f'{parent["resource"]}.{parent["group"]}' for row in KINDS.values() for parent in row["parents"]}
    assert {path.stem for path in paths.CRDS.glob("*.yaml")} == parents | {"operators.xebec.dev"}
