// SPDX-License-Identifier: Apache-2.0

package operator

import "time"

// A Decision is what a [SyncFunc] decided. Tests read it.
type Decision struct {
	Children   []Child
	Deletions  []Deletion
	Status     Object
	Conditions []Condition
	Events     []Event
	// ResyncAfter is the time after which Xebec calls the function again. 0 means the Operator's resync period.
	ResyncAfter time.Duration
	// Invalid is set if the spec of the parent is invalid.
	Invalid string
}

// A Child is a child that should exist.
type Child struct {
	Object    Object
	Stage     int
	ByVersion bool
	Created   []Event
	Changed   []Event
	Memo      string
}

// A Deletion is a child that should not exist.
type Deletion struct {
	APIVersion, Kind, Namespace, Name string
	Stage                             int
	Propagation                       Propagation
	Reason                            string
	Deleted                           []Event
}

// A Condition is a condition of the parent's status.
type Condition struct {
	Type string
	// Status is "True", "False" or "Unknown". Empty removes the condition.
	Status          string
	Reason, Message string
}

// An Event is a Kubernetes Event on the parent.
type Event struct {
	// Reason and Action are UpperCamelCase and have at most 128 characters. An empty action means the reason.
	Reason, Action string
	// Note has at most 1 kB.
	Note string
	// Warning makes an event of type Warning.
	Warning bool
}

// An Outcome is the latest outcome of an operation of an earlier decision. docs/outcomes.md of Xebec lists the codes.
type Outcome struct {
	// Namespace is empty if the child is cluster-scoped.
	APIVersion, Kind, Namespace, Name string
	// Operation is "apply" or "delete".
	Operation             string
	Code, Reason, Message string
	Memo                  string
	// Repeats is the number of times in a row that the operation had this outcome.
	Repeats int
	// At is zero unless the Operator has spec.hook.clock.
	At time.Time
}

// Child returns the child that should exist, in any namespace; nil if there is none. An apiVersion selects a group, as in
// [Observation.Child].
func (d *Decision) Child(kind, name string, apiVersion ...string) *Child {
	return d.ChildIn("", kind, name, apiVersion...)
}

// Deletes reports whether a child should not exist. An apiVersion selects a group, as in [Observation.Child].
func (d *Decision) Deletes(kind, name string, apiVersion ...string) bool {
	for _, each := range d.Deletions {
		if each.Kind == kind && each.Name == name && inGroup(each.APIVersion, apiVersion) {
			return true
		}
	}
	return false
}

// Condition returns the condition of this type. Its Status is empty if there is none.
func (d *Decision) Condition(conditionType string) Condition {
	for _, each := range d.Conditions {
		if each.Type == conditionType {
			return each
		}
	}
	return Condition{Type: conditionType}
}

// ChildIn is [Decision.Child] for a child in this namespace. An empty namespace means any.
func (d *Decision) ChildIn(namespace, kind, name string, apiVersion ...string) *Child {
	for i, each := range d.Children {
		if each.Object.is(namespace, kind, name, apiVersion) {
			return &d.Children[i]
		}
	}
	return nil
}
