// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "common/base/json.h"

/// Reads the fields of a declaration. Internal to common/declare.
namespace xebec {

/// A JSON object inside a document, with its path. A field of the wrong type counts as absent and
/// becomes the error, unless there is one already.
class SpecFields {
 public:
  /// `object` may be null: every field is absent. All must outlive this.
  SpecFields(const Json* object, std::string path, std::string* error)
      : object_(object), path_(std::move(path)), error_(error) {}

  bool Has(std::string_view field) const { return Field(field) != nullptr; }
  std::string String(std::string_view field) const;
  bool Bool(std::string_view field, bool fallback) const;
  int64_t Int(std::string_view field, int64_t min, int64_t max) const;
  /// A duration such as "10s", within the limits.
  std::optional<absl::Duration> Span(std::string_view field, absl::Duration min,
                                     absl::Duration max) const;
  std::vector<std::string> Strings(std::string_view field) const;
  SpecFields Object(std::string_view field) const;
  std::vector<SpecFields> Objects(std::string_view field) const;
  /// The value of an object field, as JSON text; empty if absent.
  std::string Text(std::string_view field) const;

  /// Sets the error "<path>.<field> <what>" unless there is one.
  void Fail(std::string_view field, std::string_view what) const;
  std::string PathOf(std::string_view field) const;

 private:
  const Json* Field(std::string_view field) const;

  const Json* object_;
  std::string path_;
  std::string* error_;
};

}  // namespace xebec
