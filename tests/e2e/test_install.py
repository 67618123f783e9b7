# SPDX-License-Identifier: Apache-2.0
"""`helm install` on an empty cluster."""

import pytest

from support import chart
from support.eventually import eventually
from support.manifests import condition
from support.release import NS


@pytest.mark.brief
def test_three_services_become_ready_with_certificates_of_their_own(release, kube):
    pods = release.pods()
    assert sorted(pod["metadata"]["labels"]["app.kubernetes.io/component"] for pod in pods) == ["applier", "planner", "watcher"]
    assert all(condition(pod, "Ready")["status"] == "True" for pod in pods)
    for component in ("watcher", "planner", "applier"):
        assert set(kube.get("secrets", f"xebec-{component}-tls", NS)["data"]) == {"tls.crt", "tls.key", "ca.crt"}


@pytest.mark.brief
def test_the_watcher_found_planner_and_applier_by_the_clusters_dns(release):
    [watcher] = release.pods("watcher")
    assert release.total(watcher, "xebec_planner_credits") > 0
    assert release.total(watcher, "xebec_applier_credits") > 0


def helm_test(node):
    return chart.helm("test", "xebec", "--logs", "--namespace", NS, "--kubeconfig", node.kubeconfig)


@pytest.mark.brief
def test_helm_test_asks_for_health_and_a_plan(node, release):
    done = helm_test(node)
    assert done.returncode == 0, done
    assert "watcher (1), planner (1), applier (1) are serving; the plan for a test Iris has" in done.stdout


def test_helm_test_names_the_service_that_is_not_there(node, release):
    release.scale("planner", 0)
    try:
        eventually(lambda: not release.kube.list("pods", NS, "app.kubernetes.io/component=planner"), 60, what="no planner is left")
        done = helm_test(node)
    finally:
        release.scale("planner", 1)
        release.wait_whole()
    assert done.returncode != 0 and "planner" in done.stdout + done.stderr, done
