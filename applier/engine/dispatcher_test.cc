// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/dispatcher.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "applier/engine/testing/plan_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using enum OutcomeCode;

constexpr char kLeasePath[] =
    "/apis/coordination.k8s.io/v1/namespaces/xebec-system/leases/xebec-watcher-0";

/// A dispatcher between a test and a fake server: requests wait until the test lets them through.
class Bench {
 public:
  explicit Bench(DispatcherOptions options = {}) : dispatcher(std::move(options)) {
    server = ServerWithParent();
    SetLease(5);
    Take(dispatcher.Open(1));
  }

  void SetLease(uint64_t transitions) {
    server.Put(kLeasePath, {{"kind", "Lease"}, {"spec", {{"leaseTransitions", transitions}}}});
  }

  void Take(DispatcherOutputs outputs) {
    for (DispatcherOutput& output : outputs) {
      if (auto* send = std::get_if<SendRequest>(&output)) {
        waiting.push_back(std::move(*send));
      } else if (auto* ended_plan = std::get_if<PlanEnded>(&output)) {
        ended.push_back(std::move(*ended_plan));
      } else {
        credits[std::get<GrantCredits>(output).stream] += std::get<GrantCredits>(output).count;
      }
    }
  }

  void Submit(const Plan& plan, StreamKey stream = 1) {
    Take(dispatcher.Submit(stream, plan.envelope.sequence, plan, std::string(32, 'r'), now));
  }

  /// Answers the request that has waited longest.
  void Answer() {
    ASSERT_FALSE(waiting.empty());
    const SendRequest request = waiting.front();
    waiting.erase(waiting.begin());
    paths.push_back(absl::StrCat(request.request.method, " ", request.request.path));
    Take(dispatcher.OnAnswer(request.id, server.Handle(request.request), absl::Milliseconds(5),
                             now));
  }

  void AnswerAll() {
    while (!waiting.empty()) Answer();
  }

  std::vector<OutcomeCode> Codes(size_t plan) const {
    std::vector<OutcomeCode> codes;
    for (const Outcome& o : ended.at(plan).report.outcomes) codes.push_back(o.code);
    return codes;
  }

  Dispatcher dispatcher;
  FakeApiServer server;
  Instant now = At();
  std::vector<SendRequest> waiting;
  std::vector<PlanEnded> ended;
  std::vector<std::string> paths;
  std::map<StreamKey, uint32_t> credits;
};

Plan Numbered(uint64_t sequence, std::vector<std::vector<Operation>> stages,
              const std::string& uid = "parent-uid") {
  Plan plan = MakePlan(std::move(stages));
  plan.envelope.sequence = sequence;
  plan.envelope.parent.uid = uid;
  return plan;
}

Json ChildOf(const std::string& name, const std::string& parent_uid) {
  Json child = ConfigMap(name);
  child["metadata"]["ownerReferences"][0]["uid"] = parent_uid;
  return child;
}

Bench WithTwoParentsAndOneWriteAtATime() {
  DispatcherOptions options;
  options.budget.start = options.budget.max = options.budget.min = 1;
  Bench bench(options);
  bench.Submit(Numbered(1, {{CreateOp(ChildOf("a", "p1"))}}, "p1"));
  bench.Submit(Numbered(2, {{CreateOp(ChildOf("b", "p2"))}}, "p2"));
  return bench;
}

TEST(Dispatcher, ReadsTheLeaseBeforeTheFirstPlanAndNotBeforeTheSecond) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  ASSERT_EQ(bench.waiting.size(), 1u);
  EXPECT_EQ(bench.waiting[0].request.path, kLeasePath);
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kCreated));
  EXPECT_EQ(bench.ended[0].report.highest_epoch, 5u);
  bench.paths.clear();
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("b"))}}));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(1), ElementsAre(kCreated));
  EXPECT_THAT(bench.paths, ::testing::Not(::testing::Contains(HasSubstr("leases"))));
}

TEST(Dispatcher, LeaseIsReadAgainBesideTheWorkBeforeItsKnowledgeIsOld) {
  DispatcherOptions options;
  options.policy.events = false;
  Bench bench(options);
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerAll();
  bench.now = At(absl::Seconds(3));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("b"))}}));
  ASSERT_EQ(bench.waiting.size(), 2u) << "the write does not wait for the Lease";
  bench.AnswerAll();
  bench.now = At(absl::Seconds(6));
  bench.Submit(Numbered(3, {{CreateOp(ConfigMap("c"))}}));
  EXPECT_TRUE(std::any_of(bench.waiting.begin(), bench.waiting.end(), [](const SendRequest& r) {
    return absl::StrContains(r.request.path, "configmaps/c");
  }));
}

TEST(Dispatcher, PlanOfADeposedWatcherIsFencedAndToldTheHighestEpoch) {
  Bench bench;
  bench.SetLease(9);
  Plan plan = Numbered(1, {{CreateOp(ConfigMap("a"))}});
  plan.status = StatusOf(0);
  bench.Submit(plan);
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kFenced, kFenced));
  EXPECT_EQ(bench.ended[0].report.highest_epoch, 9u);
  EXPECT_EQ(bench.server.Get(PathOf("a")), nullptr);
}

TEST(Dispatcher, DeletedLeaseStopsNothing) {
  Bench bench;
  bench.server.FinishDeletion(kLeasePath);
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kCreated));
}

TEST(Dispatcher, LeaseThatCannotBeReadStartsNothing) {
  Bench bench;
  bench.server.forbidden = {"GET leases"};
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kNotStarted));
  EXPECT_THAT(bench.ended[0].report.outcomes[0].message, HasSubstr("xebec-system/xebec-watcher-0"));
  EXPECT_TRUE(bench.dispatcher.Idle());
}

TEST(Dispatcher, AnApiServerThatTakesSixSecondsStopsNoPlan) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.now = At(absl::Seconds(6));
  bench.Answer();
  ASSERT_EQ(bench.waiting.size(), 2u) << "the Lease for the plans to come, and the write";
  EXPECT_THAT(bench.waiting[1].request.path, HasSubstr("configmaps/a"));
}

TEST(Dispatcher, SecondPlanWithTheSameSequenceOnAStreamIsFenced) {
  Bench bench;
  bench.Submit(Numbered(3, {{CreateOp(ConfigMap("a"))}}));
  bench.Submit(Numbered(3, {{CreateOp(ConfigMap("b"))}}));
  EXPECT_THAT(bench.Codes(0), ElementsAre(kFenced));
  EXPECT_EQ(bench.ended[0].report.outcomes[0].reason, "Sequence");
  bench.AnswerAll();
  EXPECT_EQ(bench.server.Get(PathOf("b")), nullptr);
}

TEST(Dispatcher, PlanWithoutUidIsRefused) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}, ""));
  EXPECT_THAT(bench.Codes(0), ElementsAre(kRefused));
  EXPECT_THAT(bench.waiting, IsEmpty());
}

TEST(Dispatcher, PlansOfOneParentRunOneAfterTheOther) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("b"))}}));
  bench.Answer();  // the Lease
  ASSERT_EQ(bench.waiting.size(), 1u);
  EXPECT_THAT(bench.waiting[0].request.path, HasSubstr("configmaps/a"));
  bench.Answer();
  ASSERT_EQ(bench.waiting.size(), 2u) << "b, and the event on a";
  EXPECT_TRUE(std::any_of(bench.waiting.begin(), bench.waiting.end(), [](const SendRequest& r) {
    return absl::StrContains(r.request.path, "configmaps/b");
  }));
  bench.AnswerAll();
  EXPECT_EQ(bench.ended.size(), 2u);
}

TEST(Dispatcher, PlansOfDifferentParentsRunAtOnce) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ChildOf("a", "p1"))}}, "p1"));
  bench.Submit(Numbered(2, {{CreateOp(ChildOf("b", "p2"))}}, "p2"));
  bench.Answer();
  EXPECT_EQ(bench.waiting.size(), 2u);
}

TEST(Dispatcher, BudgetIsSharedAmongParents) {
  DispatcherOptions options;
  options.budget.start = options.budget.max = 16;
  Bench bench(options);
  std::vector<Operation> many;
  for (int i = 0; i < 100; ++i) many.push_back(CreateOp(ChildOf(absl::StrCat("m", i), "p1")));
  bench.Submit(Numbered(1, {many}, "p1"));
  bench.Submit(Numbered(2, {{CreateOp(ChildOf("z", "p2"))}}, "p2"));
  bench.Answer();
  EXPECT_EQ(bench.waiting.size(), 16u) << "no more writes than the budget allows";
  for (int i = 0; i < 40; ++i) bench.Answer();
  EXPECT_NE(bench.server.Get(PathOf("z")), nullptr)
      << "the small plan does not wait for the large one";
  EXPECT_LE(bench.dispatcher.budget().in_flight(), 16u);
  bench.AnswerAll();
  EXPECT_EQ(bench.ended.size(), 2u);
}

TEST(Dispatcher, EventsYieldToWrites) {
  Bench bench = WithTwoParentsAndOneWriteAtATime();
  bench.AnswerAll();
  ASSERT_EQ(bench.paths.size(), 5u);
  EXPECT_THAT(bench.paths[1], HasSubstr("configmaps/a"));
  EXPECT_THAT(bench.paths[2], HasSubstr("configmaps/b"));
  EXPECT_THAT(bench.paths[3], HasSubstr("POST /apis/events.k8s.io"));
}

TEST(Dispatcher, EventsCanBeSwitchedOff) {
  DispatcherOptions options;
  options.policy.events = false;
  Bench bench(options);
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerAll();
  EXPECT_EQ(bench.paths.size(), 2u);
}

TEST(Dispatcher, ClosedStreamStartsNothingMore) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}}));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("c"))}}));
  bench.Answer();  // the Lease; a is in flight
  bench.Take(bench.dispatcher.Close(1, bench.now));
  bench.AnswerAll();
  EXPECT_NE(bench.server.Get(PathOf("a")), nullptr);
  EXPECT_EQ(bench.server.Get(PathOf("b")), nullptr);
  EXPECT_EQ(bench.server.Get(PathOf("c")), nullptr);
  EXPECT_EQ(bench.dispatcher.plans(), 0u);
}

TEST(Dispatcher, StreamClosedWhileTheLeaseIsReadStartsNothing) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.Take(bench.dispatcher.Close(1, bench.now));
  bench.AnswerAll();
  EXPECT_EQ(bench.server.Get(PathOf("a")), nullptr);
  EXPECT_TRUE(bench.dispatcher.Idle());
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("b"))}}), 2);
  bench.AnswerAll();
  EXPECT_NE(bench.server.Get(PathOf("b")), nullptr)
      << "the parent is not held up by the dropped plan";
}

TEST(Dispatcher, CancelledUnaryPlanStartsNothingMore) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}}), 0);
  bench.Answer();
  bench.Take(bench.dispatcher.Cancel(0, 1, bench.now));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kCreated, kNotStarted));
}

TEST(Dispatcher, DrainingAppliersSendNewPlansBackAndFinishTheOthers) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}}));
  bench.dispatcher.Drain();
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("c"))}}));
  EXPECT_THAT(bench.Codes(0), ElementsAre(kNotStarted));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(1), ElementsAre(kCreated, kCreated));
}

TEST(Dispatcher, AbortAllReportsWhatWasNotStarted) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}, {CreateOp(ConfigMap("b"))}}));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("c"))}}));
  bench.Answer();
  bench.Take(bench.dispatcher.AbortAll(bench.now));
  bench.AnswerAll();
  ASSERT_EQ(bench.ended.size(), 2u);
  EXPECT_THAT(bench.Codes(0), ElementsAre(kNotStarted));
  EXPECT_THAT(bench.Codes(1), ElementsAre(kCreated, kNotStarted));
  EXPECT_EQ(bench.dispatcher.plans(), 0u);
}

TEST(Dispatcher, AfterAbortAllNoEventIsSent) {
  Bench bench = WithTwoParentsAndOneWriteAtATime();
  while (bench.ended.size() < 2) bench.Answer();
  bench.Take(bench.dispatcher.AbortAll(bench.now));
  ASSERT_EQ(bench.waiting.size(), 1u) << "the event that is in flight";
  bench.Answer();
  EXPECT_TRUE(bench.dispatcher.Idle());
  EXPECT_EQ(bench.dispatcher.waiting_events(), 0u);
  EXPECT_GT(bench.dispatcher.dropped_events(), 0u);
}

TEST(Dispatcher, PlanThatExpiresWhileTheBudgetIsSpentIsReported) {
  Bench bench = WithTwoParentsAndOneWriteAtATime();
  bench.Answer();
  bench.now = At(absl::Seconds(13));
  bench.Take(bench.dispatcher.Tick(bench.now));
  ASSERT_EQ(bench.ended.size(), 1u);
  EXPECT_THAT(bench.Codes(0), ElementsAre(kNotStarted));
}

TEST(Dispatcher, DeletionsOfTheProcessAreHeldBeyondTheirLimit) {
  DispatcherOptions options;
  options.policy.max_process_deletions = 1;
  Bench bench(options);
  const auto uid = [&](const std::string& name) {
    return FindString(bench.server.Put(PathOf(name), ConfigMap(name)), {"metadata", "uid"});
  };
  bench.Submit(Numbered(1, {{DeleteOp(ConfigMap("a"), uid("a"))}}));
  bench.AnswerAll();
  bench.Submit(Numbered(2, {{DeleteOp(ConfigMap("b"), uid("b"))}}));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(1), ElementsAre(kRefused));
  EXPECT_THAT(bench.ended[1].report.outcomes[0].message, HasSubstr("maxProcessDeletions"));
  EXPECT_NE(bench.server.Get(PathOf("b")), nullptr);
}

TEST(Dispatcher, StreamsAreGrantedCreditsWithinTheProcessLimit) {
  DispatcherOptions options;
  options.credits_per_stream = 4;
  options.credits_total = 6;
  Bench bench(options);
  bench.Take(bench.dispatcher.Open(2));
  bench.Take(bench.dispatcher.Open(3));
  EXPECT_EQ(bench.credits[1], 4u);
  EXPECT_EQ(bench.credits[2], 2u);
  EXPECT_EQ(bench.credits[3], 1u) << "every stream can have one plan at least";
  bench.Take(bench.dispatcher.Close(1, bench.now));
  EXPECT_EQ(bench.credits[2] + bench.credits[3], 6u);
}

TEST(Dispatcher, CopyOfItContinuesIndependently) {
  Bench bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  Bench copy = bench;
  bench.AnswerAll();
  EXPECT_EQ(copy.ended.size(), 0u);
  copy.AnswerAll();
  EXPECT_EQ(copy.ended.size(), 1u);
  EXPECT_EQ(copy.ended[0].report, bench.ended[0].report);
}

}  // namespace
}  // namespace xebec::applier
