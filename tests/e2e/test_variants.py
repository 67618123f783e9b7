# SPDX-License-Identifier: Apache-2.0
"""Other installations: a second release with its own certificates, and the presets of the chart."""

import base64
import json
import pathlib
import re
import subprocess

import pytest

from parents import IRIS, iris
from support import chart, grpcurl, paths
from support.eventually import eventually
from support.identities import Identities
from support.namespace import Namespace
from support.processes import free_port
from support.release import Release

OURS, THEIRS = "first-team", "second-team"
SECRETS = {component: f"my-{component}" for component in chart.COMPONENTS}


@pytest.fixture(autouse=True)
def as_before(release):
    """Whatever a test makes of the release, the next one finds it as it was."""
    yield
    release.upgrade()


@pytest.fixture
def teams(kube, release):
    """A namespace for each of two releases; the first one keeps to its own meanwhile."""
    for name in (OURS, THEIRS):
        kube.create_namespace(name)
    release.upgrade({"watchNamespaces": [OURS]})
    found = [Namespace(kube, name) for name in (OURS, THEIRS)]
    yield found
    for each in found:
        each.delete_parents()


@pytest.fixture
def second(request, node, teams):
    """A release of Helm 4 where the original Iris operator lived, whose Secrets are not there yet."""
    other = Release(node, "second", "iris-system", version=4)
    request.addfinalizer(other.uninstall)
    other.install({"crds": {"enabled": False}, "watchNamespaces": [THEIRS], "tls": {"mode": "existingSecret", "existingSecret": SECRETS},
                   "planner": {"plaintextListener": {"enabled": True}}}, wait=False)
    return other


def make_secrets(release, folder):
    """As docs/install.md says what the certificates have to carry."""
    identities = Identities(folder / "own-ca")
    for component, name in SECRETS.items():
        account = f"{release.fullname}-{component}"
        identities.issue(component, names=f"DNS:{account}.{release.ns}.svc", identity=f"spiffe://cluster.local/ns/{release.ns}/sa/{account}")
        data = dict(zip(("tls.crt", "tls.key", "ca.crt"), (pathlib.Path(file).read_bytes() for file in identities.files(component))))
        release.kube.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "type": "kubernetes.io/tls",
                             "data": {key: base64.b64encode(content).decode() for key, content in data.items()}}, release.ns)


@pytest.mark.expects_forbidden  # Helm exchanges ClusterRoles for Roles before the Pods know
def test_a_second_release_waits_for_its_secrets_and_works_beside_the_first(second, release, teams, audit, tmp_path):
    def told():
        events = second.node.kubectl("get", "events", "-n", second.ns)
        assert all(f'secret "{name}" not found' in events for name in SECRETS.values()), events
        return True
    eventually(told, 120, what="Kubernetes tells which Secrets are missing")
    assert not any(pod["status"].get("containerStatuses", [{}])[0].get("ready") for pod in second.pods())
    make_secrets(second, tmp_path)
    second.wait_whole(180)
    assert set(second.lives().values()) == {0}, "nobody was started twice"

    mark = audit.mark()
    for here in teams:
        here.create(iris("sample", replicas=1))
    for here in teams:
        here.is_ready(IRIS, "sample")
    writers = {entry.user for entry in audit.since(mark) if (entry.verb, entry.resource, entry.name) == ("create", "deployments", "sample")}
    assert writers == {f"system:serviceaccount:{each.ns}:{each.fullname}-applier" for each in (release, second)}

    # Its certificate proves the name of its Service alone.
    keys = second.node.kubectl("exec", "-n", second.ns, f"deployment/{second.fullname}-watcher", "--", "xebec", "keys")
    assert keys.splitlines()[1].split()[1:3] == [THEIRS, "sample"]

    port = free_port()
    forward = subprocess.Popen([paths.controlplane_binary("kubectl"), "--kubeconfig", second.node.kubeconfig, "-n", second.ns, "port-forward",
                                f"deployment/{second.fullname}-planner", f"{port}:7445"], stdout=subprocess.DEVNULL)
    try:
        request = json.loads((paths.EXAMPLES / "iris/request.json").read_text())
        plan = eventually(lambda: grpcurl.call(f"127.0.0.1:{port}", "PlannerService/Plan", request), what="the plaintext listener answers")
        assert plan["plan"]["children"]
    finally:
        forward.terminate()
        forward.wait()


def test_the_presets_work(release, here):
    """Spreading over nodes asks for nothing where there is one."""
    for preset, pods in ("values-ha.yaml", 7), ("values-minimal.yaml", 3):
        release.upgrade(preset=preset)
        assert len(release.pods()) == pods
        name = preset.removesuffix(".yaml")
        here.create(iris(name, replicas=1))
        here.is_ready(IRIS, name)


def test_an_archive_imported_on_the_node_needs_no_registry(release, node):
    [archive] = paths.image_folder().glob("xebec-*.tar")
    name = archive.stem.replace("-", ":", 1)
    command = re.search(r"^ +sudo ctr -n k8s\.io (images import) build/image/(\S+)", (paths.ROOT / "docs/install.md").read_text(), re.M)
    assert command[2] == archive.name
    assert f"docker.io/library/{name}" in node.ctr(*command[1].split(), archive)
    node.ctr("images", "tag", f"docker.io/library/{name}", "docker.io/library/xebec:imported")  # which the registry does not have
    release.upgrade({"image": {"tag": "imported"}})
    assert {pod["spec"]["containers"][0]["image"] for pod in release.pods()} == {"xebec:imported"}


def test_an_image_by_digest(release, node):
    [name] = {pod["spec"]["containers"][0]["image"] for pod in release.pods()}
    digest = node.digest(name)
    release.upgrade({"image": {"digest": digest}})
    assert {pod["spec"]["containers"][0]["image"] for pod in release.pods()} == {f"{name.partition(':')[0]}@{digest}"}
