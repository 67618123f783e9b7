// SPDX-License-Identifier: Apache-2.0

package main

import (
	"reflect"
	"strings"
	"testing"

	"xebec.dev/operator"
	"xebec.dev/operator/operatortest"
)

func parent(page string) object {
	return object{
		"apiVersion": "example.com/v1", "kind": "Website", "metadata": object{"name": "hello", "namespace": "default"},
		"spec": object{"page": page, "replicas": 2},
	}
}

// deployment returns the Deployment as the API server shows it when Pods are ready.
func deployment(t *testing.T, ready, generation int) operator.Object {
	live := operatortest.Decide(t, website, operator.Input{Parent: parent("Hello")}).Child("Deployment", "hello").Object
	live.Map("metadata")["generation"] = generation
	live["status"] = object{"readyReplicas": ready, "updatedReplicas": ready, "observedGeneration": 1}
	return live
}

func TestAWebsiteGetsItsObjects(t *testing.T) {
	decision := operatortest.Decide(t, website, operator.Input{Parent: parent("Hello")})
	if got := decision.Child("ConfigMap", "hello").Object.String("data", "index.html"); got != "Hello" {
		t.Errorf("the page is %q", got)
	}
	if got := decision.Child("Deployment", "hello").Object.Int(0, "spec", "replicas"); got != 2 {
		t.Errorf("%d replicas", got)
	}
	if decision.Child("Service", "hello") == nil || decision.Condition("Ready").Status != "False" {
		t.Errorf("got %+v", decision)
	}
}

func TestAWebsiteIsReadyWhenItsDeploymentIs(t *testing.T) {
	for _, test := range []struct {
		ready, generation int
		want              string
	}{{1, 1, "False"}, {2, 1, "True"}, {2, 2, "False"}} {
		in := operator.Input{Parent: parent("Hello"), Children: []any{deployment(t, test.ready, test.generation)}}
		decision := operatortest.Decide(t, website, in)
		if got := decision.Condition("Ready").Status; got != test.want {
			t.Errorf("%+v: got %s", test, got)
		}
		if got := decision.Status.Int(-1, "readyReplicas"); got != int64(test.ready) {
			t.Errorf("%+v: status %d", test, got)
		}
	}
}

func TestANewPageReplacesThePods(t *testing.T) {
	live := deployment(t, 2, 1)
	decision := operatortest.Decide(t, website, operator.Input{Parent: parent("new"), Children: []any{live}})
	desired := decision.Child("Deployment", "hello").Object
	if reflect.DeepEqual(desired.Get("spec", "template"), live.Get("spec", "template")) || decision.Condition("Ready").Status != "False" {
		t.Errorf("got %+v", decision)
	}
}

func TestAPageThatIsTooLongIsRefused(t *testing.T) {
	decision := operatortest.Decide(t, website, operator.Input{Parent: parent(strings.Repeat("x", 100_001))})
	if !strings.HasPrefix(decision.Invalid, "spec.page") || len(decision.Children) != 0 {
		t.Errorf("got %+v", decision)
	}
}
