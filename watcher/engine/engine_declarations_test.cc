// SPDX-License-Identifier: Apache-2.0
// Controllers that users declare: from the Operator to the plan that a hook decided.
#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/declarations_rig.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(EngineDeclarationsTest, TheParentsOfAnOperatorAreWatchedAndPlannedWithItsHook) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  const Observation facts = AnswerOperators();
  ASSERT_TRUE(facts.declaration_facts.has_value());
  EXPECT_EQ(facts.declaration_facts->resources.size(), 2u);
  EXPECT_TRUE(facts.declaration_facts->refusal.empty());
  const SendObservation first = AskForHook();
  ASSERT_NE(first.observation.declaration, nullptr);
  EXPECT_THAT(*first.observation.declaration, HasSubstr("hook:1"));
  EXPECT_EQ(first.observation.declared_resources.size(), 2u);
  EXPECT_EQ(first.observation.envelope.controller, "web");
  const std::vector<CallHook> calls = Calls();
  ASSERT_EQ(calls.size(), 1u);
  Answer(calls[0], std::string("answer"));
  const SendObservation second = t_.TakeObservation();
  ASSERT_EQ(second.observation.hook_answers.size(), 1u);
  EXPECT_EQ(second.observation.hook_answers[0], (HookAnswer{"digest", std::string("answer")}));
  Observation same = second.observation;
  same.hook_answers.clear();
  same.envelope.sequence = first.observation.envelope.sequence;
  EXPECT_TRUE(same == first.observation) << "it is frozen";
  t_.Feed(PlanArrived{second.sequence, MakeWidgetPlan(second.observation)});
  t_.AnswerPlan();
  EXPECT_EQ(t_.cluster.All(PartType()).size(), 1u);
}

TEST_F(EngineDeclarationsTest, AFirstFailureIsRetriedAndTheSecondIsPlanned) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  AskForHook();
  const HookFailure failure{HookFailureCode::kTimeout, "no answer", {}};
  Answer(Calls().at(0), failure);
  EXPECT_THAT(t_.observations, IsEmpty());
  EXPECT_THAT(t_.plans, IsEmpty());
  t_.Advance(absl::Seconds(5));
  AskForHook();
  Answer(Calls().at(0), failure);
  const SendObservation shown = t_.TakeObservation();
  ASSERT_EQ(shown.observation.hook_answers.size(), 1u);
  EXPECT_EQ(std::get<HookFailure>(shown.observation.hook_answers[0].result), failure);
}

TEST_F(EngineDeclarationsTest, TheOperatorGetsAnExampleOfWhatFails) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  AnswerPoll({true, "r1", ""});
  FailCalls(2);
  t_.Advance(absl::Seconds(6));
  const Observation facts = AnswerOperators();
  ASSERT_TRUE(facts.declaration_facts.has_value());
  EXPECT_EQ(facts.declaration_facts->problems, 1u);
  EXPECT_EQ(facts.declaration_facts->failure, "default/w: no connection");
}

TEST_F(EngineDeclarationsTest, TheOperatorShowsWhichResourceCannotBeRead) {
  Start();
  AnswerOperators();
  const ApiFailure forbidden{403, "Forbidden", "", std::nullopt};
  t_.Feed(WatchEnded{t_.StreamOf(PartType()), forbidden});
  t_.Advance(absl::Seconds(6));
  const Observation facts = AnswerOperators();
  ASSERT_TRUE(facts.declaration_facts.has_value());
  const DeclaredResource& parts = facts.declaration_facts->resources.at(1);
  EXPECT_EQ(parts.type, PartType());
  EXPECT_THAT(parts.problem, HasSubstr("parts may not be listed or watched (403)"));
  EXPECT_EQ(facts.declaration_facts->resources.at(0).problem, "");
}

TEST_F(EngineDeclarationsTest, FiguresTellHowTheHookIsCalled) {
  for (const char* name : {"v", "w"}) t_.cluster.SetWidget(name, 1, 7);
  Start();
  AnswerOperators();
  const auto web = [&] { return FiguresOfWeb(); };
  EXPECT_TRUE(web().declared);
  EXPECT_EQ(web().hook_limit, 8u);
  AskForHook();
  EXPECT_EQ(web().hook_asked, 1u);
  t_.now.monotonic += absl::Seconds(2);
  Answer(Calls().at(0), HookFailure{HookFailureCode::kTimeout, "no answer", {}});
  EXPECT_EQ(web().hook_calls, (Counts{{"timeout", 1}}));
  EXPECT_EQ(web().hook_seconds.sum_seconds, 2);
  EXPECT_EQ(web().hook_limit, 4u);
  EXPECT_EQ(web().hook_asked, 0u);
  t_.Feed(CreditsChanged{4, 4, 0});
  for (const char* name : {"x", "y"}) t_.cluster.SetWidget(name, 1, 7);
  t_.Deliver();
  EXPECT_GE(web().hook_waiting, 2u);
  t_.cluster.Remove(OperatorType(), {"", "web"});
  Complete();
  EXPECT_FALSE(web().declared) << "the figures of an Operator go with it";
}

TEST_F(EngineDeclarationsTest, AnAnswerForAnOlderDeclarationIsDropped) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  AskForHook();
  const CallHook call = Calls().at(0);
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["configuration"] = {{"x", 1}};
  t_.cluster.SetOperator("web", spec);
  Complete();
  Answer(call, std::string("answer"));
  AnswerOperators();
  const SendObservation next = t_.TakeObservation();
  EXPECT_THAT(next.observation.hook_answers, IsEmpty());
  EXPECT_THAT(*next.observation.declaration, HasSubstr("configuration"));
}

TEST_F(EngineDeclarationsTest, AHookThatHangsStopsItsOwnParentsAlone) {
  for (int i = 0; i < 20; ++i) t_.cluster.SetWidget("w" + std::to_string(i), 1, 7);
  Start();
  AnswerOperators();
  size_t asked = 0;
  const HookFailure failure{HookFailureCode::kTimeout, "no answer", {}};
  for (int round = 0; round < 20 && !t_.observations.empty(); ++round) {
    AskForHook();
    for (const CallHook& call : Calls()) {
      ++asked;
      Answer(call, failure);
    }
  }
  EXPECT_LE(asked, 8u) << "the breaker opens";
  t_.cluster.SetOperator("other", {{"parent", {{"version", "v1"}, {"resource", "none"}}}});
  Complete();
  EXPECT_TRUE(AnswerOperators().declaration_facts.has_value());
  t_.Advance(absl::Seconds(1));
  AskForHook();
  EXPECT_EQ(Calls().size(), 1u) << "one probe";
}

// The other parent has no failed call.
TEST_F(EngineDeclarationsTest, AParentWithFailedCallsIsPlannedWhenTheHookIsAvailableAgain) {
  t_.cluster.SetWidget("good", 1, 7);
  Start();
  AskForHook();
  Answer(Calls().at(0), std::string("answer"));
  AnswerNothing();
  t_.cluster.SetWidget("bad", 1, 7);
  Complete();
  FailCalls(7);
  AnswerPoll(HookState{false, "", "no connection"});
  t_.Advance(absl::Milliseconds(600));
  AnswerOperators();
  EXPECT_THAT(t_.observations, IsEmpty()) << "the breaker is open";
  AnswerPoll(HookState{true, "r1", ""});
  t_.Advance(absl::Seconds(1));
  AnswerOperators();
  ASSERT_EQ(t_.observations.size(), 1u);
  EXPECT_THAT(*t_.TakeObservation().observation.parent, HasSubstr("\"bad\""));
}

TEST_F(EngineDeclarationsTest, WithoutAGatewayNoParentIsPlannedAndTheOperatorSaysSo) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  AnswerOperators();
  AskForHook();
  Answer(Calls().at(0), std::string("answer"));
  t_.TakeObservation();
  t_.Feed(CreditsChanged{4, 4, 0});
  t_.cluster.SetWidget("v", 1, 7);
  t_.Advance(absl::Minutes(1));
  t_.Deliver();
  const Observation facts = AnswerOperators();
  EXPECT_FALSE(facts.declaration_facts->hook->available);
  EXPECT_THAT(facts.declaration_facts->hook->message, HasSubstr("no gateway"));
  EXPECT_THAT(t_.observations, IsEmpty());
}

TEST_F(EngineDeclarationsTest, AfterARestartAnOperatorIsPlannedWhenWhatItShowsIsKnown) {
  t_.cluster.SetWidget("w", 1, 7);
  t_.cluster.SetOperator("web", FakeCluster::OperatorOfWidgets());
  t_.cluster.SetOperatorShown("web");
  t_.Feed(DescriptionArrived{OperatorDescription()});
  t_.Feed(CreditsChanged{4, 4, 0});
  Complete();
  t_.Feed(CreditsChanged{4, 4, 64});
  Complete();
  EXPECT_FALSE(AnswerOperators().declaration_facts.has_value()) << "the hook has not answered";
  for (const CallHook& call : t_.Take<CallHook>()) Answer(call, HookState{true, "r1", ""});
  t_.Advance(absl::Milliseconds(100));
  const Observation facts = AnswerOperators();
  ASSERT_TRUE(facts.declaration_facts.has_value());
  EXPECT_EQ(facts.declaration_facts->parents, 1u);
  EXPECT_TRUE(facts.declaration_facts->hook->available);
  t_.Advance(absl::Seconds(10));
  t_.Deliver();
  EXPECT_FALSE(AnswerOperators().declaration_facts.has_value()) << "nothing is new";
}

TEST_F(EngineDeclarationsTest, AfterARestartAnOperatorWaitsForItsHookForSomeTimeOnly) {
  t_.cluster.SetOperator("web", FakeCluster::OperatorOfWidgets());
  t_.cluster.SetOperatorShown("web");
  t_.Feed(DescriptionArrived{OperatorDescription()});
  t_.Feed(CreditsChanged{4, 4, 64});
  Complete();
  EXPECT_FALSE(AnswerOperators().declaration_facts.has_value());
  t_.Advance(absl::Seconds(6));
  const Observation facts = AnswerOperators();
  ASSERT_TRUE(facts.declaration_facts.has_value());
  EXPECT_FALSE(facts.declaration_facts->hook.has_value());
}

TEST_F(EngineDeclarationsTest, AnInvalidOperatorDoesNotWait) {
  t_.cluster.SetOperator("web", {{"parent", {{"group", "example.com"}}}});
  t_.cluster.SetOperatorShown("web");
  t_.Feed(DescriptionArrived{OperatorDescription()});
  t_.Feed(CreditsChanged{4, 4, 64});
  Complete();
  EXPECT_TRUE(AnswerOperators().declaration_facts.has_value());
}

TEST_F(EngineDeclarationsTest, TheSecondWriterOfAStatusIsRefused) {
  Start();
  t_.cluster.SetOperator("younger", FakeCluster::OperatorOfWidgets());
  Complete();
  AnswerOperators();
  const auto observation = t_.engine.Observe({OperatorType(), "", "younger"}, t_.now);
  ASSERT_TRUE(observation.has_value());
  EXPECT_THAT(observation->declaration_facts->refusal, HasSubstr("the operator web writes"));
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["status"] = false;
  t_.cluster.SetOperator("younger", spec);
  Complete();
  EXPECT_EQ(t_.engine.Observe({OperatorType(), "", "younger"}, t_.now)->declaration_facts->refusal,
            "");
}

TEST_F(EngineDeclarationsTest, SeveralControllersPlanOneParent) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["status"] = false;
  t_.cluster.SetOperator("second", spec);
  Complete();
  std::set<std::string> controllers;
  while (!t_.observations.empty()) {
    AnswerOperators();
    if (t_.observations.empty()) break;
    controllers.insert(AskForHook().observation.envelope.controller);
  }
  EXPECT_EQ(controllers, (std::set<std::string>{"web", "second"}));
}

TEST_F(EngineDeclarationsTest, TheKeysOfAllControllersOfAParentAreListed) {
  for (const char* name : {"v", "w"}) t_.cluster.SetWidget(name, 1, 7);
  Start();
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["status"] = false;
  t_.cluster.SetOperator("second", spec);
  Complete();
  const auto widgets = [](const ResourceType& type) { return type == WidgetType(); };
  for (const size_t limit : {1, 2, 3, 4, 9}) {
    std::vector<std::string> listed;
    std::string token;
    do {
      const KeyPage page = t_.engine.List(widgets, "", token, limit);
      EXPECT_LE(page.keys.size(), limit);
      for (const KeyView& key : page.keys) listed.push_back(key.ref.name + " " + key.controller);
      token = page.next;
    } while (!token.empty());
    EXPECT_THAT(listed, ::testing::ElementsAre("v second", "v web", "w second", "w web"));
  }
  for (const char* controller : {"second", "web"}) {
    const auto observation = t_.engine.Observe({WidgetType(), "default", "w"}, t_.now, controller);
    ASSERT_TRUE(observation.has_value());
    EXPECT_EQ(observation->envelope.controller, controller);
  }
}

TEST_F(EngineDeclarationsTest, AResourceThatAppearsLaterIsFound) {
  t_.unserved = {"parts"};
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  const Observation facts = AnswerOperators();
  EXPECT_THAT(facts.declaration_facts->resources[1].problem, HasSubstr("parts/v1"));
  EXPECT_THAT(t_.observations, IsEmpty());
  t_.unserved = {};
  t_.Advance(absl::Seconds(11));
  Complete();
  AskForHook();
  EXPECT_EQ(Calls().size(), 1u);
}

TEST_F(EngineDeclarationsTest, OtherWatchesGoOnWhileDeclarationsComeAndGo) {
  PlannerDescription description = WidgetDescription();
  description.kinds.push_back(OperatorDescription().kinds[0]);
  t_.cluster.SetWidget("w", 1, 7);
  t_.Start(description);
  t_.RunReconciles();
  t_.Feed(CreditsChanged{4, 4, 64});
  const StreamId widgets = t_.StreamOf(WidgetType()), parts = t_.StreamOf(PartType());
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["parent"]["resource"] = "scraps";
  spec["parent"]["group"] = "";
  for (int i = 0; i < 100; ++i) {
    t_.cluster.SetOperator("op" + std::to_string(i % 10), spec);
    Complete();
    if (i % 3 == 0) t_.cluster.Remove(OperatorType(), {"", "op" + std::to_string(i % 10)});
    Complete();
  }
  EXPECT_EQ(t_.StreamOf(WidgetType()), widgets);
  EXPECT_EQ(t_.StreamOf(PartType()), parts);
  EXPECT_EQ(t_.Key("w").state, KeyState::kIdle) << "and nothing is planned again";
}

TEST_F(EngineDeclarationsTest, ABuiltInKindIsRefused) {
  PlannerDescription description = WidgetDescription();
  description.kinds.push_back(OperatorDescription().kinds[0]);
  t_.cluster.SetOperator("web", FakeCluster::OperatorOfWidgets());
  t_.Start(description);
  Complete();
  EXPECT_THAT(t_.engine.Observe({OperatorType(), "", "web"}, t_.now)->declaration_facts->refusal,
              HasSubstr("widgets.example.com is planned by the built-in controller"));
}

TEST_F(EngineDeclarationsTest, AHookThatAsksForAPauseIsNotCalledBeforeItEnds) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  AskForHook();
  Answer(Calls().at(0), std::string("later"));
  Decide("HookError", absl::Minutes(20));
  t_.Advance(absl::Minutes(20) - absl::Seconds(1));
  AnswerOperators();
  EXPECT_THAT(t_.observations, IsEmpty());
  t_.Advance(absl::Seconds(1));
  AnswerOperators();
  EXPECT_EQ(t_.observations.size(), 1u);
}

TEST_F(EngineDeclarationsTest, AParentIsPlannedAgainIfAnotherProgramThanTheKnownOneDecided) {
  t_.cluster.SetWidget("w", 1, 7);
  Start();
  AnswerPoll(HookState{true, "r2", ""});
  AskForHook();
  Answer(Calls().at(0), std::string("of r1"));  // another gateway still calls r1
  AnswerNothing();
  t_.Advance(absl::Seconds(11));
  AskForHook();
  const CallHook call = Calls().at(0);
  t_.Feed(HookAnswered{call.sequence, {std::string("of r2"), "r2", false}});
  AnswerNothing();
  t_.Advance(absl::Minutes(1));
  AnswerOperators();
  EXPECT_THAT(t_.observations, IsEmpty());
}

}  // namespace
}  // namespace xebec::watcher::testing
