// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/base/json.h"

namespace xebec {

/// Returns a digest of the desired object without its digest annotation: "v1:" and 16 hex digits.
/// The digest does not depend on the order of members. Null members count as absent.
std::string DesiredDigest(const Json& desired);

/// Returns a digest of the set of fields of the desired object, without their values: 8 hex digits.
/// An apply of an object with the same digest as the object that was applied before removes no
/// field. Scalars in lists count with their values, because they can be elements of a set or merge
/// keys; the image of a container does not.
std::string FieldSetDigest(const Json& desired);

/// Returns the value of the digest annotation: DesiredDigest, a dot, and FieldSetDigest.
std::string StampOf(const Json& desired);

/// Returns the DesiredDigest in the value of a digest annotation.
std::string DigestInStamp(std::string_view stamp);

/// Returns the FieldSetDigest in the value of a digest annotation; empty if it has none.
std::string FieldSetInStamp(std::string_view stamp);

/// Returns true if `live` has every field of `desired` with an equal value. `live` may have more
/// fields. Values are compared as Kubernetes does:
/// - quantities by value;
/// - 80 and "80" as different values;
/// - lists whose elements have a merge key ("name", "containerPort" with its protocol, "mountPath",
///   "uid", "type", "ip", "key", ...) by that key, other lists by position and length;
/// - values that the API server drops when it stores an object (null, [], {}, "" and zero in some
///   fields) as absent.
/// Ignores apiVersion, kind, metadata.uid, metadata.resourceVersion and the digest annotation.
/// field_rules.h lists the fields with special rules.
bool Covers(const Json& live, const Json& desired);

/// Returns a digest of the values that `live` has in the fields of `desired`, with the same
/// matching as Covers. Two digests differ if another writer changed a planned field in between.
/// Covers(live, desired) is true exactly if FieldsDigest(live, desired) ==
/// FieldsDigest(desired, desired).
std::string FieldsDigest(const Json& live, const Json& desired);

}  // namespace xebec
