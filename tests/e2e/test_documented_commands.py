# SPDX-License-Identifier: Apache-2.0
"""The commands in the documentation work as written."""

import json
import os
import re

import pytest

import burst
from parents import IRIS, iris
from support import manifests
from support.eventually import eventually
from support.namespace import Namespace
from support.release import NAME, NS, ready
from support.terminal import documented


@pytest.mark.brief
def test_why_is_asked_in_the_watchers_pod(release, kube, terminal):
    here = Namespace(kube, "default")
    here.create(iris("iris-sample", replicas=0))
    here.is_ready(IRIS, "iris-sample")
    keys, explain = documented("operations.md", "Explaining an object")
    assert re.search(r"^irises\.example\.com +default +iris-sample +", terminal.run(keys), re.M)
    eventually(lambda: "Nothing to do until something changes." in terminal.run(explain), what="the parent is idle")
    here.delete(IRIS, "iris-sample")


def test_a_person_asks_the_planner_and_the_watcher(release, kube, terminal):
    here = Namespace(kube, "default")
    here.create(iris("iris-sample", replicas=0))
    here.is_ready(IRIS, "iris-sample")
    to_planner, folder, fetch, ask, explain, remove = documented("operations.md", "Calling the services with a client certificate")
    certificates = terminal.run(f'{folder}\n{fetch}\necho "$certs"').strip()
    assert os.stat(certificates).st_mode & 0o077 == 0

    def run(command):
        return terminal.run(f"certs={certificates}\n{command}")
    with terminal.beside(to_planner, 7443):
        assert json.loads(run(ask))["plan"]["children"]
    with terminal.beside(to_planner.replace("planner", "watcher").replace("7443", "7442"), 7442):
        assert json.loads(run(explain))["explanation"].startswith("Nothing to do until something changes.")
    run(remove)
    assert not os.path.exists(certificates)
    here.delete(IRIS, "iris-sample")


def test_deleted_certificates_are_reissued_and_reloaded_under_load_without_a_restart(release, here, audit, kube, terminal):
    def expiries():
        return {component: release.totals(component, "certificate_expiration_timestamp_seconds") for component in ("watcher", "planner", "applier")}

    def timeouts():
        return sum(release.totals("watcher", "controller_runtime_reconcile_timeouts_total").values())
    before, timed_out, lives, mark = expiries(), timeouts(), release.lives(), audit.mark()
    for component in before:
        kube.delete("secrets", f"{NAME}-{component}-tls", NS)
    renew = documented("operations.md", "Renewing certificates")

    def renewed():
        now = expiries()
        assert all(now[component][pod] != before[component][pod] for component in before for pod in before[component]), (before, now)
        return True
    with burst.paced(lambda name: here.create(iris(name, replicas=0)), burst.endless_names(), 5, least=30) as made:
        assert "All certificates are valid" in terminal.run("\n".join(renew), timeout=300)
        eventually(renewed, 180, every=1.0, what="the services have taken their new certificates")
    burst.all_ready(here, len(made))
    assert burst.creations(audit, mark, here) == dict.fromkeys(made, 1)
    assert timeouts() == timed_out, "a plan was repeated"
    assert release.lives() == lives


def test_a_ca_is_exchanged_while_no_applier_runs(release, kube, terminal, here):
    def ca():
        secret = kube.get("secrets", f"{NAME}-ca", NS)
        return secret and secret["data"]["tls.crt"]
    before, appliers = ca(), len(release.pods("applier"))
    terminal.run("\n".join(documented("security.md", "The Secret of the CA")), timeout=400)
    assert ca() not in (None, before)
    release.wait_whole(180)
    assert len(release.pods("applier")) == appliers
    here.create(iris("sample", replicas=0))
    here.becomes(IRIS, "sample", ready, "is Ready", 120)


def test_a_ca_is_exchanged_as_documented_while_everything_runs(release, kube, terminal, here):
    before = kube.get("secrets", f"{NAME}-ca", NS)["data"]["tls.crt"]
    terminal.run("\n".join(documented("operations.md", "Replacing the CA")), timeout=400)
    assert kube.get("secrets", f"{NAME}-ca", NS)["data"]["tls.crt"] != before
    release.wait_whole(180)
    here.create(iris("sample", replicas=0))
    here.becomes(IRIS, "sample", ready, "is Ready", 120)


@pytest.mark.expects_forbidden  # Helm takes the roles before the Pods have ended
def test_what_uninstall_leaves_can_be_removed_as_documented(release, kube, terminal, here):
    here.create(iris("sample", replicas=0))
    here.is_ready(IRIS, "sample")
    uninstall, *rest = documented("uninstall.md", "Uninstalling")
    assert uninstall.startswith("helm uninstall") and len(rest) == 4
    release.uninstall()
    for command in rest:
        terminal.run(command)
    eventually(lambda: here.names("deployments.apps") == [], 120, what="children go with their parents")
    kinds = {crd["spec"]["names"]["kind"] for crd in manifests.crds()}
    assert not kinds & {crd["spec"]["names"]["kind"] for crd in kube.list("customresourcedefinitions.apiextensions.k8s.io")}
    assert not [secret for secret in kube.list("secrets", NS) if secret["metadata"]["name"].startswith(f"{NAME}-") and "tls" in secret["metadata"]["name"]]
    assert kube.get("leases.coordination.k8s.io", f"{NAME}-watcher-assignment", NS) is None
    release.install()
    here.create(iris("again", replicas=0))
    here.becomes(IRIS, "again", ready, "is Ready", 120)
