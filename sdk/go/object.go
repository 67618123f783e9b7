// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// An Object is a Kubernetes object as JSON: whole numbers are int64, other numbers float64, lists []any and objects
// map[string]any, as in unstructured.Unstructured.
type Object map[string]any

// Name returns metadata.name.
func (o Object) Name() string { return o.String("metadata", "name") }

// Namespace returns metadata.namespace; empty for cluster-scoped objects.
func (o Object) Namespace() string { return o.String("metadata", "namespace") }

// APIVersion returns apiVersion.
func (o Object) APIVersion() string { return o.String("apiVersion") }

// is reports whether the object has this kind and name, a namespace that is empty or equal, and the group of one of the
// apiVersions if there are any.
func (o Object) is(namespace, kind, name string, apiVersions []string) bool {
	return o.Kind() == kind && o.Name() == name && (namespace == "" || o.Namespace() == namespace) && inGroup(o.APIVersion(), apiVersions)
}

// inGroup reports whether an apiVersion has the group of one of the others, or whether there are no others.
func inGroup(apiVersion string, others []string) bool {
	return len(others) == 0 || slices.ContainsFunc(others, func(other string) bool { return groupOf(other) == groupOf(apiVersion) })
}

func groupOf(apiVersion string) string {
	group, _, found := strings.Cut(apiVersion, "/")
	if !found {
		return ""
	}
	return group
}

// Kind returns kind.
func (o Object) Kind() string { return o.String("kind") }

// Deleting reports whether the object has a deletionTimestamp.
func (o Object) Deleting() bool { return o.Get("metadata", "deletionTimestamp") != nil }

// Get returns the value at a path of members, or nil.
func (o Object) Get(path ...string) any {
	var at any = map[string]any(o)
	for _, key := range path {
		members, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = members[key]
	}
	return at
}

// String returns the string at a path; empty if there is none.
func (o Object) String(path ...string) string {
	value, _ := o.Get(path...).(string)
	return value
}

// Int returns the whole number at a path, or otherwise if there is none.
func (o Object) Int(otherwise int64, path ...string) int64 {
	if value, ok := o.Get(path...).(int64); ok {
		return value
	}
	return otherwise
}

// Bool returns the boolean at a path; false if there is none.
func (o Object) Bool(path ...string) bool {
	value, _ := o.Get(path...).(bool)
	return value
}

// Map returns the object at a path; nil if there is none.
func (o Object) Map(path ...string) map[string]any {
	value, _ := o.Get(path...).(map[string]any)
	return value
}

// Slice returns the list at a path; nil if there is none.
func (o Object) Slice(path ...string) []any {
	value, _ := o.Get(path...).([]any)
	return value
}

// Decode stores the object in a typed value, for example an *appsv1.Deployment, with encoding/json.
func (o Object) Decode(into any) error {
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// parseObject parses the JSON text of an object.
func parseObject(text string) (Object, error) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, fmt.Errorf("text after the JSON value")
	}
	object, ok := plain(value).(map[string]any)
	if !ok {
		return nil, fmt.Errorf("not a JSON object")
	}
	return object, nil
}

// toObject returns any JSON-marshalable value as an object of its own. Members that are null are omitted.
func toObject(value any) (Object, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	object, err := parseObject(string(text))
	if err != nil {
		return nil, err
	}
	withoutNulls(map[string]any(object))
	return object, nil
}

// plain replaces each json.Number.
func plain(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			value[key] = plain(member)
		}
	case []any:
		for i, element := range value {
			value[i] = plain(element)
		}
	case json.Number:
		if number, err := value.Int64(); err == nil {
			return number
		}
		number, _ := value.Float64()
		return number
	}
	return value
}

func withoutNulls(value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if member == nil {
				delete(value, key)
			} else {
				withoutNulls(member)
			}
		}
	case []any:
		for _, element := range value {
			withoutNulls(element)
		}
	}
}
