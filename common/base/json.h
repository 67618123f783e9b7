// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace xebec {

/// A JSON tree. Objects are ordered maps, so iteration is deterministic.
using Json = nlohmann::json;

/// Limits for untrusted documents. The defaults exceed the size of any object that an API server
/// can store.
struct JsonLimits {
  size_t max_bytes = 3 * 1024 * 1024;
  size_t max_depth = 64;  ///< Nested objects and arrays; at most 1000.
};

/// Parses one document. Returns INVALID_ARGUMENT with the position for malformed text, invalid
/// UTF-8, duplicate keys and integers beyond 64 bits, and RESOURCE_EXHAUSTED beyond the limits.
/// Never throws.
absl::StatusOr<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

/// Returns OK if `text` is one well-formed JSON object within the limits, otherwise the errors of
/// ParseJson. Much cheaper than ParseJson because it builds no tree. Does not detect duplicate
/// keys.
absl::Status CheckJsonObject(std::string_view text, const JsonLimits& limits = {});

/// Returns compact JSON text. Replaces invalid UTF-8 and never throws.
std::string DumpJson(const Json& json);

/// Returns the value at a path of object keys, for example Find(pod, {"metadata", "name"}). Returns
/// null if a part of the path is missing or is not an object.
const Json* Find(const Json& json, std::initializer_list<std::string_view> path);

/// Returns the string at a path, or "" if it is missing or not a string.
std::string FindString(const Json& json, std::initializer_list<std::string_view> path);

/// Returns the integer at a path. Returns nullopt if it is missing, not a whole number, or outside
/// int64. 3.0 counts as 3.
std::optional<int64_t> FindInt(const Json& json, std::initializer_list<std::string_view> path);

/// Returns the boolean at a path, or nullopt if it is missing or not a boolean.
std::optional<bool> FindBool(const Json& json, std::initializer_list<std::string_view> path);

/// Returns the value as an integer, or nullopt under the conditions of FindInt.
std::optional<int64_t> AsInt(const Json& value);

}  // namespace xebec
