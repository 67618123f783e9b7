// SPDX-License-Identifier: Apache-2.0
#include "planner/core/field_manager_conflict.h"

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

TEST(FieldManagerConflict, BeginsWithTheFifthChangeInARow) {
  EXPECT_FALSE(HasFieldManagerConflict(Changed(4, absl::ZeroDuration()), kNow));
  EXPECT_TRUE(HasFieldManagerConflict(Changed(5, absl::ZeroDuration()), kNow));
}

TEST(FieldManagerConflict, PausesGrowToFiveMinutes) {
  EXPECT_EQ(ConflictWait(Changed(5, absl::ZeroDuration()), kNow), absl::Seconds(10));
  EXPECT_EQ(ConflictWait(Changed(6, absl::ZeroDuration()), kNow), absl::Seconds(20));
  EXPECT_EQ(ConflictWait(Changed(9, absl::ZeroDuration()), kNow), absl::Seconds(160));
  EXPECT_EQ(ConflictWait(Changed(10, absl::ZeroDuration()), kNow), absl::Minutes(5));
  EXPECT_EQ(ConflictWait(Changed(4000000000u, absl::ZeroDuration()), kNow), absl::Minutes(5));
}

TEST(FieldManagerConflict, IsOverOnceTheFieldsHaveBeenLeftAlone) {
  EXPECT_EQ(ConflictWait(Changed(5, absl::Seconds(10)), kNow), absl::ZeroDuration());
  EXPECT_FALSE(HasFieldManagerConflict(Changed(50, absl::Minutes(11)), kNow));
  EXPECT_EQ(ConflictExpiry(Changed(5, absl::Minutes(4)), kNow), absl::Minutes(6));
}

TEST(FieldManagerConflict, NeedsTimes) {
  EXPECT_FALSE(HasFieldManagerConflict(Changed(5, absl::ZeroDuration()), absl::InfinitePast()));
  Outcome without = Changed(5, absl::ZeroDuration());
  without.at = absl::InfinitePast();
  EXPECT_FALSE(HasFieldManagerConflict(without, kNow));
}

TEST(FieldManagerConflict, ClockThatWentBackWaitsNoLongerThanOnePause) {
  EXPECT_EQ(ConflictWait(Changed(5, -absl::Hours(5)), kNow), absl::Seconds(10));
}

TEST(FieldManagerConflict, OtherOutcomesAreNone) {
  Outcome unchanged = Changed(9, absl::ZeroDuration());
  unchanged.code = OutcomeCode::kUnchanged;
  EXPECT_FALSE(HasFieldManagerConflict(unchanged, kNow));
}

}  // namespace
}  // namespace xebec::planner
