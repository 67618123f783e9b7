// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "applier/engine/testing/dispatcher_rig.h"
#include "common/model/bucket.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using enum OutcomeCode;

TEST(Dispatcher, ReadsTheAssignmentBeforeTheFirstPlanAndNotBeforeTheSecond) {
  DispatcherRig bench;
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

TEST(Dispatcher, AssignmentIsReadAgainBesideTheWorkBeforeItsKnowledgeIsOld) {
  DispatcherOptions options;
  options.policy.events = false;
  DispatcherRig bench(options);
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerAll();
  bench.now = At(absl::Seconds(3));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("b"))}}));
  ASSERT_EQ(bench.waiting.size(), 2u) << "the write does not wait for the Lease";
  bench.AnswerAll();
  bench.now = At(absl::Seconds(6));
  bench.Submit(Numbered(3, {{CreateOp(ConfigMap("c"))}}));
  EXPECT_TRUE(std::any_of(bench.waiting.begin(), bench.waiting.end(), [](const SendRequest& r) {
    return DispatcherRig::Creates(r.request, "c");
  }));
}

TEST(Dispatcher, PlanOfADeposedWatcherIsFencedAndToldTheHighestEpoch) {
  DispatcherRig bench;
  bench.SetAssignment(9);
  Plan plan = Numbered(1, {{CreateOp(ConfigMap("a"))}});
  plan.status = StatusOf(0);
  bench.Submit(plan);
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kFenced, kFenced));
  EXPECT_EQ(bench.ended[0].report.highest_epoch, 9u);
  EXPECT_EQ(bench.server.Get(PathOf("a")), nullptr);
}

Plan InBucket(uint32_t bucket, uint64_t sequence, const std::string& uid) {
  Plan plan = Numbered(sequence, {{CreateOp(ChildOf(uid, uid))}}, uid);
  plan.envelope.bucket = bucket;
  plan.envelope.bucket_count = 2;
  return plan;
}

TEST(Dispatcher, ReadsTheAssignmentOnceForPlansOfAllBuckets) {
  DispatcherRig bench;
  bench.SetAssignment(5, /*buckets=*/2);
  std::string uids[2];
  for (int i = 0; uids[0].empty() || uids[1].empty(); ++i) {
    const std::string uid = absl::StrCat("p", i);
    uids[BucketOf(uid, 2)] = uid;
  }
  bench.Submit(InBucket(0, 1, uids[0]));
  bench.Submit(InBucket(1, 2, uids[1]));
  ASSERT_EQ(bench.waiting.size(), 1u);
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kCreated));
  EXPECT_THAT(bench.Codes(1), ElementsAre(kCreated));
}

TEST(Dispatcher, PlanWithAnotherNumberOfBucketsIsFencedAfterOneMoreRead) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerAll();
  bench.paths.clear();
  Plan plan = Numbered(2, {{CreateOp(ConfigMap("b"))}});
  plan.envelope.bucket_count = 4;
  plan.envelope.bucket = BucketOf(plan.envelope.parent.uid, 4);
  bench.Submit(plan);
  bench.AnswerAll();
  EXPECT_THAT(bench.paths, ElementsAre(absl::StrCat("GET ", kLeasePath)));
  EXPECT_THAT(bench.Codes(1), ElementsAre(kFenced));
  EXPECT_EQ(bench.ended[1].report.outcomes[0].reason, "BucketCount");
  EXPECT_THAT(bench.ended[1].report.outcomes[0].message, HasSubstr("into 4 buckets"));
  EXPECT_EQ(bench.ended[1].report.highest_epoch, 0u);
}

// The clock of the applier may be behind, so that the plan does not expire.
TEST(Dispatcher, APlanIsTooOldEvenIfItWaitedForTheAssignment) {
  DispatcherRig bench;
  Plan plan = Numbered(1, {{CreateOp(ConfigMap("a"))}});
  plan.envelope.not_after = absl::InfiniteFuture();
  bench.Submit(plan);
  bench.now = At(absl::Seconds(13));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kNotStarted));
  EXPECT_EQ(bench.server.Get(PathOf("a")), nullptr);
}

TEST(Dispatcher, DeletedAssignmentStopsNothing) {
  DispatcherRig bench;
  bench.server.FinishDeletion(kLeasePath);
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kCreated));
}

TEST(Dispatcher, AssignmentThatCannotBeReadStartsNothing) {
  DispatcherRig bench;
  bench.server.forbidden = {"GET leases"};
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kUnavailable));
  EXPECT_EQ(bench.ended[0].report.outcomes[0].reason, "LeaseUnreadable");
  EXPECT_THAT(bench.ended[0].report.outcomes[0].message,
              HasSubstr("xebec-system/xebec-watcher-assignment"));
  EXPECT_THAT(bench.dispatcher.health().Problem(bench.now), HasSubstr("leases"));
  EXPECT_TRUE(bench.dispatcher.Idle());
  bench.server.forbidden.clear();
  bench.Tick(absl::Seconds(1));
  bench.AnswerAll();
  EXPECT_EQ(bench.dispatcher.health().Problem(bench.now), "");
}

TEST(Dispatcher, AnApiServerThatTakesSixSecondsStopsNoPlan) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.now = At(absl::Seconds(6));
  bench.Answer();
  ASSERT_EQ(bench.waiting.size(), 2u) << "the Lease for the plans to come, and the write";
  EXPECT_TRUE(DispatcherRig::Creates(bench.waiting[1].request, "a"));
}

TEST(Dispatcher, StreamClosedWhileTheAssignmentIsReadStartsNothing) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.Take(bench.dispatcher.Close(1, bench.now));
  bench.AnswerAll();
  EXPECT_EQ(bench.server.Get(PathOf("a")), nullptr);
  EXPECT_TRUE(bench.dispatcher.Idle());
  bench.Take(bench.dispatcher.Open(2));
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("b"))}}), 2);
  bench.AnswerAll();
  EXPECT_NE(bench.server.Get(PathOf("b")), nullptr)
      << "the parent is not held up by the dropped plan";
}

kube::ApiResponse Throttled(absl::Duration wait) {
  kube::ApiResponse response = StatusAnswer(429, "TooManyRequests", "slow down");
  response.retry_after = wait;
  return response;
}

TEST(Dispatcher, AThrottledReadOfTheAssignmentIsRepeatedOnceForAllPlansThatWait) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ChildOf("a", "p1"))}}, "p1"));
  bench.Submit(Numbered(2, {{CreateOp(ChildOf("b", "p2"))}}, "p2"));
  bench.AnswerWith(Throttled(absl::Seconds(2)));
  EXPECT_TRUE(bench.ended.empty());
  bench.Tick(absl::Seconds(1));
  EXPECT_TRUE(bench.waiting.empty()) << "the API server asked for two seconds";
  bench.Tick(absl::Seconds(2));
  ASSERT_EQ(bench.waiting.size(), 1u);
  bench.AnswerAll();
  EXPECT_THAT(bench.Codes(0), ElementsAre(kCreated));
  EXPECT_THAT(bench.Codes(1), ElementsAre(kCreated));
}

TEST(Dispatcher, PlansOfAReadThatIsThrottledTwiceSayWhenToRetry) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.AnswerWith(Throttled(absl::Seconds(1)));
  bench.Tick(absl::Seconds(1));
  bench.AnswerWith(Throttled(absl::Seconds(4)));
  EXPECT_THAT(bench.Codes(0), ElementsAre(kThrottled));
  EXPECT_EQ(bench.ended[0].report.retry_after, absl::Seconds(4));
  EXPECT_EQ(bench.dispatcher.health().Problem(bench.now), "")
      << "throttling says nothing about the Lease";
}

TEST(Dispatcher, AnApiServerThatCannotBeReachedMakesTheApplierUnavailable) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  kube::ApiResponse refused;
  refused.error = kube::TransportError::kNotSent;
  refused.error_message = "connection refused";
  bench.AnswerWith(refused);
  EXPECT_THAT(bench.Codes(0), ElementsAre(kUnavailable));
  EXPECT_EQ(bench.ended[0].report.outcomes[0].reason, "ApiServerUnreachable");
  EXPECT_THAT(bench.dispatcher.health().Problem(bench.now), HasSubstr("connection refused"));
}

TEST(Dispatcher, AfterARequestWithoutAnAnswerNoPlanStartsBeforeTheAssignmentIsRead) {
  DispatcherRig bench;
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  bench.Answer();
  kube::ApiResponse broken;
  broken.error = kube::TransportError::kBroken;
  bench.AnswerWith(broken);
  EXPECT_THAT(bench.Codes(0), ElementsAre(kConnectionLost));
  bench.Submit(Numbered(2, {{CreateOp(ConfigMap("b"))}}));
  ASSERT_EQ(bench.waiting.size(), 1u);
  EXPECT_EQ(bench.waiting[0].request.path, kLeasePath);
  bench.AnswerWith(broken);
  EXPECT_THAT(bench.Codes(1), ElementsAre(kUnavailable)) << "nothing of the plan is in doubt";
}

TEST(Dispatcher, AnApplierWhoseClockIsAheadSaysSoInsteadOfFencingThePlan) {
  DispatcherRig bench;
  bench.now = At(absl::Seconds(25));  // of a plan that expires 10 s after At()
  bench.Take(bench.dispatcher.Tick(bench.now));
  kube::ApiResponse lease = bench.server.Handle(bench.waiting.front().request);
  lease.date = At().wall;
  bench.AnswerWith(lease);
  EXPECT_EQ(bench.dispatcher.health().Problem(bench.now), "");
  bench.Submit(Numbered(1, {{CreateOp(ConfigMap("a"))}}));
  EXPECT_THAT(bench.Codes(0), ElementsAre(kUnavailable));
  EXPECT_EQ(bench.ended[0].report.outcomes[0].reason, "ClockSkew");
  EXPECT_THAT(bench.dispatcher.health().Problem(bench.now), HasSubstr("ahead"));
}

TEST(Dispatcher, AnIdleApplierAsksNowAndThenWhetherTheApiServerAnswers) {
  DispatcherRig bench;
  bench.Tick(absl::Seconds(1));
  ASSERT_EQ(bench.waiting.size(), 1u) << "it does not know yet";
  bench.AnswerAll();
  bench.Tick(absl::Seconds(2));
  EXPECT_TRUE(bench.waiting.empty());
  bench.Tick(absl::Seconds(12));
  ASSERT_EQ(bench.waiting.size(), 1u);
  EXPECT_EQ(bench.waiting[0].request.path, kLeasePath);
}

}  // namespace
}  // namespace xebec::applier
