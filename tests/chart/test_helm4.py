# SPDX-License-Identifier: Apache-2.0
"""Helm 4 renders and rejects the same values as Helm 3, which the other tests use."""

import re

import pytest

from support import chart


def without_blank_ends(text):
    """Helm 4 leaves the blank lines at the end of a template where Helm 3 cuts them."""
    return re.sub(r"\n\n+(?=---\n|\Z)", "\n", text)


def test_both_render_the_same(variant):
    assert without_blank_ends(chart.render_text(chart.VARIANTS[variant], version=4)) == chart.variant_text(variant)


@pytest.mark.parametrize("release, values", [
    ("xebec", {"tls": {"mode": "none"}, "watcher": {"misspelt": 1}}), ("xebec", {"tls": {"mode": "disabled"}}), ("1st", {})])
def test_both_refuse_with_the_same_words(release, values):
    words = [sorted(chart.refusal(values, release=release, version=version).splitlines()) for version in (3, 4)]
    assert words[0] == words[1]


def test_both_know_the_kubernetes_that_the_chart_is_for():
    refused = [chart.helm("template", "xebec", chart.paths.CHART, "--kube-version", "1.34.9", version=version).stderr for version in (3, 4)]
    assert refused[0] == refused[1] and "requires kubeVersion: >=1.35.0" in refused[0]
