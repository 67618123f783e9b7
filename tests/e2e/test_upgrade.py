# SPDX-License-Identifier: Apache-2.0
"""`helm upgrade` under load, `helm uninstall`, and what a new installation finds."""

import concurrent.futures

import burst
from parents import IRIS
from support import manifests
from support.release import NS, ready
from test_disturbances import writes_of

COUNT = 120
CRD = "customresourcedefinitions.apiextensions.k8s.io"


def wave(here, number):
    """A change of every parent that makes one write of every child, and no Pod."""
    burst.in_parallel(lambda name: here.change(IRIS, name, {"env": [{"name": "WAVE", "value": str(number)}]}), here.names(IRIS))


def images(release):
    return {pod["spec"]["containers"][0]["image"] for pod in release.pods()}


def test_an_upgrade_under_load_changes_each_child_once(release, here, audit):
    burst.create(here, COUNT)
    burst.all_ready(here, COUNT)
    for number, values in enumerate([{"logging": {"level": "debug"}}, {"image": {"tag": "next"}}, {}]):
        before = {pod["metadata"]["uid"] for pod in release.pods()}
        mark = audit.mark()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            work = pool.submit(wave, here, number)
            release.upgrade(values)
            work.result()
        burst.all_ready(here, COUNT)
        assert before.isdisjoint(pod["metadata"]["uid"] for pod in release.pods()), f"{values} replaced no Pod"
        written = writes_of(audit, mark, here)
        assert len(written) == COUNT and set(written.values()) == {1}, {name: n for name, n in written.items() if n != 1}
        if values.get("image"):
            assert images(release) == {"xebec:next"}


def test_uninstall_leaves_everybodys_objects_and_a_new_installation_picks_them_up(release, here, kube):
    burst.create(here, 3)
    burst.all_ready(here, 3)
    children = {child["metadata"]["name"]: child["metadata"]["uid"] for child in kube.list("deployments.apps", here.name)}
    crds = {crd["metadata"]["name"] for crd in manifests.crds()}

    release.uninstall()

    assert crds <= {crd["metadata"]["name"] for crd in kube.list(CRD)}
    assert len(here.names(IRIS)) == 3
    assert {child["metadata"]["name"]: child["metadata"]["uid"] for child in kube.list("deployments.apps", here.name)} == children
    assert kube.get("leases.coordination.k8s.io", "xebec-watcher-0", NS) is not None
    assert kube.get("secrets", "xebec-ca", NS) is not None
    assert not [role for role in kube.list("clusterroles.rbac.authorization.k8s.io") if role["metadata"]["name"].startswith(NS)]
    wave(here, "while nobody looks")

    release.install()

    for name in here.names(IRIS):
        here.becomes(IRIS, name, ready, "is Ready")
    assert {child["metadata"]["name"]: child["metadata"]["uid"] for child in kube.list("deployments.apps", here.name)} == children
    assert all(child["spec"]["template"]["spec"]["containers"][0]["env"][0]["value"] == "while nobody looks"
               for child in kube.list("deployments.apps", here.name))
