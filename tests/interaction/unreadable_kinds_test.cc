// SPDX-License-Identifier: Apache-2.0
// Each kind of child of the golden observations is taken away as if it could not be read: no kind
// may do or say anything about what it has not seen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/base/json.h"
#include "planner/core/make_plan.h"
#include "tests/interaction/golden_files.h"

namespace xebec {
namespace {

class UnreadableKind : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto read = golden::ReadObservation(GetParam());
    ASSERT_TRUE(read.ok()) << read.status();
    observation_ = *std::move(read);
    parent_ = *ParseJson(*observation_.parent);
  }

  Json Shown(const std::string& field) const {
    const Json* value = Find(parent_, {"status", field});
    return value == nullptr ? Json() : *value;
  }

  void CheckStatus(const StatusIntent& status) const {
    const Json object = *ParseJson(*status.object);
    for (const auto& [field, value] : object["status"].items()) {
      if (field == "conditions" || field == "observedGeneration") continue;
      EXPECT_EQ(value, Shown(field)) << field;
    }
    EXPECT_EQ(object["status"]["conditions"][0]["reason"], "NotWatched");
    EXPECT_EQ(FindInt(object, {"status", "observedGeneration"}).value_or(0),
              FindInt(parent_, {"status", "observedGeneration"}).value_or(0));
    EXPECT_THAT(status.events, ::testing::IsEmpty());
  }

  const planner::KindRegistry kinds_ = golden::Kinds();
  Observation observation_;
  Json parent_;
};

bool IsOfAStandingParent(const Plan& plan, const Json& parent) {
  return plan.verdict == Verdict::kOk &&
         FindString(parent, {"metadata", "deletionTimestamp"}).empty() &&
         FindString(parent, {"metadata", "annotations", "xebec.dev/paused"}).empty();
}

TEST_P(UnreadableKind, IsNotJudged) {
  const std::vector<ObjectGroup> all = observation_.children;
  for (size_t i = 0; i < all.size(); ++i) {
    observation_.children = all;
    observation_.children.erase(observation_.children.begin() + static_cast<ptrdiff_t>(i));
    const Plan plan = planner::MakePlan(observation_, kinds_);
    if (!IsOfAStandingParent(plan, parent_)) continue;
    SCOPED_TRACE(all[i].type.kind);
    EXPECT_FALSE(plan.complete);
    EXPECT_THAT(plan.stages, ::testing::IsEmpty());
    ASSERT_TRUE(plan.status.has_value());
    CheckStatus(*plan.status);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, UnreadableKind, ::testing::ValuesIn(golden::Names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace xebec
