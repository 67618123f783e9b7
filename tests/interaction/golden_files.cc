// SPDX-License-Identifier: Apache-2.0
#include "tests/interaction/golden_files.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "common/codec/codec.h"
#include "google/protobuf/util/json_util.h"
#include "planner/core/testing/probe.h"
#include "planner/hooks/hook_codec.h"
#include "planner/kinds/built_in.h"

namespace xebec::golden {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "tests/interaction/testdata";
constexpr std::string_view kInput = ".observation.json";

}  // namespace

std::string ReadFile(const fs::path& path) {
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

fs::path PlanFile(const std::string& name) { return fs::path(kFolder) / (name + ".plan.json"); }

absl::StatusOr<Observation> ReadObservation(const std::string& name) {
  v1::Observation message;
  const auto status = google::protobuf::util::JsonStringToMessage(
      ReadFile(fs::path(kFolder) / (name + std::string(kInput))), &message);
  if (!status.ok()) return absl::InvalidArgumentError(status.ToString());
  return codec::DecodeObservation(message);
}

planner::KindRegistry Kinds() {
  planner::KindRegistry kinds = planner::BuiltInKinds();
  planner::RegisterTestKinds(&kinds);
  kinds.SetHookCodec(planner::HooksV1());
  return kinds;
}

}  // namespace xebec::golden
