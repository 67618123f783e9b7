// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace xebec::planner {

/// Reads and validates the spec of a parent. An absent or null field returns its default. A field
/// with a wrong type or an invalid value also returns the default and sets an error; the first
/// error becomes DesiredState::invalid.
class SpecReader {
 public:
  /// `parent` is the whole object and must outlive the reader. An absent spec counts as empty.
  explicit SpecReader(const Json& parent);

  /// Reads a whole number within [min, max].
  int64_t Int(std::string_view field, int64_t fallback, int64_t min, int64_t max);
  bool Bool(std::string_view field, bool fallback);
  /// Reads a string of at most `max_characters`, counted as maxLength of a CRD. An empty string
  /// counts as absent.
  std::string String(std::string_view field, std::string_view fallback,
                     size_t max_characters = 4096);
  /// Reads an image: a string without surrounding blanks, which the API server rejects in a Pod.
  std::string Image(std::string_view field, std::string_view fallback);
  /// Reads a list of strings, for example a container's command; empty if absent.
  std::vector<std::string> Strings(std::string_view field, size_t max_items = 256);
  /// Reads a container's env: entries with unique, valid names. Omits members that the API server
  /// would drop (value ""). Returns an empty array if absent.
  Json Env(std::string_view field = "env");
  /// Reads an object that is passed on unchanged, for example resources. Omits empty members.
  /// Returns an empty object if absent.
  Json Object(std::string_view field);

  /// Reads a list of objects that is passed on unchanged, for example tolerations. Returns an empty
  /// array if absent.
  Json Objects(std::string_view field, size_t max_items = 256);

  bool Has(std::string_view field) const;  ///< Returns true if the field is present and not null.
  /// Adds an error of the kind, unless there is one already: "spec.<field> <what>".
  void Fail(std::string_view field, std::string_view what);
  /// Returns the first error, "spec.replicas must be an integer from 0 to 100, not "3""; nullopt if
  /// the spec is valid.
  const std::optional<std::string>& error() const { return error_; }

 private:
  const Json* Field(std::string_view field) const;

  const Json* spec_;  // null when absent
  std::optional<std::string> error_;
};

}  // namespace xebec::planner
