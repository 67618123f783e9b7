# SPDX-License-Identifier: Apache-2.0
"""The chart renders the committed snapshots; .ci/chart --update rewrites them. The snapshot of a variant is its
difference from the default."""

import difflib
import pathlib
import re

import pytest

from support import chart, paths

SNAPSHOTS = pathlib.Path(__file__).parent / "snapshots"


def without_crds(values):
    return {**values, "crds": {"enabled": False}}


@pytest.fixture(scope="module")
def default_text():
    return chart.render_text(without_crds({}))


def snapshot(name, default_text):
    if name == "default":
        return default_text
    lines = difflib.unified_diff(default_text.splitlines(), chart.render_text(without_crds(chart.VARIANTS[name])).splitlines(),
                                 "default", name, lineterm="", n=2)
    return "\n".join(lines) + "\n"


def test_a_render_is_as_its_snapshot_says(variant, default_text, request):
    path = SNAPSHOTS / ("default.yaml" if variant == "default" else f"{variant}.diff")
    now = snapshot(variant, default_text)
    if request.config.getoption("--update"):
        path.write_text(now, encoding="utf-8")
    assert now == path.read_text(encoding="utf-8"), "see what changed with .ci/chart --update and git diff"


def test_every_snapshot_belongs_to_a_variant():
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(chart.VARIANTS)


def test_two_renders_are_equal(variant):
    assert chart.render_text(chart.VARIANTS[variant]) == chart.variant_text(variant)


def test_templates_look_nothing_up_and_roll_no_dice():
    for path in filter(lambda path: path.is_file(), (paths.CHART / "templates").rglob("*")):
        text = path.read_text(encoding="utf-8")
        for word in ("lookup", "randAlpha", "randNumeric", "randBytes", "uuidv4", "now ", "genCA", "genSigned", "getHostByName"):
            assert not re.search(rf"\b{word}", text), f"{path.name}: {word}"


@pytest.mark.parametrize("version", [3, 4])
def test_helm_lint_has_no_complaint(variant, version):
    done = chart.lint(chart.VARIANTS[variant], version=version)
    assert done.returncode == 0 and "WARNING" not in done.stdout, done.stdout + done.stderr
