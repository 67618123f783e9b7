// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/base/json.h"

namespace xebec {

/// Digest of the desired object without its own digest annotation: "v1:" and 16 hex digits.
/// Independent of member order; null members count as absent.
std::string DesiredDigest(const Json& desired);

/// True when every field of `desired` is present in `live` with an equal value, as Kubernetes
/// compares: quantities by value, int-or-string 80 equal to "80" only where both are numbers of the
/// same kind, lists whose elements carry a merge key ("name", "containerPort" with its protocol,
/// "mountPath", "uid", "type", "ip", "key", ...) by that key, other lists by position and length.
/// `live` may hold more. What the API server drops as it stores an object (null, [], {}, "" and
/// zero at fields where they mean nothing) is equal to absent. Not looked at: apiVersion, kind,
/// metadata.uid, metadata.resourceVersion and the digest annotation. field_rules.h has the fields
/// that are special.
bool Covers(const Json& live, const Json& desired);

/// Digest of the values that `live` has at the fields of `desired` (the same matching as Covers).
/// Absent fields count as absent. Used to see whether somebody changed what we own since an answer
/// of the API server. live covers desired exactly when FieldsDigest(live, desired) ==
/// FieldsDigest(desired, desired).
std::string FieldsDigest(const Json& live, const Json& desired);

}  // namespace xebec
