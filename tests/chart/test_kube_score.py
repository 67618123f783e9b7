# SPDX-License-Identifier: Apache-2.0
"""kube-score finds only the problems that kube-score.yaml lists with a reason."""

import json
import pathlib
import subprocess

import pytest
import yaml

from support import chart, paths

EXCEPTIONS = yaml.safe_load(pathlib.Path(__file__).with_name("kube-score.yaml").read_text(encoding="utf-8"))
PASSED = 10


def score(text):
    command = [paths.chart_tool("kube-score"), "score", "--all-default-optional", "--ignore-container-cpu-limit", "--kubernetes-version", "v1.35",
               "--output-format", "json", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return json.loads(done.stdout)


def findings(scored):
    """(check, variant, object, what is wrong)"""
    return [(each["check"]["id"], item["object_meta"].get("namespace"), f'{item["type_meta"]["kind"]}/{item["object_meta"]["name"]}',
             [comment["summary"] for comment in each["comments"] or []])
            for item in scored for each in item["checks"] if not each["skipped"] and each["grade"] < PASSED]


def is_meant(exception, finding):
    return exception["check"] == finding[0] and finding[1] not in exception.get("except", []) and finding[1] in exception.get("only", chart.VARIANTS)


@pytest.fixture(scope="module")
def scored():
    """Each variant in its own namespace, so that one call checks all of them without mixing them."""
    return score("\n---\n".join(chart.variant_text(name).replace(chart.NAMESPACE, name) for name in chart.VARIANTS))


def test_nothing_is_found_but_what_is_meant(scored):
    deployments = [item for item in scored if item["type_meta"]["kind"] == "Deployment"]
    assert len(deployments) == len(chart.COMPONENTS) * len(chart.VARIANTS) + sum("hooks" in values for values in chart.VARIANTS.values())
    assert [finding for finding in findings(scored) if not any(is_meant(exception, finding) for exception in EXCEPTIONS)] == []


def test_every_exception_is_needed(scored):
    assert [exception["check"] for exception in EXCEPTIONS if not any(is_meant(exception, finding) for finding in findings(scored))] == []
