// SPDX-License-Identifier: Apache-2.0

package operator_test

import (
	"context"
	"fmt"

	"xebec.dev/operator"
)

func Example() {
	op := operator.New("websites.example.com", func(_ context.Context, o *operator.Observation) error {
		if o.Parent.String("spec", "page") == "" {
			return operator.Invalidf("spec.page is missing: set it to the HTML of the page")
		}
		o.Ensure(operator.Object{
			"apiVersion": "v1",
			"kind":       "ConfigMap",
			"metadata":   map[string]any{"name": o.Name()},
			"data":       map[string]any{"index.html": o.Parent.String("spec", "page")},
		}, operator.Created("Wrote the page"))
		o.SetCondition("Ready", o.IsApplied("ConfigMap", o.Name()), "Written", "")
		return nil
	})

	website := operator.Object{"metadata": map[string]any{"name": "hello"}, "spec": map[string]any{"page": "Hello"}}
	decision, err := op.Decide(context.Background(), operator.Input{Parent: website})
	fmt.Println(decision.Child("ConfigMap", "hello").Object.String("data", "index.html"), err)
	fmt.Println(decision.Condition("Ready").Status)
	// Output:
	// Hello <nil>
	// False
}
