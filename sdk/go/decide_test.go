// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"xebec.dev/operator"
	"xebec.dev/operator/operatortest"
)

type (
	object  = operator.Object
	members = map[string]any
)

var parent = object{
	"apiVersion": "example.com/v1", "kind": "Web", "metadata": members{"name": "web", "namespace": "shop"},
	"spec": members{"image": "nginx", "replicas": 2},
}

func configMap(name string) object {
	return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": members{"name": name}}
}

func handle(handler func(o *operator.Observation)) *operator.Operator {
	return operator.New("webs.example.com", func(_ context.Context, o *operator.Observation) error {
		handler(o)
		return nil
	})
}

func decide(t *testing.T, in operator.Input, handler func(o *operator.Observation)) *operator.Decision {
	t.Helper()
	if in.Parent == nil {
		in.Parent = parent
	}
	return operatortest.Decide(t, handle(handler), in)
}

// typed is like the types of k8s.io/api.
type typed struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name              string     `json:"name"`
		CreationTimestamp *time.Time `json:"creationTimestamp"`
	} `json:"metadata"`
	Spec   struct{ Replicas *int32 } `json:"spec"`
	Status struct {
		LoadBalancer struct{} `json:"loadBalancer"`
		Replicas     int32    `json:"replicas"`
	} `json:"status"`
}

func TestEnsureTakesTypedAndUntypedObjects(t *testing.T) {
	deployment := typed{APIVersion: "apps/v1", Kind: "Deployment"}
	deployment.Metadata.Name = "web"
	decision := decide(t, operator.Input{}, func(o *operator.Observation) {
		o.Ensure(&deployment, operator.Created("made"), operator.OnChanged(operator.Event{Reason: "Scaled"}), operator.Stage(1),
			operator.Memo("m"), operator.ByVersion())
		o.Ensure(members{"apiVersion": "v1", "kind": "Secret", "metadata": members{"name": "s"}})
	})
	want := object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": members{"name": "web"}, "spec": members{}}
	child := decision.Child("Deployment", "web")
	if !reflect.DeepEqual(child.Object, want) {
		t.Errorf("got %v, want %v", child.Object, want)
	}
	if child.Stage != 1 || child.Memo != "m" || !child.ByVersion ||
		child.Created[0] != (operator.Event{Reason: "Created", Action: "Create", Note: "made"}) || child.Changed[0].Reason != "Scaled" {
		t.Errorf("got %+v", child)
	}
	if decision.Child("Secret", "s") == nil || decision.Child("Secret", "t") != nil {
		t.Error("the untyped object is missing")
	}
}

func TestEnsureKeepsItsArgument(t *testing.T) {
	argument := object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": members{"name": "c", "labels": nil}, "status": members{}}
	decide(t, operator.Input{}, func(o *operator.Observation) { o.Ensure(argument) })
	if len(argument) != 4 || len(argument["metadata"].(members)) != 2 {
		t.Errorf("changed to %v", argument)
	}
}

func TestWrongArgumentsAreErrors(t *testing.T) {
	for want, handler := range map[string]func(o *operator.Observation){
		"ensured twice": func(o *operator.Observation) { o.Ensure(configMap("c")); o.Ensure(configMap("c")) },
		"\"v\" is ensured twice": func(o *operator.Observation) {
			for _, version := range []string{"apps/v1", "apps/v1beta1"} {
				o.Ensure(object{"apiVersion": version, "kind": "Deployment", "metadata": members{"name": "v"}})
			}
		},
		"metadata.name": func(o *operator.Observation) { o.Ensure(configMap("")) },
		"unsupported":   func(o *operator.Observation) { o.Ensure(make(chan int)) },
		"not a JSON":    func(o *operator.Observation) { o.Ensure([]int{}) },
		"needs api":     func(o *operator.Observation) { o.Delete("v1", "Pod", "") },
		"SetCondition":  func(o *operator.Observation) { o.SetStatus(object{"conditions": 1}) },
		"positive":      func(o *operator.Observation) { o.ResyncAfter(-1) },
		"belongs to":    func(o *operator.Observation) { o.SetUnknown("Paused", "A", "") },
		"\"made it\"":   func(o *operator.Observation) { o.PublishEvent(operator.Event{Reason: "made it"}) },
		"\"make it\"": func(o *operator.Observation) {
			o.Ensure(configMap("c"), operator.OnCreated(operator.Event{Reason: "A", Action: "make it"}))
		},
		"metadata.uid": func(o *operator.Observation) {
			o.Ensure(object{"apiVersion": "v1", "kind": "Pod", "metadata": members{"name": "p", "uid": "u"}})
		},
		"labels.a": func(o *operator.Observation) {
			o.Ensure(object{"apiVersion": "v1", "kind": "Pod", "metadata": members{"name": "p", "labels": members{"a": 1}}})
		},
		"panic: nothing": func(*operator.Observation) { panic("nothing") },
	} {
		_, err := handle(handler).Decide(context.Background(), operator.Input{Parent: parent})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestDelete(t *testing.T) {
	decision := decide(t, operator.Input{}, func(o *operator.Observation) {
		o.Delete("v1", "Pod", "old", operator.Stage(2), operator.Foreground, operator.Reason("renamed"), operator.Deleted("gone"),
			operator.InNamespace("n"))
	})
	want := operator.Deletion{APIVersion: "v1", Kind: "Pod", Name: "old", Namespace: "n", Stage: 2, Propagation: operator.Foreground,
		Reason: "renamed", Deleted: []operator.Event{{Reason: "Deleted", Action: "Delete", Note: "gone"}}}
	if !reflect.DeepEqual(decision.Deletions, []operator.Deletion{want}) || !decision.Deletes("Pod", "old") || decision.Deletes("Pod", "new") {
		t.Errorf("got %+v", decision.Deletions)
	}
}

func TestStatusConditionsEventsAndResync(t *testing.T) {
	decision := decide(t, operator.Input{}, func(o *operator.Observation) {
		o.SetStatus(struct {
			A int `json:"a"`
		}{1})
		o.SetStatus(object{"b": nil})
		o.SetCondition("Ready", false, "Waiting", "wait")
		o.SetCondition("Ready", true, "", "")
		o.SetUnknown("Known", "Why", "")
		o.RemoveCondition("Old")
		o.PublishEvent(operator.Event{Reason: "Done", Warning: true})
		o.ResyncAfter(time.Minute)
		o.ResyncAfter(time.Second)
		o.ResyncAfter(time.Hour)
	})
	if !reflect.DeepEqual(decision.Status, object{"a": int64(1), "b": nil}) {
		t.Errorf("status %v", decision.Status)
	}
	want := []operator.Condition{{"Ready", "True", "Ready", ""}, {"Known", "Unknown", "Why", ""}, {Type: "Old"}}
	if !reflect.DeepEqual(decision.Conditions, want) || decision.Condition("Ready").Status != "True" || decision.Condition("X").Status != "" {
		t.Errorf("conditions %v", decision.Conditions)
	}
	if decision.ResyncAfter != time.Second || decision.Events[0].Reason != "Done" {
		t.Errorf("got %+v", decision)
	}
}

func TestInvalidAndOtherErrors(t *testing.T) {
	fails := func(err error) *operator.Operator {
		return operator.New("a", func(context.Context, *operator.Observation) error { return err })
	}
	if got := operatortest.Decide(t, fails(operator.Invalidf("spec.a is %d", 3)), operator.Input{Parent: parent}).Invalid; got != "spec.a is 3" {
		t.Errorf("got %q", got)
	}
	if got := operatortest.Decide(t, fails(operator.Invalidf("")), operator.Input{Parent: parent}).Invalid; got == "" {
		t.Error("an invalid parent without a message is valid")
	}
	cause := errors.New("busy")
	if _, err := fails(operator.RetryAfter(time.Second, cause)).Decide(context.Background(), operator.Input{Parent: parent}); !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestObservation(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	in := operator.Input{
		Children: []any{configMap("b"), configMap("a"), object{"apiVersion": "v1", "kind": "Secret", "metadata": members{"name": "a"}}},
		Related:  []any{configMap("r")}, Configuration: members{"x": 1.5}, Now: now,
		LastOutcomes: []operator.Outcome{{Kind: "Pod", Namespace: "shop", Name: "p", Operation: "delete", Memo: "m", Repeats: 2, At: now}},
	}
	decide(t, in, func(o *operator.Observation) {
		maps := o.Children("ConfigMap")
		if len(maps) != 2 || maps[0].Name() != "a" || len(o.Children("")) != 3 || o.Child("Secret", "a").APIVersion() != "v1" ||
			o.Child("Secret", "b") != nil || len(o.Related("ConfigMap")) != 1 {
			t.Errorf("objects: %v", o.Children(""))
		}
		if o.Name() != "web" || o.Namespace() != "shop" || o.Operator != "webs.example.com" || o.Phase != operator.Sync || !o.Now.Equal(now) {
			t.Errorf("got %+v", o)
		}
		if o.Parent.Int(1, "spec", "replicas") != 2 || o.Parent.Int(1, "spec", "none") != 1 || o.Configuration["x"] != 1.5 {
			t.Errorf("numbers: %v %v", o.Parent, o.Configuration)
		}
		outcome, ok := o.Outcome("delete", "Pod", "p")
		if _, applied := o.Outcome("apply", "Pod", "p"); !ok || applied || outcome.Memo != "m" || outcome.Namespace != "shop" || !outcome.At.Equal(now) {
			t.Errorf("outcome %+v", outcome)
		}
		var web struct{ Spec struct{ Image string } }
		if err := o.Parent.Decode(&web); err != nil || web.Spec.Image != "nginx" {
			t.Errorf("decoded %+v, %v", web, err)
		}
		o.Parent["spec"] = nil // it is a copy
	})
	if parent["spec"] == nil {
		t.Error("the parent was changed")
	}
}

func TestNamespacesOfAClusterScopedParent(t *testing.T) {
	in := func(namespace string, replicas int) object {
		return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": members{"name": "web", "namespace": namespace},
			"spec": members{"replicas": replicas}}
	}
	tenant := object{"apiVersion": "example.com/v1", "kind": "Tenant", "metadata": members{"name": "t"}}
	decide(t, operator.Input{Parent: tenant, Children: []any{in("a", 1), in("b", 2)}}, func(o *operator.Observation) {
		o.Ensure(in("a", 1))
		o.Ensure(in("b", 3))
		if !o.IsAppliedIn("a", "Deployment", "web") || o.IsAppliedIn("b", "Deployment", "web") || o.IsAppliedIn("c", "Deployment", "web") {
			t.Error("the children of two namespaces are mixed up")
		}
		if o.ChildIn("b", "Deployment", "web").Int(0, "spec", "replicas") != 2 || o.ChildIn("c", "Deployment", "web") != nil {
			t.Error("a child of another namespace")
		}
	})
}

func TestChildrenWithOneKindAndNameInTwoGroups(t *testing.T) {
	const knative = "serving.knative.dev/v1"
	service := func(apiVersion string, spec members) object {
		return object{"apiVersion": apiVersion, "kind": "Service", "metadata": members{"name": "hello"}, "spec": spec}
	}
	in := operator.Input{
		Children:     []any{service("v1", members{"b": 2}), service(knative, members{"a": 0})},
		LastOutcomes: []operator.Outcome{{APIVersion: knative, Kind: "Service", Name: "hello", Operation: "apply", Code: "Created"}},
	}
	decision := decide(t, in, func(o *operator.Observation) {
		o.Ensure(service(knative, members{"a": 1}))
		o.Ensure(service("v1", members{"b": 2}))
		if o.Child("Service", "hello", "serving.knative.dev/v2").APIVersion() != knative || o.Child("Service", "hello", "v1").APIVersion() != "v1" ||
			o.Child("Service", "hello", "apps/v1") != nil {
			t.Error("the children of two groups are mixed up")
		}
		if !o.IsApplied("Service", "hello", "v1") || o.IsApplied("Service", "hello", knative) || o.IsApplied("Service", "hello") {
			t.Error("a child was compared with one of another group")
		}
		_, ofKnative := o.Outcome("apply", "Service", "hello", knative)
		if _, ofCore := o.Outcome("apply", "Service", "hello", "v1"); !ofKnative || ofCore {
			t.Error("the outcomes of two groups are mixed up")
		}
		o.Delete(knative, "Service", "old")
	})
	if decision.Child("Service", "hello", "v1").Object.APIVersion() != "v1" || decision.Child("Service", "hello").Object.APIVersion() != knative ||
		!decision.Deletes("Service", "old", knative) || decision.Deletes("Service", "old", "v1") {
		t.Errorf("got %+v", decision)
	}
}

func TestIsApplied(t *testing.T) {
	live := func(replicas, generation, observed int) object {
		return object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": members{"name": "web", "generation": generation},
			"spec": members{"replicas": replicas, "paused": true}, "status": members{"observedGeneration": observed}}
	}
	leaving := live(2, 2, 2)
	leaving["metadata"].(members)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	for i, test := range []struct {
		children []any
		want     bool
	}{{nil, false}, {[]any{live(1, 1, 1)}, false}, {[]any{live(2, 2, 1)}, false}, {[]any{live(2, 2, 2)}, true}, {[]any{leaving}, false}} {
		decide(t, operator.Input{Children: test.children}, func(o *operator.Observation) {
			o.Ensure(object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": members{"name": "web"}, "spec": members{"replicas": 2}})
			if got := o.IsApplied("Deployment", "web"); got != test.want {
				t.Errorf("case %d: got %v", i, got)
			}
		})
	}
}

func TestATypedChildIsAppliedWhateverItsStatus(t *testing.T) {
	set := typed{APIVersion: "apps/v1", Kind: "StatefulSet"}
	set.Metadata.Name = "web"
	live := object{"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": members{"name": "web"}, "status": members{"replicas": 2}}
	decide(t, operator.Input{Children: []any{live}}, func(o *operator.Observation) {
		o.Ensure(&set)
		if !o.IsApplied("StatefulSet", "web") {
			t.Error("the status was compared")
		}
	})
}

func TestFinalize(t *testing.T) {
	deleted := object{"metadata": members{"name": "web", "deletionTimestamp": "2026-01-01T00:00:00Z"}}
	op := handle(func(o *operator.Observation) { o.SetStatus(object{"phase": "sync"}) })
	if got := operatortest.Decide(t, op, operator.Input{Parent: deleted}).Status; got != nil {
		t.Errorf("got %v", got)
	}
	op.OnFinalize(func(_ context.Context, o *operator.Observation) error {
		o.SetStatus(object{"finalizing": o.Phase == operator.Finalize})
		return nil
	})
	for _, in := range []operator.Input{{Parent: deleted}, {Parent: parent, Phase: operator.Finalize}} {
		if got := operatortest.Decide(t, op, in).Status["finalizing"]; got != true {
			t.Errorf("got %v", got)
		}
	}
}

// failing records the failure of a test of a test.
type failing struct {
	testing.TB
	message string
}

func (f *failing) Helper() {}
func (f *failing) Fatalf(format string, _ ...any) {
	f.message = format
	panic(f)
}

func TestDifferentDecisionsFailTheTest(t *testing.T) {
	number := 0
	op := handle(func(o *operator.Observation) { number++; o.SetStatus(object{"number": number}) })
	test := &failing{TB: t}
	defer func() {
		if recover() != test || !strings.Contains(test.message, "different decisions") {
			t.Errorf("got %q", test.message)
		}
	}()
	operatortest.Decide(test, op, operator.Input{Parent: parent})
}

const recorded = "../testdata/observation.json"

func TestARecordedObservationIsTheOneThatXebecSends(t *testing.T) {
	decide(t, operatortest.Load(t, recorded), func(o *operator.Observation) {
		child := o.Child("Deployment", "web")
		if o.Name() != "web" || child.Int(0, "spec", "replicas") != 2 || child["xebec.dev/appliers"] != nil {
			t.Errorf("got %+v", o)
		}
		if !o.Now.Equal(time.Date(2026, 1, 2, 3, 4, 5, 123456789, time.UTC)) || o.Configuration["a"] != int64(1) {
			t.Errorf("got %v and %v", o.Now, o.Configuration)
		}
		want := []operator.Outcome{
			{APIVersion: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "web", Operation: "apply", Code: "QuotaExceeded",
				Reason: "Forbidden", Message: "too many", Repeats: 3, At: time.Date(2026, 1, 2, 3, 4, 4, 0, time.UTC)},
			{APIVersion: "apps/v1", Kind: "Deployment", Namespace: "shop", Name: "web", Operation: "apply", Code: "Created",
				Memo: "m", Repeats: 1},
		}
		if !reflect.DeepEqual(o.LastOutcomes, want) {
			t.Errorf("got %+v", o.LastOutcomes)
		}
	})
}

func TestARecordedObservationHasNoTimeWithoutAClock(t *testing.T) {
	content, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "observation.json")
	content = bytes.Replace(content, []byte(`"clock": true`), nil, 1)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	in := operatortest.Load(t, path)
	if !in.Now.IsZero() || len(in.LastOutcomes) != 2 || !in.LastOutcomes[0].At.IsZero() {
		t.Errorf("got %+v", in)
	}
}

func TestLoadAParentAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "web.json")
	content, _ := json.Marshal(parent)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	decide(t, operatortest.Load(t, path), func(o *operator.Observation) {
		if o.Name() != "web" {
			t.Errorf("got %+v", o)
		}
	})
}
