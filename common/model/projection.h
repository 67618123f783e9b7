// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/base/json.h"

namespace xebec {

/// What `live` has at the fields of `desired`, in a normal form in which values that Kubernetes
/// holds for equal are equal: the one matching behind Covers and FieldsDigest. Fields that are
/// absent, or that the API server drops as it stores them (null, [], {}), are left out. `live`
/// covers `desired` exactly when Project(live, desired) == Project(desired, desired).
Json Project(const Json& live, const Json& desired);

}  // namespace xebec
