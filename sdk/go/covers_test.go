// SPDX-License-Identifier: Apache-2.0

package operator

import "testing"

func TestCovers(t *testing.T) {
	for _, test := range []struct {
		live, desired string
		want          bool
	}{
		{`{"spec": {"a": 1, "b": 2}}`, `{"spec": {"a": 1}}`, true},
		{`{"spec": {"a": 1.0}}`, `{"spec": {"a": 1}}`, true},
		{`{"kind": "A", "metadata": {"uid": "1"}}`, `{"kind": "B", "metadata": {"uid": "2"}}`, true},
		{`{}`, `{"spec": {"a": null, "b": [], "c": {}, "d": "", "e": {"f": {}}}}`, true},
		{`{"resources": {"limits": {"cpu": "1"}}}`, `{"resources": {"limits": {"cpu": "1000m"}}}`, true},
		{`{"limits": {"memory": "1Gi"}}`, `{"limits": {"memory": 1073741824}}`, true},
		{`{"limits": {"memory": "1e3"}}`, `{"limits": {"memory": "1k"}}`, true},
		{`{"limits": {"cpu": "1u"}}`, `{"limits": {"cpu": "1m"}}`, true},
		{`{"list": [{"name": "b"}, {"name": "a", "x": 1}]}`, `{"list": [{"name": "a", "x": 1}]}`, true},
		{`{"ports": [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 53, "protocol": "TCP"}]}`,
			`{"ports": [{"containerPort": 53}]}`, true},
		{`{"readOnly": null}`, `{"readOnly": false}`, true},
		{`{"metadata": {"finalizers": ["b", "a"]}}`, `{"metadata": {"finalizers": ["a"]}}`, true},
		{`{"args": ["a", "b"]}`, `{"args": ["a", "b"]}`, true},
		{`{"spec": {}}`, `{"spec": {"a": 1}}`, false},
		{`{"a": true}`, `{"a": 1}`, false},
		{`{"a": "80"}`, `{"a": 80}`, false},
		{`{"a": "x"}`, `{"a": ""}`, false},
		{`{"a": {"b": 1}}`, `{"a": "b"}`, false},
		{`{"a": "b"}`, `{"a": {"b": 1}}`, false},
		{`{}`, `{"data": {"key": ""}}`, false},
		{`{}`, `{"emptyDir": {}}`, false},
		{`{"limits": {"cpu": "1"}}`, `{"limits": {"cpu": "2"}}`, false},
		{`{"limits": {"cpu": "one"}}`, `{"limits": {"cpu": "two"}}`, false},
		{`{"cpu": "1"}`, `{"cpu": "1000m"}`, false},
		{`{"list": [{"name": "b"}]}`, `{"list": [{"name": "a"}]}`, false},
		{`{"args": ["b", "a"]}`, `{"args": ["a", "b"]}`, false},
		{`{"args": ["a", "b"]}`, `{"args": ["a"]}`, false},
		{`{"args": ["a"]}`, `{"args": []}`, false},
		{`{"subjects": [{"name": "a"}, {"name": "b"}]}`, `{"subjects": [{"name": "a"}]}`, false},
		{`{"metadata": {"finalizers": []}}`, `{"metadata": {"finalizers": ["a"]}}`, false},
	} {
		live, err := parseObject(test.live)
		if err != nil {
			t.Fatal(err)
		}
		desired, err := parseObject(test.desired)
		if err != nil {
			t.Fatal(err)
		}
		if got := Covers(live, desired); got != test.want {
			t.Errorf("Covers(%s, %s) = %v", test.live, test.desired, got)
		}
	}
}
