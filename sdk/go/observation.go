// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A Phase is the task of a [SyncFunc].
type Phase int

const (
	// Sync means: decide what should exist for the parent.
	Sync Phase = iota
	// Finalize means: the parent is being deleted, decide how its children are deleted.
	Finalize
)

// An Observation is a parent with its children and everything else that a decision may depend on.
//
// A [SyncFunc] reads it and states its decision with the methods Ensure, Delete, SetStatus, SetCondition, PublishEvent
// and ResyncAfter. The function may change the objects: they are copies. If a method gets a wrong argument, the call
// fails with its error after the function has returned nil.
type Observation struct {
	// Phase is the task.
	Phase Phase
	// Now is the present time. It is zero unless the Operator has spec.hook.clock.
	Now time.Time
	// Operator is the name of the Operator object.
	Operator string
	// Parent is the parent as the API server returns it, without metadata.managedFields.
	Parent Object
	// LastOutcomes has the latest outcomes of operations of earlier decisions: those that failed, and those with a memo.
	LastOutcomes []Outcome
	// Configuration is Operator.spec.configuration; nil if there is none.
	Configuration Object

	children, related []Object
	decision          Decision
	err               error
}

// Name returns metadata.name of the parent.
func (o *Observation) Name() string { return o.Parent.Name() }

// Namespace returns metadata.namespace of the parent; empty if the parent is cluster-scoped.
func (o *Observation) Namespace() string { return o.Parent.Namespace() }

// Children returns the existing children of a kind, sorted by namespace and name. An empty kind means all children.
func (o *Observation) Children(kind string) []Object { return ofKind(o.children, kind) }

// Child returns the existing child of a kind and name, in any namespace; nil if there is none. An apiVersion is needed only
// if children of two groups have the same kind and name. Only its group counts.
func (o *Observation) Child(kind, name string, apiVersion ...string) Object {
	return o.ChildIn("", kind, name, apiVersion...)
}

// ChildIn is [Observation.Child] for a child in this namespace. An empty namespace means any.
func (o *Observation) ChildIn(namespace, kind, name string, apiVersion ...string) Object {
	for _, each := range o.children {
		if each.is(namespace, kind, name, apiVersion) {
			return each
		}
	}
	return nil
}

// Related returns the related objects of a kind, sorted by namespace and name. An empty kind means all of them.
func (o *Observation) Related(kind string) []Object { return ofKind(o.related, kind) }

// Outcome returns the latest outcome of an operation ("apply" or "delete") on a child, and whether there is one. An
// apiVersion selects a group, as in [Observation.Child].
func (o *Observation) Outcome(operation, kind, name string, apiVersion ...string) (Outcome, bool) {
	for _, each := range o.LastOutcomes {
		if each.Operation == operation && each.Kind == kind && each.Name == name && inGroup(each.APIVersion, apiVersion) {
			return each, true
		}
	}
	return Outcome{}, false
}

// IsApplied reports whether a child exists as Ensure described it, so that its status belongs to that description. An
// apiVersion selects a group, as in [Observation.Child].
//
// It compares only the fields that Ensure got. A child that is being deleted is not applied. If the child has
// status.observedGeneration, its controller must have observed the latest generation.
func (o *Observation) IsApplied(kind, name string, apiVersion ...string) bool {
	return o.IsAppliedIn("", kind, name, apiVersion...)
}

// IsAppliedIn is [Observation.IsApplied] for a child in this namespace, if a cluster-scoped parent has children with the
// same name in several namespaces. An empty namespace means any.
func (o *Observation) IsAppliedIn(namespace, kind, name string, apiVersion ...string) bool {
	desired := o.decision.ChildIn(namespace, kind, name, apiVersion...)
	if desired == nil {
		return false
	}
	live := o.ChildIn(cmp.Or(namespace, desired.Object.Namespace()), kind, name, desired.Object.APIVersion())
	if live == nil || live.Deleting() || !Covers(live, desired.Object) {
		return false
	}
	generation := live.Int(0, "metadata", "generation")
	return live.Int(generation, "status", "observedGeneration") >= generation
}

// Ensure states that a child should exist. The child is an [Object] or any value that encoding/json can marshal, such as
// an *appsv1.Deployment. It needs apiVersion, kind and metadata.name; metadata.namespace only if it is a namespaced child
// of a cluster-scoped parent.
//
// Fields that an earlier decision had and this one lacks are removed; fields of other clients stay. Members that are
// null, and the status, are omitted: typed values have them, and the status belongs to the child's controller.
func (o *Observation) Ensure(child any, options ...EnsureOption) {
	object, err := toObject(child)
	if err != nil {
		o.fail("ensure %T: %w", child, err)
		return
	}
	delete(object, "status")
	if object.APIVersion() == "" || object.Kind() == "" || object.Name() == "" {
		o.fail("ensure %T: a child needs apiVersion, kind and metadata.name", child)
		return
	}
	if err := checkMetadata(object); err != nil {
		o.fail("ensure %s %q: %w", object.Kind(), object.Name(), err)
		return
	}
	for _, each := range o.decision.Children {
		if each.Object.Namespace() == object.Namespace() &&
			each.Object.is("", object.Kind(), object.Name(), []string{object.APIVersion()}) {
			o.fail("%s %q is ensured twice", object.Kind(), object.Name())
			return
		}
	}
	desired := Child{Object: object}
	for _, option := range options {
		option.ensure(&desired)
	}
	o.checkEvents(desired.Created)
	o.checkEvents(desired.Changed)
	o.decision.Children = append(o.decision.Children, desired)
}

// Delete states that a child should not exist. Children that a decision does not name stay.
func (o *Observation) Delete(apiVersion, kind, name string, options ...DeleteOption) {
	if apiVersion == "" || kind == "" || name == "" {
		o.fail("delete %s %q: a deletion needs apiVersion, kind and name", kind, name)
		return
	}
	deletion := Deletion{APIVersion: apiVersion, Kind: kind, Name: name}
	for _, option := range options {
		option.delete(&deletion)
	}
	o.checkEvents(deletion.Deleted)
	o.decision.Deletions = append(o.decision.Deletions, deletion)
}

// SetStatus sets fields of the parent's status. The argument is an [Object], a map, or any value that encoding/json
// marshals as an object; several calls add fields. A nil member of an Object or map removes the field. Conditions have a
// method of their own.
func (o *Observation) SetStatus(status any) {
	fields, err := statusFields(status)
	if err != nil {
		o.fail("set status: %w", err)
		return
	}
	for _, name := range []string{"conditions", "observedGeneration"} {
		if _, found := fields[name]; found {
			o.fail("set status: Xebec writes status.%s: use SetCondition", name)
			return
		}
	}
	if o.decision.Status == nil {
		o.decision.Status = Object{}
	}
	for name, value := range fields {
		o.decision.Status[name] = value
	}
}

// SetCondition sets a condition of the parent to True or False. Xebec sets its times and observedGeneration. The reason
// is UpperCamelCase; if it is empty, the type is the reason.
func (o *Observation) SetCondition(conditionType string, ok bool, reason, message string) {
	status := "False"
	if ok {
		status = "True"
	}
	o.setCondition(Condition{conditionType, status, reason, message})
}

// SetUnknown sets a condition of the parent to Unknown.
func (o *Observation) SetUnknown(conditionType, reason, message string) {
	o.setCondition(Condition{conditionType, "Unknown", reason, message})
}

// RemoveCondition removes a condition of the parent that an earlier decision set.
func (o *Observation) RemoveCondition(conditionType string) {
	o.setCondition(Condition{Type: conditionType})
}

// PublishEvent publishes an event on the parent when its status changes. An event whose reason is the reason of a
// condition is published only when the condition takes this reason.
func (o *Observation) PublishEvent(event Event) {
	o.checkEvents([]Event{event})
	o.decision.Events = append(o.decision.Events, event)
}

// ResyncAfter requests another call after this time even if nothing changes. The shortest of several times counts.
func (o *Observation) ResyncAfter(after time.Duration) {
	if after <= 0 {
		o.fail("resync after %v: the time must be positive", after)
		return
	}
	if o.decision.ResyncAfter == 0 || after < o.decision.ResyncAfter {
		o.decision.ResyncAfter = after
	}
}

func (o *Observation) setCondition(condition Condition) {
	if slices.Contains(ownConditions, condition.Type) {
		o.fail("the condition %s belongs to Xebec: use another type", condition.Type)
		return
	}
	if condition.Status != "" && condition.Reason == "" {
		condition.Reason = condition.Type
	}
	for i, each := range o.decision.Conditions {
		if each.Type == condition.Type {
			o.decision.Conditions[i] = condition
			return
		}
	}
	o.decision.Conditions = append(o.decision.Conditions, condition)
}

// fail keeps the first error.
func (o *Observation) fail(format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf(format, args...)
	}
}

func ofKind(objects []Object, kind string) []Object {
	if kind == "" {
		return objects
	}
	var found []Object
	for _, each := range objects {
		if each.Kind() == kind {
			found = append(found, each)
		}
	}
	return found
}
