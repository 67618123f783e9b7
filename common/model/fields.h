// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/base/json.h"

namespace xebec {

/// Returns a digest of the desired object without its digest annotation: "v1:" and 16 hex digits.
/// The digest does not depend on the order of members. Null members count as absent.
std::string DesiredDigest(const Json& desired);

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
