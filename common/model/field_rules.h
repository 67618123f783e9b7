// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Rules for comparing fields of the built-in kinds. The rules depend only on the names of fields.
namespace xebec {

/// The position of a value in an object.
struct FieldPlace {
  std::string_view key;     ///< The key of the value; for list elements, the key of the list.
  std::string_view parent;  ///< The key of the object that contains the value.
  int depth = 0;            ///< 0 for the object itself, 1 for its members, ...
};

/// Returns true for a quantity, which is compared by value: "1000m" equals "1".
bool IsQuantityField(const FieldPlace& place);

/// Returns true for a quantity of a resource list (requests, limits), which the API server rounds
/// up to 1m.
bool IsRoundedToMilli(const FieldPlace& place);

/// Returns true for an object whose members are free text, such as labels and data. "" is a value
/// there.
bool IsFreeMap(std::string_view key);

/// Returns true for fields that identify the object or its version: apiVersion, kind, metadata.uid
/// and metadata.resourceVersion. They are never drift.
bool IsIdentityField(const FieldPlace& place);

/// Returns true for keys where `{}` differs from absent: emptyDir, namespaceSelector, ...
bool EmptyObjectMatters(std::string_view key);

/// Returns true for keys where `""` differs from absent: storageClassName, ...
bool EmptyStringMatters(std::string_view key);

/// Returns true for keys where the API server drops 0 and false: hostPort, readOnly, ...
bool ZeroMeansAbsent(std::string_view key);

/// Returns true for lists that are replaced as a whole although their elements have names:
/// subjects, matchExpressions, ...
bool IsAtomicList(std::string_view key);

/// Returns true for lists without an order to which other writers add elements: finalizers.
bool IsSet(std::string_view key);

}  // namespace xebec
