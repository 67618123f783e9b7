// SPDX-License-Identifier: Apache-2.0

package operator

// An EnsureOption changes how [Observation.Ensure] makes a child exist.
type EnsureOption interface{ ensure(*Child) }

// A DeleteOption changes how [Observation.Delete] deletes a child.
type DeleteOption interface{ delete(*Deletion) }

// A Stage orders operations: those of a stage start after all operations of lower stages have succeeded. The default is
// 0. It is an [EnsureOption] and a [DeleteOption].
type Stage int

func (s Stage) ensure(c *Child)    { c.Stage = int(s) }
func (s Stage) delete(d *Deletion) { d.Stage = int(s) }

// Memo is a note for the next call: [Outcome] repeats it. It is an [EnsureOption].
type Memo string

func (m Memo) ensure(c *Child) { c.Memo = string(m) }

// Reason tells users why a child is deleted, in a few words. It is a [DeleteOption].
type Reason string

func (r Reason) delete(d *Deletion) { d.Reason = string(r) }

// Propagation says what happens to the dependents of a deleted child. It is a [DeleteOption].
type Propagation int

const (
	// Background deletes the dependents after the child. It is the default.
	Background Propagation = iota
	// Foreground deletes the dependents first.
	Foreground
	// Orphan keeps the dependents.
	Orphan
)

func (p Propagation) delete(d *Deletion) { d.Propagation = p }

// InNamespace gives the namespace of a child to delete. Only namespaced children of a cluster-scoped parent need it. It
// is a [DeleteOption].
type InNamespace string

func (n InNamespace) delete(d *Deletion) { d.Namespace = string(n) }

type ensureFunc func(*Child)

func (f ensureFunc) ensure(c *Child) { f(c) }

type deleteFunc func(*Deletion)

func (f deleteFunc) delete(d *Deletion) { f(d) }

// Created publishes an event Created with this note when the child was created.
func Created(note string) EnsureOption {
	return OnCreated(Event{Reason: "Created", Action: "Create", Note: note})
}

// OnCreated publishes events when the child was created.
func OnCreated(events ...Event) EnsureOption {
	return ensureFunc(func(c *Child) { c.Created = append(c.Created, events...) })
}

// Changed publishes an event Changed with this note when an existing child was changed.
func Changed(note string) EnsureOption {
	return OnChanged(Event{Reason: "Changed", Action: "Change", Note: note})
}

// OnChanged publishes events when an existing child was changed.
func OnChanged(events ...Event) EnsureOption {
	return ensureFunc(func(c *Child) { c.Changed = append(c.Changed, events...) })
}

// ByVersion changes an existing child only in the version of the observation.
func ByVersion() EnsureOption { return ensureFunc(func(c *Child) { c.ByVersion = true }) }

// Deleted publishes an event Deleted with this note when the child was deleted.
func Deleted(note string) DeleteOption {
	return OnDeleted(Event{Reason: "Deleted", Action: "Delete", Note: note})
}

// OnDeleted publishes events when the child was deleted.
func OnDeleted(events ...Event) DeleteOption {
	return deleteFunc(func(d *Deletion) { d.Deleted = append(d.Deleted, events...) })
}
