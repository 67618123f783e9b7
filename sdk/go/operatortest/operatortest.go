// SPDX-License-Identifier: Apache-2.0

// Package operatortest tests operators without a cluster.
package operatortest

import (
	"context"
	"encoding/json"
	"os"
	"reflect"
	"testing"

	"xebec.dev/operator"
)

// Calls of one test. The iteration order of maps differs between calls.
const calls = 5

// Decide calls the function of the operator several times and returns its decision. It fails the test if the function
// returns an error, panics, or makes different decisions.
func Decide(t testing.TB, op *operator.Operator, in operator.Input) *operator.Decision {
	t.Helper()
	var first *operator.Decision
	for range calls {
		decision, err := op.Decide(context.Background(), in)
		if err != nil {
			t.Fatalf("%s: %v", op.Name(), err)
		}
		if first == nil {
			first = decision
		}
		if !reflect.DeepEqual(first, decision) {
			t.Fatalf("%s makes different decisions for one observation:\n%s\n%s", op.Name(), shown(first), shown(decision))
		}
	}
	return first
}

// Load reads an observation from a JSON file: the output of `xebec observation`, or a parent alone.
func Load(t testing.TB, path string) operator.Input {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Kind        string
		Observation recorded
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if file.Kind != "" {
		return operator.Input{Parent: json.RawMessage(content)}
	}
	return file.Observation.input()
}

func shown(decision *operator.Decision) string {
	text, _ := json.MarshalIndent(decision, "", "  ")
	return string(text)
}
