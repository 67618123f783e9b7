# SPDX-License-Identifier: Apache-2.0
"""Comparison of objects: the cases of common/model/fields.h. Both SDKs test the same cases."""

import json
from pathlib import Path

import pytest

from xebec_operator import covers

CASES = json.loads((Path(__file__).parents[2] / "testdata" / "covers.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=json.dumps)
def test_live_covers_desired(case):
    assert covers(case["live"], case["desired"]) == case["covers"]
