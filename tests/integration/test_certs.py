# SPDX-License-Identifier: Apache-2.0
"""xebec-certs issues and renews the certificates of a release in Secrets."""

import base64
import re
import subprocess

import pytest

from support import paths, pki
from support.kube import ApiError, Kube
from support.services import environment

NS, NAME = "certs-test", "xebec"
HOLDERS = ("ca", "watcher-tls", "planner-tls", "applier-tls", "client-tls")
SECRETS = [f"{NAME}-{what}" for what in HOLDERS]
LONGEST = "a" * 46  # what the chart allows
ACCOUNT = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "certs", "namespace": NS}}
ROLE = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "certs", "namespace": NS}, "rules": [
    {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
    {"apiGroups": [""], "resources": ["secrets"], "resourceNames": [*SECRETS, *(f"{LONGEST}-{what}" for what in HOLDERS)], "verbs": ["get", "update"]}]}
BINDING = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "certs", "namespace": NS},
           "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "certs"},
           "subjects": [{"kind": "ServiceAccount", "name": "certs", "namespace": NS}]}


@pytest.fixture(scope="module")
def kubeconfig(cluster, kube, folder):
    """With the rights that the task needs and no others."""
    kube.create_namespace(NS)
    for manifest in (ACCOUNT, ROLE, BINDING):
        kube.create(manifest)
    token = kube.request("POST", f"/api/v1/namespaces/{NS}/serviceaccounts/certs/token",
                         body={"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})["status"]["token"]
    path = folder.path / "certs.kubeconfig"
    pki.write_kubeconfig(path, cluster.server, folder.path / "pki/ca.crt", {"token": token})
    return path


def run(kubeconfig, *flags, namespace=NS, fullname=NAME):
    return subprocess.run([paths.service_binary("xebec-certs"), "--kubeconfig", kubeconfig, "--namespace", namespace, "--fullname", fullname, *flags],
                          capture_output=True, text=True, env=environment(), timeout=60, check=False)


def secrets(kube):
    return {name: kube.get("secrets", name, NS) for name in SECRETS}


def text(secret, key):
    return base64.b64decode(secret["data"][key])


def test_it_makes_what_is_missing_and_then_writes_nothing(kubeconfig, kube, audit):
    first = run(kubeconfig)
    assert first.returncode == 0, first.stderr
    made = secrets(kube)
    assert all(secret["type"] == "kubernetes.io/tls" for secret in made.values())
    assert b"PRIVATE KEY" in text(made["xebec-planner-tls"], "tls.key")
    mark = audit.mark()

    again = run(kubeconfig)

    assert again.returncode == 0, again.stderr
    assert secrets(kube) == made
    assert {e.verb for e in audit.since(mark) if e.resource == "secrets" and e.user.endswith(":certs")} == {"get"}


def test_the_longest_release_gets_a_ca_whose_name_says_which_one_it_is(kubeconfig, kube):
    done = run(kubeconfig, fullname=LONGEST)
    assert done.returncode == 0, done.stderr
    said = subprocess.run(["openssl", "x509", "-noout", "-subject"], input=text(kube.get("secrets", f"{LONGEST}-ca", NS), "tls.crt"),
                          capture_output=True, check=True).stdout.decode()
    assert re.fullmatch(r"subject=CN = a{46} CA \d{10}\n", said), said


def test_what_was_damaged_is_made_again_and_the_rest_left_alone(kubeconfig, kube):
    run(kubeconfig)
    before = secrets(kube)
    kube.delete("secrets", "xebec-applier-tls", NS)
    assert run(kubeconfig).returncode == 0
    after = secrets(kube)
    assert {name for name in SECRETS if after[name] != before[name]} == {"xebec-applier-tls"}
    assert text(after["xebec-applier-tls"], "ca.crt") == text(before["xebec-applier-tls"], "ca.crt")


def test_no_key_is_ever_printed(kubeconfig):
    done = run(kubeconfig, "--cert-duration", "10m")
    assert "PRIVATE" not in done.stdout + done.stderr


def test_two_at_once_do_not_harm_each_other(kubeconfig, kube):
    for name in SECRETS:
        kube.delete("secrets", name, NS)
    command = [paths.service_binary("xebec-certs"), "--kubeconfig", str(kubeconfig), "--namespace", NS, "--fullname", NAME]
    both = [subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    made = secrets(kube)
    assert run(kubeconfig).returncode == 0
    assert secrets(kube) == made, "they agree"


@pytest.mark.expects_forbidden
def test_the_applier_has_no_right_on_them(kubeconfig, kube, cluster):
    run(kubeconfig)
    applier = Kube.from_kubeconfig(cluster.applier_kubeconfig)
    path = f"/api/v1/namespaces/{NS}/secrets/xebec-planner-tls"
    for method, body in (("GET", None), ("PUT", kube.get("secrets", "xebec-planner-tls", NS)), ("DELETE", None)):
        with pytest.raises(ApiError) as refused:
            applier.request(method, path, body=body)
        assert refused.value.code == 403, method


@pytest.mark.parametrize("flags,said", [
    (("--overlap", "1000h", "--ca-duration", "1001h"), "overlap"),
    (("--cert-duration", "1s"), "cert-duration"),
    (("--cert-duration", "1000000h"), "certDuration"),
    (("--ca-duration", "1000000h"), "caDuration"),
])
def test_bad_settings_are_refused_by_name(kubeconfig, flags, said):
    done = run(kubeconfig, *flags)
    assert done.returncode == 2 and said in done.stderr, done.stderr


@pytest.mark.parametrize("setting", ["namespace", "fullname"])
def test_names_that_are_none_are_refused(kubeconfig, setting):
    done = run(kubeconfig, **{setting: "Not A Name"})
    assert done.returncode == 2 and f'{setting}: "Not A Name" is no' in done.stderr, done.stderr


@pytest.mark.expects_forbidden
def test_a_missing_right_is_named(cluster):
    done = run(cluster.watcher_kubeconfig)
    assert done.returncode == 1 and "403" in done.stderr and "get, create and update" in done.stderr, done.stderr
