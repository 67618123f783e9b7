// SPDX-License-Identifier: Apache-2.0
// Observation in, plan out: every tests/interaction/testdata/<name>.observation.json (a
// xebec.v1.Observation as grpcurl takes it) is planned, and the plan compared with
// <name>.plan.json. After an intended change: golden_plans_test --rewrite, then read the diff.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/codec/codec.h"
#include "google/protobuf/util/json_util.h"
#include "planner/core/make_plan.h"
#include "tests/interaction/golden_files.h"

namespace xebec {
namespace {

bool rewrite = false;

std::string Print(const Plan& plan) {
  v1::Plan message;
  codec::EncodePlan(plan, codec::ObjectForm::kObject, &message);
  std::string text;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  if (!google::protobuf::util::MessageToJsonString(message, &text, options).ok()) return "";
  const absl::StatusOr<Json> json = ParseJson(text);
  return json.ok() ? json->dump(2) + "\n" : "";
}

class GoldenPlan : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenPlan, IsAsReviewed) {
  const auto observation = golden::ReadObservation(GetParam());
  ASSERT_TRUE(observation.ok()) << observation.status();
  const std::string plan = Print(planner::MakePlan(*observation, golden::Kinds()));
  const std::filesystem::path reviewed = golden::PlanFile(GetParam());
  if (rewrite) std::ofstream(reviewed) << plan;
  EXPECT_EQ(plan, golden::ReadFile(reviewed))
      << "run golden_plans_test --rewrite if this is intended";
}

/// Plans are compared as trees above: with this, equal trees mean equal bytes.
TEST_P(GoldenPlan, HasObjectsInTheOneCompactForm) {
  const auto observation = golden::ReadObservation(GetParam());
  ASSERT_TRUE(observation.ok()) << observation.status();
  const Plan plan = planner::MakePlan(*observation, golden::Kinds());
  std::vector<ObjectBytes> objects;
  if (plan.status.has_value()) objects.push_back(plan.status->object);
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      const auto* apply = std::get_if<Apply>(&operation.action);
      if (apply != nullptr) objects.push_back(apply->object);
    }
  }
  for (const ObjectBytes& object : objects) {
    const absl::StatusOr<Json> json = ParseJson(*object);
    ASSERT_TRUE(json.ok()) << json.status();
    EXPECT_EQ(json->dump(), *object);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenPlan, ::testing::ValuesIn(golden::Names()),
                         [](const auto& each) { return each.param; });

TEST(GoldenPlans, AreFound) {
  EXPECT_FALSE(golden::Names().empty()) << "run it in the project's root";
}

}  // namespace
}  // namespace xebec

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rewrite") xebec::rewrite = true;
  }
  return RUN_ALL_TESTS();
}
