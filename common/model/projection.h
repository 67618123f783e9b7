// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/base/json.h"

namespace xebec {

/// Returns the values that `live` has in the fields of `desired`, in a normal form: values that
/// Kubernetes treats as equal are equal. Covers and FieldsDigest are based on it. The result omits
/// absent fields and fields that the API server drops when it stores them (null, [], {}).
/// Covers(live, desired) is true exactly if Project(live, desired) == Project(desired, desired).
Json Project(const Json& live, const Json& desired);

/// Returns Project(live, desired) == Project(desired, desired), and builds neither.
bool ProjectsAlike(const Json& live, const Json& desired);

}  // namespace xebec
