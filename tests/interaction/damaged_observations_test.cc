// SPDX-License-Identifier: Apache-2.0
// Every value of every object of the golden observations is damaged, one at a time: users and other
// controllers write what they like, and no kind may throw, or plan what cannot be sent.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/codec/codec.h"
#include "planner/core/make_plan.h"
#include "tests/interaction/golden_files.h"

namespace xebec {
namespace {

const Json kDamages[] = {nullptr,
                         5,
                         -1,
                         1e300,
                         "",
                         "x",
                         true,
                         Json::array(),
                         Json::object(),
                         Json::array({nullptr}),
                         Json{{"a", Json::array({5})}}};

/// Calls `look` with every value in `json` but the root; it may change the value meanwhile.
template <typename Look>
void ForEachValue(Json& json, const Look& look) {
  if (!json.is_structured()) return;
  for (Json& value : json) {
    ForEachValue(value, look);
    look(value);
  }
}

void CheckPlan(const Observation& observation, const planner::KindRegistry& kinds) {
  std::string kind_error;
  const Plan plan = planner::MakePlan(observation, kinds, &kind_error);
  ASSERT_EQ(kind_error, "");
  v1::Plan sent;
  codec::EncodePlan(plan, codec::ObjectForm::kJson, &sent);
  const absl::StatusOr<Plan> received = codec::DecodePlan(sent);
  ASSERT_TRUE(received.ok()) << received.status();
  ASSERT_EQ(*received, plan);
}

class DamagedObservation : public ::testing::TestWithParam<std::string> {
 protected:
  /// Damages each value of *object in turn; a damage for each, another one for the next.
  void Damage(ObjectBytes* object) {
    const ObjectBytes whole = *object;
    Json json = *ParseJson(*whole);
    ForEachValue(json, [&](Json& value) {
      const Json before = value;
      value = kDamages[next_++ % std::size(kDamages)];
      *object = MakeObjectBytes(DumpJson(json));
      SCOPED_TRACE(**object);
      CheckPlan(observation_, kinds_);
      value = before;
    });
    *object = whole;
  }

  const planner::KindRegistry kinds_ = golden::Kinds();
  Observation observation_;
  size_t next_ = 0;
};

TEST_P(DamagedObservation, IsPlannedAllTheSame) {
  auto read = golden::ReadObservation(GetParam());
  ASSERT_TRUE(read.ok()) << read.status();
  observation_ = *std::move(read);
  for (int round = 0; round < 2; ++round) {  // the number of damages shares no factor with most
    Damage(&observation_.parent);
    for (ObjectGroup& group : observation_.children) {
      for (ObjectBytes& child : group.objects) Damage(&child);
    }
    ++next_;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, DamagedObservation, ::testing::ValuesIn(golden::Names()),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace xebec
