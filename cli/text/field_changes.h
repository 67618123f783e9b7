// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"

namespace xebec::cli {

/// A field that has another value than a plan wants.
struct FieldChange {
  std::string path;  ///< "spec.template.spec.containers[app].image"
  Json old_value;    ///< Null if the field is absent.
  Json new_value;
};

/// The fields of `desired` whose values differ in `live`, compared as in Covers (common/model), in
/// the order of their names. Fields that only `live` has are not reported. Skips the identity of
/// the object, its owner references and the digest annotation.
std::vector<FieldChange> ChangedFields(const Json& live, const Json& desired);

}  // namespace xebec::cli
