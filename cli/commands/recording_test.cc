// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/recording.h"

#include "cli/commands/plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Observation Observe(const std::string& parent) {
  Observation observation;
  observation.parent = MakeObjectBytes(parent);
  observation.declaration = MakeObjectBytes(R"({"kind":"Operator"})");
  observation.declared_resources = {{"example.com", "v1", "Web", "webs", false}};
  observation.hook_answers = {
      {"digest", std::string("\x0a\x01\xff\x00", 4)},
      {"other", HookFailure{HookFailureCode::kTimeout, "no answer", absl::Seconds(2)}}};
  return observation;
}

std::vector<Observation> Read(const Recording& recording) {
  const auto read = ReadObservations(recording.text(), "f.json");
  EXPECT_TRUE(read.ok()) << read.status();
  return read.value_or(std::vector<Observation>{});
}

TEST(Recording, IsReadAsItWasRecorded) {
  const Observation one = Observe(R"({"apiVersion":"a/v1","kind":"A","name":"é<\"\n"})");
  const Observation two = Observe(R"({"apiVersion":"a/v1","kind":"B"})");
  Recording recording;
  recording.Add(one);
  EXPECT_THAT(Read(recording), ElementsAre(one));
  EXPECT_THAT(recording.text(), HasSubstr("\"kind\": \"A\"")) << "objects are readable";
  recording.Add(two);
  EXPECT_THAT(Read(recording), ElementsAre(one, two));
}

TEST(Recording, KeepsNumbersThatTheReadableFormWouldRound) {
  const Observation large = Observe(R"({"apiVersion":"a/v1","kind":"A","n":9007199254740993})");
  Recording recording;
  recording.Add(large);
  EXPECT_THAT(Read(recording), ElementsAre(large));
}

TEST(Recording, FileThatCannotBeWrittenIsAnError) {
  Recording recording;
  recording.Add(Observe(R"({"apiVersion":"a/v1","kind":"A"})"));
  EXPECT_THAT(std::string(recording.Write("/absent/folder/file").message()),
              HasSubstr("cannot write /absent/folder/file"));
}

}  // namespace
}  // namespace xebec::cli
