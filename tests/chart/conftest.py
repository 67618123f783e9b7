# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the chart."""

import functools

import pytest

from support import chart


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite the snapshots")


@pytest.fixture(params=chart.VARIANTS)
def variant(request):
    """The name of each variant in turn."""
    return request.param


@pytest.fixture
def documents(variant):
    return rendered(variant)


@functools.cache
def rendered(name):
    return chart.parse(chart.variant_text(name))


@pytest.fixture
def default():
    return rendered("default")


@pytest.fixture
def everything():
    return rendered("everything")
