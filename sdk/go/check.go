// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"fmt"
	"regexp"
)

var (
	// Xebec sets these fields of children, and these conditions of parents.
	ownMetadata = []string{"uid", "resourceVersion", "generateName", "ownerReferences", "finalizers", "deletionTimestamp",
		"deletionGracePeriodSeconds", "managedFields"}
	ownConditions = []string{"Applied", "DeletionDeferred", "FieldManagerConflict", "HookFailed", "Paused", "Rewritten"}
	camelCase     = regexp.MustCompile(`^[A-Z][A-Za-z0-9]{0,127}$`)
)

// checkMetadata returns an error if a child has metadata that a decision must not have.
func checkMetadata(child Object) error {
	metadata := child.Map("metadata")
	for _, name := range ownMetadata {
		if _, found := metadata[name]; found {
			return fmt.Errorf("it must not have metadata.%s: Xebec sets it", name)
		}
	}
	for _, name := range []string{"labels", "annotations"} {
		for key, value := range child.Map("metadata", name) {
			if _, ok := value.(string); !ok {
				return fmt.Errorf("metadata.%s.%s must be a string, not %v", name, key, value)
			}
		}
	}
	return nil
}

// checkEvents fails the decision if an event has a wrong reason or action.
func (o *Observation) checkEvents(events []Event) {
	for _, each := range events {
		for _, word := range []string{each.Reason, cmp.Or(each.Action, each.Reason)} {
			if !camelCase.MatchString(word) {
				o.fail("invalid reason or action %q of an event: must be UpperCamelCase with at most 128 characters", word)
			}
		}
	}
}
