// SPDX-License-Identifier: Apache-2.0
#include "planner/core/field_manager_conflict.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/well_known.h"
#include "planner/core/conditions.h"
#include "planner/core/testing/scripted_scene.h"

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

// 1,000 children whose field another manager changed after each of kConflictAfter applies.
testing::Scene ManyConflicts() {
  Json spec = {{"children", Json::array()}};
  for (int i = 0; i < 1000; ++i) {
    const Json object = {{"metadata", {{"name", absl::StrCat("a-", i)}}}, {"data", {{"x", "1"}}}};
    spec["children"].push_back({{"kind", "ConfigMap"}, {"object", object}});
  }
  testing::Scene scene = testing::Scripted(DumpJson(spec));
  scene.Converge();
  for (uint32_t i = 0; i <= kConflictAfter; ++i) {
    if (i > 0) scene.Reconcile();
    for (const ObjectRef& child : scene.world.List("ConfigMap")) {
      scene.world.Edit(child, [](Json& live) {
        live["data"]["x"] = "2";
        live[std::string(kLastWriterMember)] = "größerer-Verwalter";
      });
    }
  }
  return scene;
}

TEST(FieldManagerConflict, OfManyChildrenFitsIntoTheConditionApplied) {
  const Plan plan = ManyConflicts().Ask();
  ASSERT_TRUE(plan.status.has_value() && plan.status->blocked.has_value());
  EXPECT_EQ(plan.status->blocked->reason, "FieldManagerConflict");
  const std::string& message = plan.status->blocked->message;
  EXPECT_LE(message.size(), kMaxConditionMessage);
  EXPECT_GE(message.size(), kMaxConditionMessage - 8);
  EXPECT_EQ(message, ToValidUtf8(message));
}

}  // namespace
}  // namespace xebec::planner
