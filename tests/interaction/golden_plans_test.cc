// SPDX-License-Identifier: Apache-2.0
// Observation in, plan out: every tests/interaction/testdata/<name>.observation.json (a
// xebec.v1.Observation as grpcurl takes it) is planned, and the plan compared with
// <name>.plan.json. After an intended change: golden_plans_test --rewrite, then read the diff.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/codec/codec.h"
#include "google/protobuf/util/json_util.h"
#include "planner/core/make_plan.h"
#include "planner/core/testing/probe.h"
#include "planner/kinds/built_in.h"

namespace xebec {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "tests/interaction/testdata";
constexpr std::string_view kInput = ".observation.json";
bool rewrite = false;

std::string Read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  if (!fs::exists(kFolder)) return names;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kInput)) names.push_back(name.substr(0, name.size() - kInput.size()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<Observation> ReadObservation(const fs::path& path) {
  v1::Observation message;
  const auto status = google::protobuf::util::JsonStringToMessage(Read(path), &message);
  if (!status.ok()) return absl::InvalidArgumentError(status.ToString());
  return codec::DecodeObservation(message);
}

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
  const fs::path folder(kFolder);
  const auto observation = ReadObservation(folder / (GetParam() + std::string(kInput)));
  ASSERT_TRUE(observation.ok()) << observation.status();
  planner::KindRegistry kinds = planner::BuiltInKinds();
  planner::RegisterTestKinds(&kinds);
  const std::string plan = Print(planner::MakePlan(*observation, kinds));
  const fs::path golden = folder / (GetParam() + ".plan.json");
  if (rewrite) std::ofstream(golden) << plan;
  EXPECT_EQ(plan, Read(golden)) << "run golden_plans_test --rewrite if this is intended";
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenPlan, ::testing::ValuesIn(Names()),
                         [](const auto& each) { return each.param; });

TEST(GoldenPlans, AreFound) { EXPECT_FALSE(Names().empty()) << "run it in the project's root"; }

}  // namespace
}  // namespace xebec

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--rewrite") xebec::rewrite = true;
  }
  return RUN_ALL_TESTS();
}
