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
