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

/// One setting: how its field is written and read. Scalars have exactly one value.
struct Binding {
  enum class Kind { kText, kBool, kNumber, kDuration, kList };

  std::string key;
  std::string help;
  std::string placeholder;  ///< "DURATION" in --help.
  Kind kind = Kind::kText;
  /// INVALID_ARGUMENT says what is expected, without naming where the value stands.
  std::function<absl::Status(const std::vector<std::string>& values)> set;
  std::function<std::vector<std::string>()> get;
};

/// "290s", "1m30s", "500ms", "0"; neither negative nor infinite.
absl::StatusOr<absl::Duration> ReadDuration(std::string_view text);

/// "true" or "false".
absl::StatusOr<bool> ReadBool(std::string_view text);

/// A whole number within the range.
absl::StatusOr<uint64_t> ReadNumber(std::string_view text, uint64_t min, uint64_t max);

/// "a, b" -> {"a", "b"}; empty parts are left out.
std::vector<std::string> SplitList(std::string_view text);

}  // namespace xebec::config
