// SPDX-License-Identifier: Apache-2.0
#include "planner/core/contest.h"

#include <gtest/gtest.h>

namespace xebec::planner {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1000000);

Outcome Changed(uint32_t repeats, absl::Duration ago) {
  Outcome outcome;
  outcome.code = OutcomeCode::kChanged;
  outcome.repeats = repeats;
  outcome.at = kNow - ago;
  return outcome;
}

TEST(Contest, BeginsWithTheFifthChangeInARow) {
  EXPECT_FALSE(IsContested(Changed(4, absl::ZeroDuration()), kNow));
  EXPECT_TRUE(IsContested(Changed(5, absl::ZeroDuration()), kNow));
}

TEST(Contest, PausesGrowToFiveMinutes) {
  EXPECT_EQ(ContestWait(Changed(5, absl::ZeroDuration()), kNow), absl::Seconds(10));
  EXPECT_EQ(ContestWait(Changed(6, absl::ZeroDuration()), kNow), absl::Seconds(20));
  EXPECT_EQ(ContestWait(Changed(9, absl::ZeroDuration()), kNow), absl::Seconds(160));
  EXPECT_EQ(ContestWait(Changed(10, absl::ZeroDuration()), kNow), absl::Minutes(5));
  EXPECT_EQ(ContestWait(Changed(4000000000u, absl::ZeroDuration()), kNow), absl::Minutes(5));
}

TEST(Contest, IsOverOnceTheFieldsHaveBeenLeftAlone) {
  EXPECT_EQ(ContestWait(Changed(5, absl::Seconds(10)), kNow), absl::ZeroDuration());
  EXPECT_FALSE(IsContested(Changed(50, absl::Minutes(11)), kNow));
  EXPECT_EQ(ContestExpiry(Changed(5, absl::Minutes(4)), kNow), absl::Minutes(6));
}

TEST(Contest, NeedsTimes) {
  EXPECT_FALSE(IsContested(Changed(5, absl::ZeroDuration()), absl::InfinitePast()));
  Outcome without = Changed(5, absl::ZeroDuration());
  without.at = absl::InfinitePast();
  EXPECT_FALSE(IsContested(without, kNow));
}

TEST(Contest, ClockThatWentBackWaitsNoLongerThanOnePause) {
  EXPECT_EQ(ContestWait(Changed(5, -absl::Hours(5)), kNow), absl::Seconds(10));
}

TEST(Contest, OtherOutcomesAreNone) {
  Outcome unchanged = Changed(9, absl::ZeroDuration());
  unchanged.code = OutcomeCode::kUnchanged;
  EXPECT_FALSE(IsContested(unchanged, kNow));
}

}  // namespace
}  // namespace xebec::planner
