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

/// A JSON tree. Objects are ordered maps: iteration is deterministic.
using Json = nlohmann::json;

/// Bounds on untrusted documents. Defaults: what an API server can store, with room.
struct JsonLimits {
  size_t max_bytes = 3 * 1024 * 1024;
  size_t max_depth = 64;  ///< Nested objects and arrays; at most 1000.
};

/// Parses one document. INVALID_ARGUMENT with the position for malformed text, invalid UTF-8,
/// duplicate keys and integers beyond 64 bits; RESOURCE_EXHAUSTED beyond the limits. Never throws,
/// never crashes.
absl::StatusOr<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

/// OK when `text` is one well-formed JSON object within the limits; the errors of ParseJson. Much
/// cheaper, as it builds no tree; does not look for duplicate keys.
absl::Status CheckJsonObject(std::string_view text, const JsonLimits& limits = {});

/// Compact text; invalid UTF-8 is replaced, never thrown.
std::string DumpJson(const Json& json);

/// The value at a path of object keys, or null when any part is missing or not an object:
/// Find(pod, {"metadata", "name"}).
const Json* Find(const Json& json, std::initializer_list<std::string_view> path);

/// The string at a path; "" when it is missing or not a string.
std::string FindString(const Json& json, std::initializer_list<std::string_view> path);

/// The integer at a path. nullopt when missing, not a whole number, or outside int64. 3.0 counts
/// as 3.
std::optional<int64_t> FindInt(const Json& json, std::initializer_list<std::string_view> path);

/// The boolean at a path; nullopt when missing or not a boolean.
std::optional<bool> FindBool(const Json& json, std::initializer_list<std::string_view> path);

/// The value as a whole number; nullopt as for FindInt.
std::optional<int64_t> AsInt(const Json& value);

}  // namespace xebec
