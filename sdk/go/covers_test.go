// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"encoding/json"
	"os"
	"testing"
)

// Both SDKs test the cases of this file.
func TestCovers(t *testing.T) {
	content, err := os.ReadFile("../testdata/covers.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Live, Desired json.RawMessage
		Covers        bool
	}
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	for _, test := range cases {
		live, desired := parsed(t, test.Live), parsed(t, test.Desired)
		if got := Covers(live, desired); got != test.Covers {
			t.Errorf("Covers(%s, %s) = %v", test.Live, test.Desired, got)
		}
	}
}

func parsed(t *testing.T, text json.RawMessage) Object {
	t.Helper()
	object, err := parseObject(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return object
}
