// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "applier/engine/testing/dispatcher_rig.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum OutcomeCode;

TEST(Dispatcher, BudgetIsSharedAmongParents) {
  DispatcherOptions options;
  options.budget.start = options.budget.max = 16;
  DispatcherRig bench(options);
  std::vector<Operation> many;
  for (int i = 0; i < 100; ++i) many.push_back(CreateOp(ChildOf(absl::StrCat("m", i), "p1")));
  bench.Submit(Numbered(1, {many}, "p1"));
  bench.Submit(Numbered(2, {{CreateOp(ChildOf("z", "p2"))}}, "p2"));
  bench.Answer();
  EXPECT_EQ(bench.waiting.size(), 12u) << "no more requests of one class than the budget allows";
  for (int i = 0; i < 40; ++i) bench.Answer();
  EXPECT_NE(bench.server.Get(PathOf("z")), nullptr)
      << "the small plan does not wait for the large one";
  EXPECT_LE(bench.dispatcher.budget().in_flight(), 16u);
  bench.AnswerAll();
  EXPECT_EQ(bench.ended.size(), 2u);
}

TEST(Dispatcher, EventsYieldToWrites) {
  DispatcherRig bench = WithTwoParentsAndOneRequestAtATime();
  bench.AnswerAll();
  ASSERT_EQ(bench.paths.size(), 5u);
  EXPECT_THAT(bench.paths[1], HasSubstr("POST /api/v1/namespaces/default/configmaps"));
  EXPECT_THAT(bench.paths[2], HasSubstr("POST /api/v1/namespaces/default/configmaps"));
  EXPECT_THAT(bench.paths[3], HasSubstr("POST /apis/events.k8s.io"));
}

TEST(Dispatcher, PlanThatExpiresWhileTheBudgetIsSpentIsReported) {
  DispatcherRig bench = WithTwoParentsAndOneRequestAtATime();
  bench.Answer();
  bench.now = At(absl::Seconds(13));
  bench.Take(bench.dispatcher.Tick(bench.now));
  ASSERT_EQ(bench.ended.size(), 1u);
  EXPECT_THAT(bench.Codes(0), ElementsAre(kNotStarted));
}

TEST(Dispatcher, DeletionsOfTheProcessAreDeferredBeyondTheirLimit) {
  DispatcherOptions options;
  options.policy.max_process_deletions = 1;
  DispatcherRig bench(options);
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

std::string UidOf(DispatcherRig* bench, const std::string& name) {
  return FindString(bench->server.Put(PathOf(name), ConfigMap(name)), {"metadata", "uid"});
}

/// An applier that may delete one object deletes `a`; the last answer is `answer`. Returns the code
/// of the deletion of `b` that follows.
OutcomeCode CodeOfSecondDeletion(const kube::ApiResponse& answer) {
  DispatcherOptions options;
  options.policy.max_process_deletions = 1;
  DispatcherRig bench(options);
  bench.Submit(Numbered(1, {{DeleteOp(ConfigMap("a"), UidOf(&bench, "a"))}}));
  bench.Answer();  // the Lease
  bench.Answer();  // the read
  bench.AnswerWith(answer);
  bench.Submit(Numbered(2, {{DeleteOp(ConfigMap("b"), UidOf(&bench, "b"))}}));
  bench.AnswerAll();
  return bench.Codes(1).at(0);
}

TEST(Dispatcher, DeletionWithAnUnknownResultCountsForTheLimitOfTheProcess) {
  kube::ApiResponse timeout;
  timeout.error = kube::TransportError::kTimeout;
  EXPECT_EQ(CodeOfSecondDeletion(timeout), kRefused);
  EXPECT_EQ(CodeOfSecondDeletion(StatusAnswer(500, "InternalError", "etcd")), kRefused);
}

TEST(Dispatcher, DeletionThatDeletedNothingDoesNotCount) {
  EXPECT_EQ(CodeOfSecondDeletion(StatusAnswer(429, "TooManyRequests", "slow down")), kDeleted);
  EXPECT_EQ(CodeOfSecondDeletion(StatusAnswer(404, "NotFound", "configmaps \"a\" not found",
                                              {{"name", "a"}, {"kind", "configmaps"}})),
            kDeleted);
}

TEST(Dispatcher, FiveHundredDeletionsDoNotReadFiveHundredObjectsAtOnce) {
  DispatcherRig bench;
  std::vector<Operation> many;
  for (int i = 0; i < 500; ++i) {
    const std::string name = absl::StrCat("m", i);
    many.push_back(DeleteOp(ConfigMap(name), UidOf(&bench, name)));
  }
  bench.Submit(Numbered(1, {many}));
  bench.Answer();  // the Lease
  EXPECT_EQ(bench.waiting.size(), 24u);
  size_t most = 0;
  while (!bench.waiting.empty()) {
    most = std::max(most, bench.waiting.size());
    bench.Answer();
  }
  EXPECT_LE(most, bench.dispatcher.budget().allowed());
  EXPECT_EQ(bench.Codes(0), std::vector<OutcomeCode>(500, kDeleted));
}

TEST(Dispatcher, ThrottledReadsShrinkTheBudget) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{DeleteOp(ConfigMap("a"), UidOf(&bench, "a"))}}));
  bench.Answer();  // the Lease
  bench.AnswerWith(StatusAnswer(429, "TooManyRequests", "slow down"));
  EXPECT_EQ(bench.dispatcher.budget().allowed(), 16u);
  EXPECT_THAT(bench.Codes(0), ElementsAre(kThrottled));
}

TEST(Dispatcher, RunsWhoseClassHasNoRoomDoNotHoldUpOthers) {
  DispatcherRig bench;
  std::vector<Operation> many;
  for (int i = 0; i < 100; ++i) many.push_back(CreateOp(ChildOf(absl::StrCat("m", i), "p1")));
  bench.Submit(Numbered(1, {many}, "p1"));
  bench.Answer();  // the Lease
  ASSERT_EQ(bench.waiting.size(), 24u) << "all that one class may use";
  Plan status = Numbered(2, {}, "parent-uid");
  status.status = StatusOf(1);
  bench.Submit(status);
  ASSERT_EQ(bench.waiting.size(), 25u);
  EXPECT_THAT(bench.waiting.back().request.path, HasSubstr("/status"));
  bench.AnswerAll();
  EXPECT_EQ(bench.ended.size(), 2u);
}

TEST(Dispatcher, RunsWhoseClassHasRoomAgainComeBeforeNewerOnes) {
  DispatcherOptions options;
  options.budget.start = options.budget.max = options.budget.min = 4;  // three for one class
  DispatcherRig bench(options);
  bench.Submit(Numbered(1, {{CreateOp(ChildOf("a", "p1"))}}, "p1"));
  bench.Submit(Numbered(2, {{CreateOp(ChildOf("newer", "p1"))}}, "p1"));
  for (int i = 2; i <= 4; ++i) {
    const std::string parent = absl::StrCat("p", i);
    bench.Submit(Numbered(i + 1, {{CreateOp(ChildOf(parent, parent))}}, parent));
  }
  bench.Answer();  // the Lease
  ASSERT_EQ(bench.waiting.size(), 3u);
  bench.Answer();  // a: the next plan of its parent starts
  ASSERT_EQ(bench.waiting.size(), 3u);
  EXPECT_TRUE(DispatcherRig::Creates(bench.waiting.back().request, "p4"));
  bench.AnswerAll();
  EXPECT_EQ(bench.ended.size(), 5u);
}

}  // namespace
}  // namespace xebec::applier
