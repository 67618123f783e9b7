# SPDX-License-Identifier: Apache-2.0
"""The versions of Kubernetes that are tested, and those that chart and documentation name."""

import re

import yaml

from support import paths

MODULES = paths.ROOT / "tests/controlplane/kube"
TESTED = {file.stem: file for file in MODULES.glob("[0-9]*.mod")}


def kubernetes(module):
    """"1.35" of the module's k8s.io/kubernetes."""
    return re.search(r"^\tk8s\.io/kubernetes v(\d+\.\d+)\.", module.read_text(encoding="utf-8"), re.M)[1]


def number(minor):
    return int(minor.split(".")[1])


USUAL = kubernetes(MODULES / "go.mod")
ALL = sorted([USUAL, *TESTED], key=number)


def test_each_module_builds_the_minor_version_of_its_name():
    assert {name: kubernetes(file) for name, file in TESTED.items()} == {name: name for name in TESTED}
    assert all(file.with_suffix(".sum").exists() for file in TESTED.values())


def test_three_consecutive_minor_versions_are_tested():
    assert [number(minor) for minor in ALL] == list(range(number(ALL[0]), number(ALL[0]) + 3))


def test_the_chart_admits_the_oldest_tested_version_and_newer_ones():
    chart = yaml.safe_load((paths.CHART / "Chart.yaml").read_text(encoding="utf-8"))
    assert chart["kubeVersion"] == f">={ALL[0]}.0-0"


def test_the_documentation_names_the_tested_versions():
    page = (paths.ROOT / "docs/versions.md").read_text(encoding="utf-8")
    assert f"| {USUAL} | all tests" in page
    assert f"| {', '.join(sorted(TESTED, key=number))} | the most important" in page
