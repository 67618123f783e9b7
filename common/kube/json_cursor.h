// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "simdjson.h"

/// Helpers for simdjson's on-demand parser. Internal to common/kube.
namespace xebec::kube::internal {

namespace od = simdjson::ondemand;

/// The deepest nesting of kept bytes.
inline constexpr size_t kMaxDepth = 64;
/// The largest watch line or single response in bytes: an object of 1.5 MiB, the most that an API
/// server stores, with each byte escaped as six bytes ("\\u003c").
inline constexpr size_t kMaxLineBytes = 16 * 1024 * 1024;
/// The most bytes to keep of one object.
inline constexpr size_t kMaxObjectBytes = 3 * 1024 * 1024;

/// Sets `is_null` to true if `value` is null. Otherwise `value` can still be read.
simdjson::error_code IsNull(od::value& value, bool* is_null);

/// Reads a string into `out`. Null leaves `out` unchanged; other types return INCORRECT_TYPE.
simdjson::error_code ReadString(od::value value, std::string* out);

/// Like the function above, without a copy: the text is in the parser's buffer until the parser
/// reads another document.
simdjson::error_code ReadString(od::value value, std::string_view* out);

/// Reads an integer that fits int64. Null leaves `out` unchanged.
simdjson::error_code ReadInt(od::value value, int64_t* out);

/// Reads a boolean. Null leaves `out` unchanged.
simdjson::error_code ReadBool(od::value value, bool* out);

/// Returns a member's key as it is in the document, with its escapes.
std::string_view RawKey(const od::field& field);

/// Returns the bytes of `value` as they are in the document. Consumes `value`.
simdjson::error_code ReadRaw(od::value value, std::string_view* out);

/// Appends `"key":value` to `out`, with a comma before it unless `out` ends with '{'.
void AppendMember(std::string_view key, std::string_view raw_value, std::string* out);

/// Returns INVALID_ARGUMENT if text follows the document's value, which must have been read to its
/// end.
absl::Status CheckEnd(std::string_view where, od::document& document);

/// Returns INVALID_ARGUMENT "<where>: <simdjson's message>".
absl::Status JsonError(std::string_view where, simdjson::error_code code);

}  // namespace xebec::kube::internal
