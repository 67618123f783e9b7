// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/hook_rounds.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Observation Declared() {
  Observation observation;
  observation.declaration = std::make_shared<const std::string>("{}");
  return observation;
}

HookRequest Request(const std::string& digest) { return {digest, {}}; }

TEST(HookRounds, CallsAHookOnlyForADeclaredControllerAndWithAGateway) {
  HookRounds rounds;
  rounds.Begin(Declared());
  EXPECT_THAT(rounds.WhyNot(Request("a"), true), IsEmpty());
  EXPECT_THAT(rounds.WhyNot(Request("a"), false), HasSubstr("without an Operator"));
  rounds.Begin(Observation());
  EXPECT_THAT(rounds.WhyNot(Request("a"), true), HasSubstr("without an Operator"));
}

TEST(HookRounds, NoCallIsRepeatedForTheSameObservation) {
  HookRounds rounds;
  rounds.Begin(Declared());
  const Observation next = rounds.Answered({"a", "body"});
  ASSERT_EQ(next.hook_answers.size(), 1u);
  rounds.Begin(next);
  EXPECT_THAT(rounds.WhyNot(Request("a"), true), HasSubstr("that is answered"));
  EXPECT_THAT(rounds.WhyNot(Request("b"), true), IsEmpty());
}

TEST(HookRounds, TwoAnswersToOneRequestAreShownInOrderAndCounted) {
  HookRounds rounds;
  rounds.Begin(Declared());
  EXPECT_EQ(rounds.AnswersToLast(), 0u);
  const Observation first = rounds.Answered({"a", "body"});
  rounds.Begin(first);
  EXPECT_EQ(rounds.AnswersToLast(), 1u);
  const Observation both = rounds.Answered({"b", "second"}, "first");
  ASSERT_EQ(both.hook_answers.size(), 3u);
  EXPECT_EQ(both.hook_answers[1], (HookAnswer{"b", "first"}));
  EXPECT_EQ(both.hook_answers[2], (HookAnswer{"b", "second"}));
  rounds.Begin(both);
  EXPECT_EQ(rounds.AnswersToLast(), 2u);
  rounds.Begin(rounds.Answered({"c", HookFailure()}, "first"));
  EXPECT_EQ(rounds.AnswersToLast(), 0u);
}

TEST(HookRounds, TheNumberOfRoundsIsLimited) {
  HookRounds rounds;
  rounds.Begin(Declared());
  for (size_t i = 0; i < kMaxHookRounds; ++i) {
    EXPECT_THAT(rounds.WhyNot(Request("next"), true), IsEmpty());
    rounds.Begin(rounds.Answered({absl::StrCat(i), "body"}));
  }
  EXPECT_THAT(rounds.WhyNot(Request("next"), true), HasSubstr("too many"));
}

TEST(HookRounds, AreEqualIfTheirObservationsAre) {
  HookRounds one, other;
  one.Begin(Declared());
  EXPECT_FALSE(one == other);
  other.Begin(Declared());
  EXPECT_TRUE(one == other);
  other.Begin(one.Answered({"a", "body"}));
  EXPECT_FALSE(one == other);
}

TEST(TakeAnswer, AReplyWithoutAnAnswerIsAFailure) {
  HookReply body{"body", "", false}, state{HookState(), "", false};
  EXPECT_EQ(TakeAnswer(Request("a"), &body), (HookAnswer{"a", "body"}));
  const HookAnswer answer = TakeAnswer(Request("a"), &state);
  EXPECT_EQ(std::get<HookFailure>(answer.result).code, HookFailureCode::kMalformed);
  EXPECT_EQ(state.result, (decltype(state.result){std::get<HookFailure>(answer.result)}));
}

}  // namespace
}  // namespace xebec::watcher::testing
