// SPDX-License-Identifier: Apache-2.0

package operator

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	resourceLists = []string{"requests", "limits"}
	// Members of these objects are free text, so that "" is a value.
	freeMaps = []string{"annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector", "parameters", "selector",
		"stringData", "volumeAttributes"}
	// For these fields, {} or "" differs from absent.
	markers         = []string{"emptyDir", "labelSelector", "namespaceSelector", "objectSelector", "podSelector", "selector"}
	meaningfulEmpty = []string{"ingressClassName", "loadBalancerClass", "storageClassName", "volumeAttributesClassName",
		"volumeName"}
	// For these fields, 0 and false do not differ from absent.
	omittedZeros = []string{"hostIPC", "hostNetwork", "hostPID", "hostPort", "initialDelaySeconds", "minReadySeconds",
		"paused", "publishNotReadyAddresses", "readOnly", "stdin", "stdinOnce", "tty"}
	atomicLists = []string{"envFrom", "items", "matchExpressions", "matchFields", "subjects"}
	mergeKeys   = []string{"uid", "mountPath", "devicePath", "containerPort", "name", "type", "ip", "key", "topologyKey"}
	quantity    = regexp.MustCompile(`^([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,3})?$`)
	powersOfTen = map[string]int{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
)

// Covers reports whether live has every field of desired with an equal value. Live may have more fields.
//
// It compares as Kubernetes and Xebec do: quantities in requests and limits by value, lists whose elements have a merge
// key (name, containerPort, ...) by that key, and values that the API server drops when it stores an object (null, [], {}
// and "") as absent. It ignores apiVersion, kind, metadata.uid and metadata.resourceVersion.
func Covers(live, desired Object) bool {
	for key, value := range desired {
		if key == "apiVersion" || key == "kind" {
			continue
		}
		if metadata, ok := value.(map[string]any); ok && key == "metadata" {
			value = withoutIdentity(metadata)
		}
		if !covers(live[key], value, key, "") {
			return false
		}
	}
	return true
}

func withoutIdentity(metadata map[string]any) map[string]any {
	kept := map[string]any{}
	for key, value := range metadata {
		if key != "uid" && key != "resourceVersion" {
			kept[key] = value
		}
	}
	return kept
}

// covers compares the values of a key in an object that is itself the value of the key parent.
func covers(live, desired any, key, parent string) bool {
	switch desired := desired.(type) {
	case nil:
		return true
	case map[string]any:
		if live == nil && len(desired) == 0 && slices.Contains(markers, key) {
			return false
		}
		members, ok := live.(map[string]any)
		if live != nil && !ok {
			return false
		}
		for name, value := range desired {
			if !covers(members[name], value, name, key) {
				return false
			}
		}
		return true
	case []any:
		if len(desired) == 0 {
			return isAbsent(live, key, parent)
		}
		elements, ok := live.([]any)
		return ok && coversList(elements, desired, key)
	}
	if isAbsent(desired, key, parent) {
		return isAbsent(live, key, parent)
	}
	if equal(live, desired) {
		return true
	}
	return slices.Contains(resourceLists, parent) && sameQuantity(live, desired)
}

func isAbsent(value any, key, parent string) bool {
	switch value := value.(type) {
	case nil:
		return true
	case []any:
		return len(value) == 0
	case string:
		return value == "" && !slices.Contains(freeMaps, parent) && !slices.Contains(meaningfulEmpty, key)
	case bool:
		return !value && slices.Contains(omittedZeros, key)
	case map[string]any:
		return false
	}
	return equal(value, int64(0)) && slices.Contains(omittedZeros, key)
}

// equal compares two scalars.
func equal(a, b any) bool {
	x, xIsNumber := number(a)
	y, yIsNumber := number(b)
	if xIsNumber && yIsNumber {
		return x == y
	}
	switch a.(type) {
	case map[string]any, []any:
		return false
	}
	return a == b
}

func number(value any) (any, bool) {
	switch value := value.(type) {
	case int64:
		return value, true
	case float64:
		if value == math.Trunc(value) && math.Abs(value) < 1<<53 {
			return int64(value), true
		}
		return value, true
	}
	return nil, false
}

func coversList(live, desired []any, key string) bool {
	if key == "finalizers" {
		for _, each := range desired {
			if !slices.ContainsFunc(live, func(other any) bool { return equal(other, each) }) {
				return false
			}
		}
		return true
	}
	if mergeKey := mergeKeyOf(desired, key); mergeKey != "" {
		for _, each := range desired {
			identity := identityOf(each, mergeKey)
			at := slices.IndexFunc(live, func(other any) bool { return identityOf(other, mergeKey) == identity })
			if at < 0 || !covers(live[at], each, key, "") {
				return false
			}
		}
		return true
	}
	if len(live) != len(desired) {
		return false
	}
	for i := range desired {
		if !covers(live[i], desired[i], key, "") {
			return false
		}
	}
	return true
}

// mergeKeyOf returns the key that identifies the elements; empty if their position does.
func mergeKeyOf(elements []any, key string) string {
	if slices.Contains(atomicLists, key) {
		return ""
	}
	at := slices.IndexFunc(mergeKeys, func(mergeKey string) bool {
		seen := map[string]bool{}
		for _, each := range elements {
			identity := identityOf(each, mergeKey)
			if identity == "" || seen[identity] {
				return false
			}
			seen[identity] = true
		}
		return true
	})
	if at < 0 {
		return ""
	}
	return mergeKeys[at]
}

// identityOf returns the identity of an element by a merge key; empty if it has none.
func identityOf(element any, mergeKey string) string {
	members, _ := element.(map[string]any)
	switch value := members[mergeKey].(type) {
	case nil, map[string]any, []any:
		return ""
	default:
		encoded, _ := json.Marshal(value)
		identity := string(encoded)
		if mergeKey != "containerPort" {
			return identity
		}
		if protocol, ok := members["protocol"].(string); ok && protocol != "" {
			return identity + protocol
		}
		return identity + "TCP"
	}
}

func sameQuantity(a, b any) bool {
	x, y := quantityOf(a), quantityOf(b)
	return x != nil && y != nil && x.Cmp(y) == 0
}

// quantityOf returns a quantity in thousandths, rounded up as the API server does; nil if the value is none.
func quantityOf(value any) *big.Int {
	switch value.(type) {
	case string, int64, float64:
	default:
		return nil
	}
	match := quantity.FindStringSubmatch(fmt.Sprint(value))
	if match == nil {
		return nil
	}
	amount, ok := new(big.Rat).SetString(match[1])
	if !ok {
		return nil
	}
	suffix := match[2]
	base, exponent := int64(10), powersOfTen[suffix]
	if strings.HasSuffix(suffix, "i") {
		base, exponent = 1024, strings.Index("KMGTPE", suffix[:1])+1
	} else if _, known := powersOfTen[suffix]; !known {
		exponent, _ = strconv.Atoi(suffix[1:])
	}
	factor := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(max(exponent, -exponent))), nil))
	if exponent < 0 {
		factor.Inv(factor)
	}
	amount.Mul(amount, factor).Mul(amount, big.NewRat(1000, 1))
	rounded, rest := new(big.Int).DivMod(amount.Num(), amount.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		rounded.Add(rounded, big.NewInt(1))
	}
	return rounded
}
