// SPDX-License-Identifier: Apache-2.0

package operatortest

import (
	"sort"
	"strings"
	"time"

	"xebec.dev/operator"
)

// recorded is an observation as `xebec observation` prints it: the JSON form of xebec.v1.Observation.
type recorded struct {
	Parent            struct{ Object any }
	Children, Related []recordedGroup
	LastOutcomes      []recordedOutcome
	Declaration       struct {
		Object struct {
			Spec struct {
				Configuration any
				Hook          struct{ Clock bool }
			}
		}
	}
	Now time.Time
}

type recordedGroup struct {
	Objects []struct{ Object map[string]any }
}

type recordedOutcome struct {
	Operation, Certainty, Reason, Message, Memo string
	Code                                        any
	Target                                      struct {
		Type            struct{ Group, Version, Kind string }
		Namespace, Name string
	}
	Repeats int
	At      time.Time
}

// input returns what Xebec sends to the hook for this observation.
func (r recorded) input() operator.Input {
	spec := r.Declaration.Object.Spec
	in := operator.Input{
		Parent: r.Parent.Object, Children: objects(r.Children), Related: objects(r.Related),
		Configuration: spec.Configuration, LastOutcomes: outcomes(r.LastOutcomes, spec.Hook.Clock),
	}
	if spec.Hook.Clock {
		in.Now = r.Now
	}
	return in
}

// objects returns the objects without the members that the watcher adds.
func objects(groups []recordedGroup) []any {
	var found []any
	for _, group := range groups {
		for _, each := range group.Objects {
			for _, added := range []string{"last-writer", "co-owners", "appliers"} {
				delete(each.Object, "xebec.dev/"+added)
			}
			found = append(found, each.Object)
		}
	}
	return found
}

// outcomes returns the outcomes that failed or have a memo: Xebec sends only these.
func outcomes(all []recordedOutcome, clock bool) []operator.Outcome {
	sort.SliceStable(all, func(i, j int) bool { return all[i].Operation < all[j].Operation })
	var found []operator.Outcome
	for _, each := range all {
		operation, _, _ := strings.Cut(each.Operation, " ")
		if (operation != "apply" && operation != "delete") || (each.Certainty == "CERTAINTY_DONE" && each.Memo == "") {
			continue
		}
		outcome := operator.Outcome{
			APIVersion: apiVersion(each.Target.Type.Group, each.Target.Type.Version), Kind: each.Target.Type.Kind,
			Namespace: each.Target.Namespace, Name: each.Target.Name, Operation: operation, Code: codeName(each.Code),
			Reason: each.Reason, Message: each.Message, Memo: each.Memo, Repeats: each.Repeats,
		}
		if clock {
			outcome.At = each.At
		}
		found = append(found, outcome)
	}
	return found
}

func apiVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// codeName returns "QuotaExceeded" for "OUTCOME_CODE_QUOTA_EXCEEDED". An unknown code is a number.
func codeName(code any) string {
	text, ok := code.(string)
	if !ok {
		return "Unexpected"
	}
	var name strings.Builder
	for _, word := range strings.Split(strings.TrimPrefix(text, "OUTCOME_CODE_"), "_") {
		if word != "" {
			name.WriteString(word[:1] + strings.ToLower(word[1:]))
		}
	}
	return name.String()
}
