# SPDX-License-Identifier: Apache-2.0
"""The chart on a real API server: its objects are accepted, its configuration is valid, and its rights are exact."""

import functools
import itertools
import json
import subprocess

import pytest
import yaml

from parents import IRIS, iris
from support import chart, grpcurl, manifests, paths, schemas
from support.eventually import eventually
from support.identities import Identities
from support.processes import free_port
from support.services import Service, environment

NS = "chart-test"
CRD = "customresourcedefinitions.apiextensions.k8s.io"


@pytest.fixture(scope="module")
def namespace(kube):
    """Where nothing but restricted Pods is let in."""
    kube.create({"apiVersion": "v1", "kind": "Namespace",
                 "metadata": {"name": NS, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
    return NS


@pytest.fixture
def helm(cluster, namespace):
    def run(command, *arguments, values=None, version=3, release="xebec", namespace=namespace):
        return chart.helm(command, release, *arguments, "--namespace", namespace, "--kubeconfig", cluster.kubeconfig, values=values,
                          version=version)
    return run


def explained(refused, *ways_out):
    """What Helm said stands in docs/install.md in the same words, with the ways out beside each message."""
    text = (paths.ROOT / "docs/install.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `") and line[3:].partition("`")[0] in refused.stderr]
    assert rows and all(f"`{way}`" in row for row in rows for way in ways_out), (rows, refused.stderr)
    return True


def done_well(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- what is rendered -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def iris_system(kube):
    """Where the original Iris operator lived."""
    kube.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "iris-system"}})
    return "iris-system"


@pytest.fixture(scope="module")
def with_others(kube):
    """cert-manager's kinds and the Prometheus operator's are there, too."""
    crds = manifests.crds_of_others()
    manifests.install(kube, crds)
    versions = {f'apis/{crd["spec"]["group"]}/{crd["spec"]["versions"][0]["name"]}' for crd in crds}
    eventually(lambda: versions <= set(kube.request("GET", "/openapi/v3")["paths"]), what="their schemas are published")
    yield
    for crd in crds:
        kube.delete(CRD, crd["metadata"]["name"])
    for crd in crds:
        eventually(lambda name=crd["metadata"]["name"]: kube.get(CRD, name) is None, what="the CRD is gone")


@pytest.mark.usefixtures("with_others")
@pytest.mark.parametrize("variant, place, release", [("default", "namespace", "xebec"), ("everything", "namespace", "xebec"),
                                                     ("cert-manager", "namespace", "xebec"), ("service-monitor", "namespace", "xebec"),
                                                     ("recreate", "namespace", "xebec"), ("hooks", "namespace", "xebec"),
                                                     ("hooks-aggregate", "namespace", "xebec"), ("everything", "iris_system", "a" * 52 + "z")])
def test_the_api_server_takes_every_object(cluster, request, variant, place, release):
    namespace = request.getfixturevalue(place)
    objects = chart.render(chart.VARIANTS[variant], namespace=namespace, release=release)
    for pod in chart.of_kind(objects, "Pod"):
        pod["spec"]["priorityClassName"] = ""  # there is none in this cluster
    pods = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"pod-{number}", "namespace": namespace, "labels": pod["metadata"]["labels"]},
             "spec": {**pod["spec"], "serviceAccountName": "default", "priorityClassName": ""}}
            for number, pod in enumerate(chart.pod_templates(objects).values())]
    command = [paths.controlplane_binary("kubectl"), "--kubeconfig", cluster.kubeconfig, "apply", "--dry-run=server", "--validate=strict",
               "--namespace", namespace, "--force-conflicts", "--server-side", "-f", "-"]
    done = subprocess.run(command, input=yaml.safe_dump_all(objects + pods), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(objects) + len(pods)


@pytest.fixture(scope="module")
def location(kube, with_others, tmp_path_factory):
    return schemas.write(kube, tmp_path_factory.mktemp("schemas"))


def test_every_variant_and_example_conforms_to_the_api_servers_schemas(location):
    texts = [*map(chart.variant_text, chart.VARIANTS), *(path.read_text(encoding="utf-8") for path in manifests.example_files())]
    assert schemas.complaints("\n---\n".join(texts), location) == ""


@pytest.mark.parametrize("right, wrong, words", [
    ("topologySpreadConstraints:", "topologySpreadConstraint:", "additional properties 'topologySpreadConstraint' not allowed"),
    ("automountServiceAccountToken: false", "automountServiceAccountToken: 'no'", "got string, want boolean"),
    ("kind: NetworkPolicy", "kind: NetworkPolice", "could not find schema for NetworkPolice")])
def test_a_typo_does_not_conform(location, right, wrong, words):
    text = chart.variant_text("everything")
    assert right in text and words in schemas.complaints(text.replace(right, wrong, 1), location)


@pytest.mark.parametrize("variant, component", [*itertools.product(["default", "everything", "namespaces", "hooks"], chart.COMPONENTS),
                                                ("hooks", "hooks"), ("hooks-aggregate", "watcher")])
def test_a_service_understands_the_configuration_that_it_gets(tmp_path, variant, component):
    wanted = chart.config(chart.render(chart.VARIANTS[variant]), component)
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(wanted))
    printed = done_well(subprocess.run([paths.service_binary(f"xebec-{component}"), f"--config={file}", "--print-config"],
                                       capture_output=True, text=True, env=environment(), check=False))
    understood = yaml.safe_load(printed)
    assert understood["listen"] == wanted["listen"] and understood["tls"] == wanted["tls"]
    assert wanted.get("lease", {}).items() <= understood.get("lease", {}).items()
    assert wanted.get("namespaces", []) == understood.get("namespaces", [])
    assert wanted.get("hooks", {}).items() <= understood.get("hooks", {}).items()
    assert wanted.get("deniedHosts", []) == understood.get("deniedHosts", [])


def test_the_certificates_job_is_understood():
    pod = chart.pod_templates(chart.render({}, namespace=NS))["CronJob/xebec-certs"]
    (container,) = pod["spec"]["containers"]
    done_well(subprocess.run([paths.service_binary("xebec-certs"), *container["args"], "--print-config"], capture_output=True, text=True,
                             env=environment(), check=False))


def test_the_check_of_helm_test_is_understood():
    (container,) = chart.named(chart.render({}, namespace=NS), "Pod", "xebec-check")["spec"]["containers"]
    done = subprocess.run([paths.service_binary("xebec"), "check", *container["args"]], capture_output=True, text=True, env=environment(), check=False)
    assert done.stderr.startswith("xebec check: TLS certificate file /etc/xebec/tls/tls.crt cannot be read"), done.stderr  # all flags were


def test_a_person_asks_the_planner_with_the_charts_identities(folder, tmp_path):
    settings = chart.config(chart.render({}, namespace=NS), "planner")
    identities = Identities(folder.path / "chart-tls")
    identities.issue("planner", names=f"DNS:xebec-planner.{NS}.svc,DNS:localhost")
    identities.issue("client", names="", identity=settings["tls"]["clients"][0])
    certificate, key, ca = identities.files("planner")
    settings["tls"] |= {"certificate": certificate, "key": key, "ca": ca}
    address, metrics = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(settings | {"listen": [address], "metricsListen": metrics}))
    planner = Service("planner", folder, ["--config", str(file)], address, metrics, log="chart-planner").start().wait_ready()
    try:
        request = json.loads((paths.EXAMPLES / "iris/request.json").read_text())
        done = grpcurl.run(*grpcurl.proto("planner"), "localhost:" + address.rpartition(":")[2], "xebec.v1.PlannerService/Plan",
                           data=json.dumps(request), security=identities.person_flags("client"))
        assert done.returncode == 0 and json.loads(done.stdout)["plan"]["children"], done.stderr
    finally:
        planner.stop()


# ---- what is installed ----------------------------------------------------------------------------------------


@pytest.fixture
def crds_of_others(kube):
    for crd in manifests.crds():
        kube.patch(CRD, crd["metadata"]["name"], None, {"metadata": {"labels": None, "annotations": None}})


@pytest.mark.usefixtures("crds_of_others")
def test_crds_of_others_are_not_touched_unasked(helm, kube):
    before = kube.get(CRD, IRIS)
    refused = helm("install", paths.CHART)
    assert refused.returncode != 0 and explained(refused, "--take-ownership", "--set crds.enabled=false"), refused.stderr
    assert kube.get(CRD, IRIS)["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]

    done_well(helm("install", paths.CHART, values={"crds": {"enabled": False}}))
    done_well(helm("uninstall"))
    assert kube.get(CRD, IRIS)["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]


# Helm 4 applies on the server, where a field belongs to whoever wrote it.
TAKE_OVER = {3: ["--take-ownership"], 4: ["--take-ownership", "--force-conflicts"]}


@pytest.mark.usefixtures("crds_of_others")
@pytest.mark.parametrize("version", TAKE_OVER)
def test_crds_of_others_are_taken_over_when_asked_stay_on_uninstall_and_are_picked_up_again(helm, kube, here, version):
    helm = functools.partial(helm, version=version)
    before = kube.get(CRD, IRIS)
    columns = before["spec"]["versions"][0].pop("additionalPrinterColumns")
    kube.replace(before)  # an original operator's CRD has fewer
    if version == 4:
        refused = helm("install", paths.CHART, "--take-ownership")
        assert refused.returncode != 0 and "conflict" in refused.stderr and ".spec.versions" in refused.stderr, refused.stderr
        done_well(helm("uninstall"))
    notes = done_well(helm("install", paths.CHART, *TAKE_OVER[version]))
    assert "kubectl --namespace chart-test wait" in notes and "irises.example.com" in notes
    taken = kube.get(CRD, IRIS)
    assert taken["spec"]["versions"][0]["additionalPrinterColumns"][:len(columns)] == columns
    assert taken["metadata"]["annotations"]["meta.helm.sh/release-name"] == "xebec"

    here.create(iris("sample"))
    done_well(helm("upgrade", paths.CHART, values={"watcher": {"replicas": 2}}))
    assert replicas(kube, "watcher") == 2
    done_well(helm("uninstall"))
    assert kube.get("deployments.apps", "xebec-watcher", NS) is None
    assert here.get(IRIS, "sample") is not None
    done_well(helm("install", paths.CHART))
    done_well(helm("uninstall"))


def replicas(kube, component):
    return kube.get("deployments.apps", f"xebec-{component}", NS)["spec"]["replicas"]


@pytest.fixture
def release(helm):
    """Helm, for a release that is gone afterwards."""
    yield helm
    done_well(helm("uninstall"))


def test_a_second_release_is_told_the_name_of_the_first_and_can_be_had_without_crds(release, kube):
    done_well(release("install", paths.CHART, "--take-ownership"))
    refused = release("install", paths.CHART, release="second", namespace="default")
    assert refused.returncode != 0 and explained(refused, "--set crds.enabled=false"), refused.stderr
    assert '"meta.helm.sh/release-name" must equal "second": current value is "xebec"' in refused.stderr
    refused = release("install", paths.CHART, namespace="default")
    assert refused.returncode != 0 and explained(refused, "--set crds.enabled=false"), refused.stderr
    assert f'"meta.helm.sh/release-namespace" must equal "default": current value is "{NS}"' in refused.stderr
    for name, namespace in (("second", "default"), ("second", NS), ("xebec", "default")):
        notes = done_well(release("install", paths.CHART, values={"crds": {"enabled": False}}, release=name, namespace=namespace))
        assert "kubectl get lease --all-namespaces --selector app.kubernetes.io/part-of=xebec" in notes
        done_well(release("uninstall", release=name, namespace=namespace))
    assert kube.get(CRD, IRIS) is not None and kube.get("deployments.apps", "xebec-watcher", NS) is not None


def test_a_release_goes_from_helm_3_to_helm_4_and_back(release, kube):
    done_well(release("install", paths.CHART, values={"crds": {"enabled": False}}))
    for version, wanted in (4, 2), (3, 1):
        done_well(release("upgrade", paths.CHART, values={"crds": {"enabled": False}, "watcher": {"replicas": wanted}}, version=version))
        assert replicas(kube, "watcher") == wanted


def test_helm_4_says_what_was_scaled_by_hand_and_takes_it_back_when_asked(release, kube):
    upgrade = functools.partial(release, "upgrade", paths.CHART, values={"crds": {"enabled": False}}, version=4)
    done_well(upgrade("--install"))
    kube.scale("deployments.apps", "xebec-applier", NS, 3)
    refused = upgrade()
    assert refused.returncode != 0 and "conflict" in refused.stderr and ".spec.replicas" in refused.stderr, refused.stderr
    done_well(upgrade("--force-conflicts"))
    assert replicas(kube, "applier") == 1


def review(kube, account, verb, group, resource, name="", ns="elsewhere"):
    answer = kube.create({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {"name": ""}, "spec": {
        "user": f"system:serviceaccount:{NS}:xebec-{account}", "groups": ["system:serviceaccounts", f"system:serviceaccounts:{NS}"],
        "resourceAttributes": {"verb": verb, "group": group, "resource": resource, "name": name, "namespace": ns}}})
    return answer["status"]["allowed"]


YES = [("watcher", "list", "example.com", "irises"), ("watcher", "watch", "", "pods"), ("applier", "patch", "apps", "deployments"),
       ("applier", "create", "", "secrets"), ("certs", "update", "", "secrets", "xebec-ca", NS),
       *(("watcher", "update", "coordination.k8s.io", "leases", f"xebec-watcher-{name}", NS) for name in ("0", "31", "assignment")),
       *(("watcher", verb, "coordination.k8s.io", "leases", "", NS) for verb in ("list", "watch", "create")),
       ("applier", "get", "coordination.k8s.io", "leases", "xebec-watcher-assignment", NS)]
NO = [("watcher", "patch", "apps", "deployments"), ("watcher", "get", "", "secrets"), ("applier", "get", "", "secrets"),
      ("applier", "list", "", "pods"), ("applier", "update", "", "secrets", "xebec-ca", NS), ("planner", "get", "", "pods"),
      ("planner", "list", "example.com", "irises"), ("watcher", "update", "coordination.k8s.io", "leases", "another", NS),
      ("watcher", "update", "coordination.k8s.io", "leases", "xebec-watcher-32", NS), ("watcher", "list", "coordination.k8s.io", "leases"),
      ("applier", "get", "coordination.k8s.io", "leases", "xebec-watcher-0", NS), ("applier", "list", "coordination.k8s.io", "leases", "", NS),
      ("certs", "get", "", "secrets", "another", NS), ("certs", "create", "", "secrets"), ("applier", "delete", "example.com", "irises")]


def test_the_authorizer_allows_each_account_what_it_needs_and_no_more(release, kube):
    done_well(release("install", paths.CHART, values={"crds": {"enabled": False}}))
    assert [question for question in YES if not review(kube, *question)] == []
    assert [question for question in NO if review(kube, *question)] == []


def may_make_podsets(kube, namespace, **who):
    answer = kube.create({"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "metadata": {"name": ""}, "spec": {
        **who, "resourceAttributes": {"verb": "create", "group": "app.example.com", "resource": "podsets", "namespace": namespace}}})
    return answer["status"]["allowed"]


@pytest.fixture
def users(cluster):
    """The commands of docs/install.md for users in `watchNamespaces`, one for ClusterRoles and two for a Role, with the
    namespaces of here; and what runs them."""
    text = (paths.ROOT / "docs/install.md").read_text(encoding="utf-8").partition("### Users in `watchNamespaces`")[2].partition("\n##")[0]
    blocks = [block.replace("xebec-system", NS).replace("-n team-a", "-n default") for block in text.split("\n\n") if block.startswith("    ")]
    tools = f'helm() {{ {paths.chart_tool("helm3")} "$@"; }}; kubectl() {{ {paths.controlplane_binary("kubectl")} "$@"; }}\n'

    def run(block):
        done_well(subprocess.run(["bash", "-euo", "pipefail", "-c", tools + block], cwd=paths.ROOT, capture_output=True, text=True, check=False,
                                 env=environment() | {"KUBECONFIG": str(cluster.kubeconfig)}))
    return run, *blocks


def test_users_in_watch_namespaces_get_the_kinds_by_the_documented_commands(release, kube, users):
    done_well(release("install", paths.CHART, values={"crds": {"enabled": False}, "watchNamespaces": ["default"]}))
    run, cluster_roles, role = users
    run("kubectl -n default create rolebinding ann --clusterrole=edit --user=ann")
    assert not may_make_podsets(kube, "default", user="ann")
    run(cluster_roles)
    eventually(lambda: may_make_podsets(kube, "default", user="ann"), what="edit has the kinds")
    assert not may_make_podsets(kube, NS, user="ann") and not may_make_podsets(kube, "default", user="bob", groups=["team-a"])
    run(cluster_roles.replace("kubectl apply", "kubectl delete"))
    eventually(lambda: not may_make_podsets(kube, "default", user="ann"), what="edit has them no more")
    run(role)
    eventually(lambda: may_make_podsets(kube, "default", user="bob", groups=["team-a"]), what="the Role is bound")
    run("kubectl -n default delete rolebinding/ann rolebinding/podsets role/podsets")


def test_the_applier_may_create_secrets_but_none_that_holds_certificates_of_the_release(release, cluster):
    done_well(release("install", paths.CHART, values={"crds": {"enabled": False}}))

    def made(name, account="applier", namespace=NS):
        return subprocess.run([paths.controlplane_binary("kubectl"), "--kubeconfig", cluster.kubeconfig, "--namespace", namespace, "create", "secret",
                               "generic", name, "--dry-run=server", f"--as=system:serviceaccount:{NS}:xebec-{account}"],
                              capture_output=True, text=True, check=False)
    eventually(lambda: "may not write the Secrets that hold Xebec's own certificates" in made("xebec-ca").stderr, what="the policy is in force")
    assert all("own certificates" in made(f"xebec-{who}-tls").stderr for who in (*chart.COMPONENTS, "client"))
    done_well(made("sample-credentials"))
    done_well(made("xebec-ca", namespace="default"))
    done_well(made("xebec-ca", account="certs"))


def test_plain_files_can_be_applied_without_helm(kube):
    for crd in manifests.crds():
        kube.apply(crd)
