# SPDX-License-Identifier: Apache-2.0
"""Modules that the Go tools share have one version, so that Go compiles them once."""

import re

import pytest

from support import paths

MODULES = ["tests/tools/chart", "tests/controlplane/kube", "tests/node/kube"]


def versions(module):
    return dict(re.findall(r"^\t(\S+) (v\S+)", (paths.ROOT / module / "go.mod").read_text(encoding="utf-8"), re.M))


@pytest.mark.parametrize("module", MODULES[1:])
def test_what_two_go_modules_share_has_one_version(module):
    tools, others = versions(MODULES[0]), versions(module)
    assert len(tools.keys() & others.keys()) > 50
    assert {name: (tools[name], others[name]) for name in tools.keys() & others.keys() if tools[name] != others[name]} == {}
