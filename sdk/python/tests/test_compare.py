# SPDX-License-Identifier: Apache-2.0
"""Comparison of objects: the cases of common/model/fields.h."""

import pytest

from xebec_operator import covers

EQUAL = [
    ({"spec": {"a": 1, "b": 2}}, {"spec": {"a": 1}}),
    ({"spec": {"a": 1.0}}, {"spec": {"a": 1}}),
    ({"kind": "A", "metadata": {"uid": "1"}}, {"kind": "B", "metadata": {"uid": "2"}}),
    ({}, {"spec": {"a": None, "b": [], "c": {}, "d": "", "e": {"f": {}}}}),
    ({"resources": {"limits": {"cpu": "1"}}}, {"resources": {"limits": {"cpu": "1000m"}}}),
    ({"limits": {"memory": "1Gi"}}, {"limits": {"memory": 1073741824}}),
    ({"limits": {"memory": "1e3"}}, {"limits": {"memory": "1k"}}),
    ({"list": [{"name": "b"}, {"name": "a", "x": 1}]}, {"list": [{"name": "a", "x": 1}]}),
    ({"ports": [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "protocol": "TCP"}]}, {"ports": [{"containerPort": 53}]}),
    ({"readOnly": None}, {"readOnly": False}),
    ({"metadata": {"finalizers": ["b", "a"]}}, {"metadata": {"finalizers": ["a"]}}),
    ({"args": ["a", "b"]}, {"args": ["a", "b"]}),
]
DIFFERENT = [
    ({"spec": {}}, {"spec": {"a": 1}}),
    ({"a": True}, {"a": 1}),
    ({"a": "80"}, {"a": 80}),
    ({"a": "x"}, {"a": ""}),
    ({}, {"data": {"key": ""}}),
    ({}, {"emptyDir": {}}),
    ({"limits": {"cpu": "1"}}, {"limits": {"cpu": "2"}}),
    ({"limits": {"cpu": "one"}}, {"limits": {"cpu": "two"}}),
    ({"cpu": "1"}, {"cpu": "1000m"}),
    ({"list": [{"name": "b"}]}, {"list": [{"name": "a"}]}),
    ({"args": ["b", "a"]}, {"args": ["a", "b"]}),
    ({"args": ["a", "b"]}, {"args": ["a"]}),
    ({"subjects": [{"name": "a"}, {"name": "b"}]}, {"subjects": [{"name": "a"}]}),
    ({"metadata": {"finalizers": []}}, {"metadata": {"finalizers": ["a"]}}),
]


@pytest.mark.parametrize(("live", "desired"), EQUAL)
def test_live_covers_desired(live, desired):
    assert covers(live, desired)


@pytest.mark.parametrize(("live", "desired"), DIFFERENT)
def test_live_does_not_cover_desired(live, desired):
    assert not covers(live, desired)
