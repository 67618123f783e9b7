// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/base/json.h"

namespace xebec {

/// A label selector as in the query parameter labelSelector: "app=web,tier in (a,b),!old". The
/// operators > and < are not supported. A value.
class LabelSelector {
 public:
  /// Returns INVALID_ARGUMENT with the requirement that is wrong. An empty text matches everything.
  static absl::StatusOr<LabelSelector> Parse(std::string_view text);

  /// Returns true if an object with these labels matches. `labels` is a JSON object of strings;
  /// null means that there are none.
  bool Matches(const Json* labels) const;

 private:
  enum class Operator { kIn, kNotIn, kExists, kAbsent };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::set<std::string> values;
  };

  static absl::StatusOr<Requirement> ParseRequirement(std::string_view text);

  std::vector<Requirement> requirements_;
};

}  // namespace xebec
