// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace xebec::planner {

/// Reads the spec of a parent with checked accessors. An absent or null field gives the default. A
/// field with a wrong type or an invalid value gives the default too and sets an error; the first
/// error becomes DesiredState::invalid.
class SpecReader {
 public:
  /// `parent` is the whole object and outlives the reader. A spec that is absent counts as empty.
  explicit SpecReader(const Json& parent);

  /// Whole number within [min, max].
  int64_t Int(std::string_view field, int64_t fallback, int64_t min, int64_t max);
  bool Bool(std::string_view field, bool fallback);
  /// At most `max_bytes` long. An empty string counts as absent.
  std::string String(std::string_view field, std::string_view fallback, size_t max_bytes = 4096);
  /// An image: a string without blanks around it, which the API server refuses in a Pod.
  std::string Image(std::string_view field, std::string_view fallback);
  /// List of strings, e.g. a container's command; empty when absent.
  std::vector<std::string> Strings(std::string_view field, size_t max_items = 256);
  /// A container's env: named entries, each name once and fit for a variable; members that the API
  /// server would drop (value "") are left out. An empty array when absent.
  Json Env(std::string_view field = "env");
  /// An object that is passed on as it is, e.g. resources. Empty members are left out; an empty
  /// object when absent.
  Json Object(std::string_view field);

  /// A list of objects that is passed on as it is, e.g. tolerations; an empty array when absent.
  Json Objects(std::string_view field, size_t max_items = 256);

  bool Has(std::string_view field) const;  ///< Present and not null.
  /// Adds an error of the kind's own unless there is one: "spec.<field> <what>".
  void Fail(std::string_view field, std::string_view what);
  /// "spec.replicas must be an integer from 0 to 100, not "3""; nullopt when the spec is valid.
  const std::optional<std::string>& error() const { return error_; }

 private:
  const Json* Field(std::string_view field) const;

  const Json* spec_;  // null when absent
  std::optional<std::string> error_;
};

}  // namespace xebec::planner
