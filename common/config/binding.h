// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace xebec::config {

/// One setting, with functions that write and read its field. A scalar has exactly one value.
struct Binding {
  enum class Kind { kText, kBool, kNumber, kDuration, kList };

  std::string key;
  std::string help;
  std::string placeholder;  ///< "DURATION" in --help.
  Kind kind = Kind::kText;
  /// Sets the field. Returns INVALID_ARGUMENT with the accepted values; the caller adds the
  /// position.
  std::function<absl::Status(const std::vector<std::string>& values)> set;
  std::function<std::vector<std::string>()> get;
};

/// Parses a duration such as "290s", "1m30s", "500ms" or "0". Rejects negative and infinite
/// durations.
absl::StatusOr<absl::Duration> ReadDuration(std::string_view text);

/// Parses "true" or "false".
absl::StatusOr<bool> ReadBool(std::string_view text);

/// Parses a whole number from `min` to `max`.
absl::StatusOr<uint64_t> ReadNumber(std::string_view text, uint64_t min, uint64_t max);

/// Splits a comma-separated list, without surrounding blanks and empty parts: "a, b" becomes {"a",
/// "b"}.
std::vector<std::string> SplitList(std::string_view text);

}  // namespace xebec::config
