// SPDX-License-Identifier: Apache-2.0
#include "common/config/binding.h"

#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/base/strings.h"

namespace xebec::config {
namespace {

std::string Quoted(std::string_view text) { return absl::StrCat("\"", Ellipsize(text, 100), "\""); }

bool HasBlanks(std::string_view text) {
  return text.find_first_of(" \t\n") != std::string_view::npos;
}

}  // namespace

absl::StatusOr<absl::Duration> ReadDuration(std::string_view text) {
  absl::Duration duration;
  if (HasBlanks(text) || !absl::ParseDuration(ToAbsl(text), &duration) ||
      duration == absl::InfiniteDuration() || duration < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(
        absl::StrCat(Quoted(text), " is not a duration such as 290s, 1m30s or 500ms"));
  }
  return duration;
}

absl::StatusOr<bool> ReadBool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return absl::InvalidArgumentError(absl::StrCat(Quoted(text), " is neither true nor false"));
}

absl::StatusOr<uint64_t> ReadNumber(std::string_view text, uint64_t min, uint64_t max) {
  uint64_t number = 0;
  if (!HasBlanks(text) && absl::SimpleAtoi(ToAbsl(text), &number) && number >= min &&
      number <= max) {
    return number;
  }
  const bool open =
      max == std::numeric_limits<uint64_t>::max() || max == std::numeric_limits<uint32_t>::max();
  const std::string range =
      open ? absl::StrCat("of at least ", min) : absl::StrCat("from ", min, " to ", max);
  return absl::InvalidArgumentError(absl::StrCat(Quoted(text), " is not a whole number ", range));
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(text), ',')) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(part);
    if (!stripped.empty()) parts.emplace_back(stripped);
  }
  return parts;
}

}  // namespace xebec::config
