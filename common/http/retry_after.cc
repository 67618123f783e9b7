// SPDX-License-Identifier: Apache-2.0
#include "common/http/retry_after.h"

#include <curl/curl.h>

#include <algorithm>
#include <string>

namespace xebec::http {
namespace {

constexpr absl::Duration kLongest = absl::Seconds(300);
constexpr size_t kMaxLength = 64;

std::string_view Trim(std::string_view s) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

/// Only digits. An excessively long number means the longest wait.
absl::Duration FromDigits(std::string_view digits) {
  int64_t seconds = 0;
  for (const char c : digits) seconds = std::min<int64_t>(seconds * 10 + (c - '0'), 1000000);
  return std::min(absl::Seconds(seconds), kLongest);
}

}  // namespace

std::optional<absl::Duration> ParseRetryAfter(std::string_view value, absl::Time now) {
  value = Trim(value);
  if (value.empty() || value.size() > kMaxLength) return std::nullopt;
  const bool digits =
      std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits) return FromDigits(value);
  if (value.front() < 'A') return std::nullopt;  // a date starts with the day of the week
  const time_t when = curl_getdate(std::string(value).c_str(), nullptr);
  if (when < 0) return std::nullopt;
  return std::clamp(absl::FromTimeT(when) - now, absl::ZeroDuration(), kLongest);
}

}  // namespace xebec::http
