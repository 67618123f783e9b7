// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// What the API server does with values at certain fields of the built-in kinds, told by their
/// names alone.
namespace xebec {

/// Where a value stands in an object.
struct FieldPlace {
  std::string_view key;     ///< Key of the value; for list elements that of the list.
  std::string_view parent;  ///< Key of the object around it.
  int depth = 0;            ///< 0 for the object itself, 1 for its members, ...
};

/// A quantity, equal by value ("1000m" and "1").
bool IsQuantityField(const FieldPlace& place);

/// A quantity of a resource list (requests, limits), which the server rounds up to 1m.
bool IsRoundedToMilli(const FieldPlace& place);

/// An object whose members are free text, where "" is a value: labels, data, ...
bool IsFreeMap(std::string_view key);

/// Says who the object is or which version was meant, not how it should be: apiVersion, kind,
/// metadata.uid, metadata.resourceVersion. Never drift.
bool IsIdentityField(const FieldPlace& place);

/// `{}` there differs from nothing: emptyDir, namespaceSelector, ...
bool EmptyObjectMatters(std::string_view key);

/// `""` there differs from nothing: storageClassName, ...
bool EmptyStringMatters(std::string_view key);

/// The server drops 0 and false there: hostPort, readOnly, ...
bool ZeroMeansAbsent(std::string_view key);

/// A list that is replaced as a whole although its elements have names: subjects, matchExpressions,
/// ...
bool IsAtomicList(std::string_view key);

/// A list whose order means nothing and that others add to: finalizers.
bool IsSet(std::string_view key);

}  // namespace xebec
