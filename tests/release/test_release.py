# SPDX-License-Identifier: Apache-2.0
"""The artifacts that `./dev release` writes."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile

import pytest
import yaml

from devtools import release
from image import make
from support import chart, manifests, paths
from support.services import environment

VERSION = make.version()
ARCHITECTURE = make.ARCHITECTURES[platform.machine()]
IMAGE, SBOM = (f"xebec-{VERSION}-linux-{ARCHITECTURE}.{suffix}" for suffix in ("tar", "spdx.json"))


def write(folder, *arguments):
    binaries = os.path.dirname(paths.service_binary("xebec"))
    command = [sys.executable, "-B", "-m", "devtools.release", "--output", folder, "--binaries", binaries, *arguments]
    done = subprocess.run(command, cwd=paths.ROOT, env=os.environ | {"PYTHONPATH": f"{paths.ROOT}:{paths.ROOT}/tests"},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    written = tmp_path_factory.mktemp("release") / VERSION
    write(written)
    return written


def objects(text):
    return sorted(map(json.dumps, chart.parse(text)))


def test_every_file_names_the_same_version():
    program = subprocess.run([paths.service_binary("xebec"), "--version"], capture_output=True, text=True, check=True, env=environment())
    assert set(release.versions().values()) == {VERSION}
    assert re.match(rf"xebec {re.escape(VERSION)}\b", program.stdout), program.stdout


def copy_of_the_files_with_a_version(folder):
    for file in release.VERSION_IN:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(paths.ROOT / file, folder / file)


@pytest.mark.parametrize("file", release.VERSION_IN)
def test_another_version_in_one_file_is_reported(tmp_path, file):
    copy_of_the_files_with_a_version(tmp_path)
    assert release.one_version(tmp_path) == VERSION
    changed = tmp_path / file
    changed.write_text(changed.read_text(encoding="utf-8").replace(VERSION, "9.9.9"), encoding="utf-8")
    with pytest.raises(SystemExit, match=rf"the versions differ: .*{re.escape(file)} has 9\.9\.9"):
        release.one_version(tmp_path)


def test_the_page_for_a_release_names_every_file_with_the_version():
    page = (paths.ROOT / "docs/versions.md").read_text(encoding="utf-8")
    step = page[page.index("1. Set the version in"):page.index("2. In ")]
    assert set(re.findall(r"`([^`]+\.[a-z]+)`", step)) >= {"CMakeLists.txt", *release.VERSION_IN}


def test_there_is_every_artifact_and_nothing_else(folder):
    wheel = f"xebec_operator-{VERSION}-py3-none-any.whl"
    assert {file.name for file in folder.iterdir()} == {"install.yaml", "crds.yaml", f"xebec-{VERSION}.tgz", IMAGE, SBOM, wheel, "SHA256SUMS"}


def test_the_checksums_are_accepted_by_sha256sum_and_cover_every_file(folder):
    done = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == len(list(folder.iterdir())) - 1


def test_the_manifest_is_the_output_of_helm_template_after_the_namespace(folder):
    namespace, *rest = chart.parse((folder / "install.yaml").read_text(encoding="utf-8"))
    rendered = chart.helm("template", "xebec", paths.CHART, "--namespace", chart.NAMESPACE, "--skip-tests")
    assert (namespace["kind"], namespace["metadata"]["name"]) == ("Namespace", chart.NAMESPACE)
    assert sorted(map(json.dumps, rest)) == objects(rendered.stdout)
    assert not [each for each in rest if "helm.sh/hook" in each["metadata"].get("annotations", {})]
    assert all(each["metadata"].get("namespace") in (None, chart.NAMESPACE) for each in rest)


def test_the_chart_archive_renders_what_the_folder_renders(folder):
    archive = folder / f"xebec-{VERSION}.tgz"
    for version in (3, 4):
        rendered = chart.helm("template", "xebec", archive, "--namespace", chart.NAMESPACE, version=version)
        assert rendered.returncode == 0, rendered.stderr
        assert objects(rendered.stdout) == objects(chart.render_text(version=version))
    with tarfile.open(archive) as tar:
        assert {"xebec/Chart.yaml", "xebec/values.yaml", "xebec/values-ha.yaml", "xebec/README.md"} <= set(tar.getnames())


def test_the_crds_are_those_of_the_chart(folder):
    assert list(yaml.safe_load_all((folder / "crds.yaml").read_text(encoding="utf-8"))) == manifests.crds()


def test_the_image_has_the_version_that_the_manifest_names(folder):
    with tarfile.open(folder / IMAGE) as tar:
        [manifest] = json.load(tar.extractfile("manifest.json"))
        config = json.load(tar.extractfile(manifest["Config"]))
    assert manifest["RepoTags"] == [f"xebec:{VERSION}"] and config["architecture"] == ARCHITECTURE
    assert set(re.findall(r"image: \"?([^\s\"]+)", (folder / "install.yaml").read_text(encoding="utf-8"))) == {f"xebec:{VERSION}"}


def test_the_sbom_names_the_packages_of_the_image(folder):
    document = json.loads((folder / SBOM).read_text(encoding="utf-8"))
    assert document["spdxVersion"].startswith("SPDX-2")
    assert {"libc6", "libgrpc++1.51"} <= {package["name"] for package in document["packages"]}


def test_a_registry_and_files_of_another_machine_can_be_added(folder, tmp_path):
    other = tmp_path / f"xebec-{VERSION}-linux-other.tar"
    other.write_bytes(b"an image")
    write(tmp_path / "out", "--registry", "registry.example/team", "--add", other)
    assert other.name in (tmp_path / "out/SHA256SUMS").read_text(encoding="utf-8")
    assert f"registry.example/team/xebec:{VERSION}" in (tmp_path / "out/install.yaml").read_text(encoding="utf-8")


def test_two_releases_of_one_commit_are_equal(folder, tmp_path):
    write(tmp_path / "again")
    assert (tmp_path / "again/SHA256SUMS").read_text() == (folder / "SHA256SUMS").read_text()
