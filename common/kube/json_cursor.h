// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "simdjson.h"

/// Small helpers over simdjson's on-demand front end; internal to common/kube.
namespace xebec::kube::internal {

namespace od = simdjson::ondemand;

/// Nesting that kept bytes may have.
inline constexpr size_t kMaxDepth = 64;
/// Largest watch line and single answer, in bytes: what an API server stores (1.5 MiB), each byte
/// of it written as six ("\\u003c").
inline constexpr size_t kMaxLineBytes = 16 * 1024 * 1024;
/// Most that is kept of one object, in bytes.
inline constexpr size_t kMaxObjectBytes = 3 * 1024 * 1024;

/// Sets `is_null` when `value` is null; otherwise the value may still be read.
simdjson::error_code IsNull(od::value& value, bool* is_null);

/// Reads a string into `out`; null leaves it alone, any other type is INCORRECT_TYPE.
simdjson::error_code ReadString(od::value value, std::string* out);

/// The same without a copy: the text is in the parser's buffer until it reads another document.
simdjson::error_code ReadString(od::value value, std::string_view* out);

/// Reads a whole number that fits int64; null leaves it alone.
simdjson::error_code ReadInt(od::value value, int64_t* out);

/// Reads a boolean; null leaves it alone.
simdjson::error_code ReadBool(od::value value, bool* out);

/// A member's key as it stands in the document, escapes included.
std::string_view RawKey(const od::field& field);

/// The bytes of `value` as they stand in the document. Consumes it.
simdjson::error_code ReadRaw(od::value value, std::string_view* out);

/// Appends `"key":value` to `out`, with a comma before it unless `out` ends with '{'.
void AppendMember(std::string_view key, std::string_view raw_value, std::string* out);

/// INVALID_ARGUMENT when anything follows the document's value, which has been read to its end.
absl::Status CheckEnd(std::string_view where, od::document& document);

/// INVALID_ARGUMENT "<where>: <what simdjson says>".
absl::Status JsonError(std::string_view where, simdjson::error_code code);

}  // namespace xebec::kube::internal
