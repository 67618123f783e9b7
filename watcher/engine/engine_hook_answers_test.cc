// SPDX-License-Identifier: Apache-2.0
// The answers of hooks: how they are counted, and when they are checked with a second call.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/declarations_rig.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::IsEmpty;
using EngineHookAnswersTest = EngineDeclarationsTest;

TEST_F(EngineHookAnswersTest, AnswersAreCountedWithThePlanThatSaysWhatTheyAre) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  for (const char* failure : {"HookAnswerInvalid", "HookError", ""}) {
    AskForHook();
    Answer(Calls().at(0), std::string("answer"));
    Decide(failure);
    t_.Advance(absl::Seconds(10));
  }
  EXPECT_EQ(FiguresOfWeb().hook_calls, (Counts{{"error", 1}, {"invalid", 1}, {"ok", 1}}));
}

TEST_F(EngineHookAnswersTest, AParentThatWaitsForItsHookSaysSo) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  AskForHook();
  EXPECT_EQ(t_.Key("w").state, KeyState::kPlanning);
  EXPECT_EQ(t_.Key("w").explanation, "Waits for the answer of its hook.");
  Answer(Calls().at(0), std::string("answer"));
  Decide("");
  t_.Feed(CreditsChanged{4, 4, 0});
  t_.cluster.SetWidget("w", 1, 8);
  t_.Deliver();
  EXPECT_THAT(t_.Key("w").waiting_for, ::testing::Contains("no gateway is connected"));
}

TEST_F(EngineHookAnswersTest, AHookThatDiffersEachTimeIsCheckedAndThePlannerSeesBothAnswers) {
  t_.cluster.SetWidget("w", 1, 0);
  Start();
  int value = 0;
  std::vector<CallHook> calls;
  while (value < 100) {
    AskForHook();
    calls = Calls();
    ASSERT_EQ(calls.size(), 1u);
    EXPECT_FALSE(calls[0].call.again);
    Answer(calls[0], absl::StrCat("answer ", ++value));
    calls = Calls();
    if (!calls.empty()) break;
    Decide("");
    t_.cluster.SetWidget("w", 1, value);
    Complete();
  }
  EXPECT_EQ(value, 21);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_TRUE(calls[0].call.again);
  AnswerOperators();
  EXPECT_THAT(t_.observations, IsEmpty()) << "the planner waits for the second answer";
  Answer(calls[0], std::string("another answer"));
  const Observation shown = Decide("HookInconsistent");
  ASSERT_EQ(shown.hook_answers.size(), 2u);
  EXPECT_EQ(shown.hook_answers[0], (HookAnswer{"digest", std::string("answer 21")}));
  EXPECT_EQ(shown.hook_answers[1], (HookAnswer{"digest", std::string("another answer")}));
  EXPECT_EQ(FiguresOfWeb().hook_calls, (Counts{{"inconsistent", 2}, {"ok", 20}}));
  t_.Advance(absl::Seconds(10));
  AskForHook();
  Answer(Calls().at(0), std::string("answer"));
  calls = Calls();
  ASSERT_EQ(calls.size(), 1u) << "every answer is checked now";
  EXPECT_TRUE(calls[0].call.again);
  Answer(calls[0], std::string("answer"));
  Decide("");
  t_.cluster.SetWidget("w", 1, 1);
  Complete();
  AskForHook();
  Answer(Calls().at(0), std::string("answer"));
  EXPECT_THAT(Calls(), IsEmpty()) << "two answers were the same";
}

}  // namespace
}  // namespace xebec::watcher::testing
