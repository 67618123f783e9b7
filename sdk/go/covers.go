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
	// Quantities are the members of these objects, and these fields. The API server rounds those of resource lists up to
	// 1m.
	resourceLists = []string{"requests", "limits"}
	quantityMaps  = []string{"capacity", "hard", "overhead", "allocatable", "default", "defaultRequest", "max",
		"maxLimitRequestRatio", "min"}
	quantities = []string{"averageValue", "divisor", "sizeLimit"}
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
	quantity    = regexp.MustCompile(`^([+-]?)([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?0*[0-9]{1,4})?$`)
	powersOfTen = map[string]int{"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
	billion     = big.NewInt(1e9)
	maxBinary   = new(big.Int).Mul(big.NewInt(math.MaxInt64), billion) // in billionths
)

const maxExponent = 1000

// Covers reports whether live has every field of desired with an equal value. Live may have more fields.
//
// It compares as Kubernetes and Xebec do: quantities (requests, limits, capacity, sizeLimit, ...) by value, lists whose
// elements have a merge key (name, containerPort, ...) by that key, and values that the API server drops when it stores an
// object (null, [], {} and "") as absent. It ignores apiVersion, kind, metadata.uid and metadata.resourceVersion.
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
		elements, ok := live.([]any)
		return (ok || live == nil) && coversList(elements, desired, key)
	}
	if isAbsent(desired, key, parent) {
		return isAbsent(live, key, parent)
	}
	if equal(live, desired) {
		return true
	}
	return isQuantity(key, parent) && sameQuantity(live, desired, slices.Contains(resourceLists, parent))
}

func isAbsent(value any, key, parent string) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == "" && !slices.Contains(freeMaps, parent) && !slices.Contains(meaningfulEmpty, key)
	case bool:
		return !value && slices.Contains(omittedZeros, key)
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
	if len(desired) == 0 { // requires nothing of a list with a merge key; any other list must be empty
		return len(live) == 0 || mergeKeyOf(live, key) != ""
	}
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

func isQuantity(key, parent string) bool {
	return slices.Contains(resourceLists, parent) || slices.Contains(quantityMaps, parent) || slices.Contains(quantities, key)
}

func sameQuantity(a, b any, toMilli bool) bool {
	x, y := nanosOf(a), nanosOf(b)
	if x == nil || y == nil {
		return false
	}
	if toMilli {
		million := big.NewInt(1e6)
		x, y = roundUp(x, million), roundUp(y, million)
	}
	return x.Cmp(y) == 0
}

// nanosOf returns a quantity in billionths, rounded away from zero and capped as resource.Quantity does; nil if the value
// is none.
func nanosOf(value any) *big.Int {
	switch value.(type) {
	case string, int64, float64:
	default:
		return nil
	}
	match := quantity.FindStringSubmatch(fmt.Sprint(value))
	if match == nil {
		return nil
	}
	amount, ok := new(big.Rat).SetString(match[2])
	scale := scaleOf(match[3])
	if !ok || scale == nil {
		return nil
	}
	amount.Mul(amount, scale).Mul(amount, new(big.Rat).SetInt(billion))
	nanos := roundUp(amount.Num(), amount.Denom())
	if strings.HasSuffix(match[3], "i") && nanos.Cmp(maxBinary) > 0 {
		nanos.Set(maxBinary)
	}
	if match[1] == "-" {
		nanos.Neg(nanos)
	}
	return nanos
}

// scaleOf returns the factor of a suffix; nil if its exponent is too large.
func scaleOf(suffix string) *big.Rat {
	base, exponent := int64(10), powersOfTen[suffix]
	if strings.HasSuffix(suffix, "i") {
		base, exponent = 1024, strings.Index("KMGTPE", suffix[:1])+1
	} else if _, known := powersOfTen[suffix]; !known {
		exponent, _ = strconv.Atoi(suffix[1:])
	}
	magnitude := max(exponent, -exponent)
	if magnitude > maxExponent {
		return nil
	}
	factor := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(magnitude)), nil))
	if exponent < 0 {
		factor.Inv(factor)
	}
	return factor
}

// roundUp returns number / unit, rounded away from zero.
func roundUp(number, unit *big.Int) *big.Int {
	rounded, rest := new(big.Int).QuoRem(number, unit, new(big.Int))
	return rounded.Add(rounded, big.NewInt(int64(rest.Sign())))
}
