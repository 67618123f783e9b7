// SPDX-License-Identifier: Apache-2.0
#include "common/http/retry_after.h"

#include <gtest/gtest.h>

namespace xebec::http {
namespace {

constexpr int64_t kNow = 1714564800;  // 2024-05-01T12:00:00Z

std::optional<absl::Duration> Parse(std::string_view value) {
  return ParseRetryAfter(value, absl::FromUnixSeconds(kNow));
}

TEST(ParseRetryAfter, ReadsSeconds) {
  EXPECT_EQ(Parse("7"), absl::Seconds(7));
  EXPECT_EQ(Parse(" 7 "), absl::Seconds(7));
  EXPECT_EQ(Parse("0"), absl::ZeroDuration());
  EXPECT_EQ(Parse("007"), absl::Seconds(7));
}

TEST(ParseRetryAfter, ClampsWhatIsTooLong) {
  EXPECT_EQ(Parse("301"), absl::Seconds(300));
  EXPECT_EQ(Parse("1000000000"), absl::Seconds(300));
  EXPECT_EQ(Parse("99999999999999999999999999"), absl::Seconds(300));
}

TEST(ParseRetryAfter, ReadsHttpDates) {
  EXPECT_EQ(Parse("Wed, 01 May 2024 12:00:30 GMT"), absl::Seconds(30));
  EXPECT_EQ(Parse("Wed, 01 May 2024 11:00:00 GMT"), absl::ZeroDuration());
  EXPECT_EQ(Parse("Fri, 01 May 2099 12:00:00 GMT"), absl::Seconds(300));
}

TEST(ParseRetryAfter, RefusesTheRest) {
  for (const char* bad : {"", " ", "-1", "+1", "1.5", "7s", "soon", "\xff", "0x10"}) {
    EXPECT_EQ(Parse(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(Parse(std::string(1000, '1')), std::nullopt);
}

}  // namespace
}  // namespace xebec::http
