// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/leadership.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "watcher/engine/leadership/lease_order.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::Lt;
using ::testing::Pair;

TEST(Leadership, WithoutElectionAllIsLedAndTheEpochRisesWithWhatAppliersKnow) {
  Options options;
  options.leader_election = false;
  Leadership leadership(options, "me");
  EXPECT_EQ(leadership.buckets(), 1u);
  EXPECT_TRUE(leadership.Leads(0, absl::ZeroDuration()));
  EXPECT_TRUE(leadership.LeadsAny(absl::ZeroDuration()));
  EXPECT_TRUE(leadership.wanted()->full());
  EXPECT_EQ(leadership.Epoch(0), 1u);
  Outputs out;
  leadership.OnHigherEpoch(0, 9, absl::ZeroDuration(), &out);
  EXPECT_EQ(leadership.Epoch(0), 9u);
  EXPECT_TRUE(leadership.Release(absl::ZeroDuration(), &out));
  EXPECT_TRUE(out.empty());
}

TEST(Leadership, AMemberDoesNotRelyOnAnAssignmentThatItSawBeforeItWasOne) {
  Options options;
  options.buckets = 2;
  FakeLeases leases;
  leases.Renew(7, "other", {.buckets = 2});
  Leadership leadership(options, "me");
  const absl::Duration now = absl::Seconds(100);
  Outputs out;
  leases.Assign({{{"me", 5, true}, {"other", 5, true}}});
  leadership.OnSeen(leases.List(), now, &out);
  leases.Assign({{{"other", 6, false}, {"other", 5, true}}});  // is not seen yet
  leadership.Join(now, &out);
  ASSERT_EQ(out.size(), 1u);
  const Input answer = leases.Write(std::get<WriteLease>(out.front()));
  leadership.OnSeen(std::get<LeasesSeen>(answer), now, &out);
  EXPECT_FALSE(leadership.Leads(0, now)) << "the bucket is another watcher's";
}

TEST(Leadership, ListsOfLeasesThatGoBackAreAnErrorForUsersOnce) {
  Leadership leadership(Options(), "me");
  Outputs out;
  const auto list = [&](const std::string& version) {
    out.clear();
    LeasesSeen seen{{}, /*complete=*/true, version};
    leadership.OnSeen(seen, absl::Seconds(100), &out);
    return out.size();
  };
  EXPECT_EQ(list("90"), 0u);
  EXPECT_EQ(list("90"), 0u);
  ASSERT_EQ(list("40"), 1u);
  EXPECT_EQ(std::get<Note>(out[0]).what, "Lease versions regressed");
  EXPECT_EQ(list("41"), 0u) << "it was said";
  EXPECT_EQ(list("91"), 0u);
  EXPECT_EQ(list("40"), 1u);
}

/// An engine with two buckets beside another watcher, which tests move buckets to and from.
class TwoBucketsTest : public ::testing::Test {
 protected:
  static Options TwoBuckets() {
    Options options;
    options.buckets = 2;
    return options;
  }

  /// The other watcher is there and holds these buckets; the engine's watcher holds the rest.
  void OtherHolds(const std::set<uint32_t>& buckets) {
    h_.leases.Renew(7, "other", {.buckets = 2});
    Assignment next = h_.leases.assignment();
    next.buckets.resize(2);
    for (uint32_t bucket = 0; bucket < 2; ++bucket) {
      BucketHolder& holder = next.buckets[bucket];
      const std::string wanted = buckets.contains(bucket) ? "other" : "watcher-a";
      if (holder.watcher != wanted) holder = {wanted, holder.epoch + 1 + 3 * bucket, true};
    }
    h_.leases.Assign(next);
    h_.Feed(h_.leases.List());
    h_.Converge();
  }
  void Start() {
    h_.StartAndJoin();
    h_.Converge();
  }
  /// The other watcher is gone, in order.
  void OtherEnds() {
    Assignment next = h_.leases.assignment();
    for (BucketHolder& each : next.buckets) {
      if (each.watcher == "other") each = {"", each.epoch + 1, true};
    }
    h_.leases.Assign(next);
    h_.leases.Release(7);
    h_.Feed(h_.leases.List());
    h_.Converge();
  }
  void OtherRenews() {
    h_.leases.Renew(7, "other", {.buckets = 2});
    h_.Feed(h_.leases.List());
  }

  void Run(absl::Duration time) {
    for (; time > absl::ZeroDuration(); time -= absl::Seconds(1)) {
      h_.Advance(absl::Seconds(1));
      h_.Converge();
      h_.RunReconciles();
    }
  }

  /// Eight widgets, at least two in each bucket.
  void SetWidgets(int count, int value) {
    for (int i = 0; i < 8; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), count, value);
    h_.Deliver();
  }

  /// {bucket: what there is of each of its widgets, once each}.
  std::map<uint32_t, std::set<int>> PartsByBucket() {
    std::map<uint32_t, std::set<int>> found;
    for (const auto& [key, widget] : h_.cluster.All(WidgetType())) {
      const std::string uid = widget["metadata"]["uid"];
      int parts = 0;
      for (const auto& [name, part] : h_.cluster.All(PartType()))
        parts += part["metadata"]["ownerReferences"][0]["uid"] == uid ? 1 : 0;
      found[BucketOf(uid, 2)].insert(parts);
    }
    return found;
  }

  /// The name of a widget in that bucket.
  std::string WidgetIn(uint32_t bucket) {
    for (const auto& [key, widget] : h_.cluster.All(WidgetType())) {
      if (BucketOf(widget["metadata"]["uid"].get<std::string>(), 2) == bucket) return key.name;
    }
    ADD_FAILURE() << "no widget in bucket " << bucket;
    return "";
  }

  Harness h_{TwoBuckets()};
};

using Parts = std::map<uint32_t, std::set<int>>;

TEST_F(TwoBucketsTest, EachWatcherPlansTheKeysOfItsBucketsAlone) {
  SetWidgets(1, 7);
  OtherHolds({0, 1});
  Start();
  OtherHolds({1});
  h_.RunReconciles();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {0}}}));
  EXPECT_TRUE(h_.Key(WidgetIn(1)).ref.name.empty()) << "it is the other watcher's";
  OtherEnds();
  h_.RunReconciles();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {1}}}));
}

TEST_F(TwoBucketsTest, AnEnvelopeNamesItsBucketAndThatBucketsEpoch) {
  SetWidgets(1, 7);
  h_.leases.Assign({{{"", 3, true}, {"", 4, true}}});
  Start();
  std::map<uint32_t, uint64_t> epochs;
  for (int i = 0; i < 8; ++i) {
    h_.AnswerObservation();
    const Envelope envelope = h_.plans.at(0).plan->envelope;
    EXPECT_EQ(envelope.bucket, BucketOf(envelope.parent.uid, 2));
    EXPECT_EQ(envelope.bucket_count, 2u);
    epochs[envelope.bucket] = envelope.epoch;
    h_.AnswerPlan();
  }
  EXPECT_THAT(epochs, ElementsAre(Pair(0, 4), Pair(1, 5)));
}

TEST_F(TwoBucketsTest, AMemberThatJoinsGetsItsShareAsSoonAsItsReconcilesAreComplete) {
  SetWidgets(1, 7);
  Start();
  h_.AnswerObservation();
  const SendPlan plan = h_.TakePlan();
  h_.leases.Renew(7, "other", {.buckets = 2});
  h_.Feed(h_.leases.List());
  while (!h_.observations.empty()) h_.AnswerObservation();
  h_.RunReconciles();
  const uint32_t busy = plan.plan->envelope.bucket;
  h_.Converge();
  Assignment assignment = h_.leases.assignment();
  EXPECT_EQ(assignment.buckets[busy].watcher, "watcher-a");
  h_.plans.push_back(plan);
  h_.RunReconciles();
  h_.Converge();
  EXPECT_EQ(h_.leases.assignment().Of("watcher-a").size(), 1u);
  EXPECT_EQ(h_.leases.assignment().Of("other").size(), 1u);
}

TEST_F(TwoBucketsTest, ABucketThatIsToBeHandedOverStartsNoReconcile) {
  SetWidgets(1, 7);
  Start();
  std::vector<SendPlan> plans;
  while (!h_.observations.empty()) h_.AnswerObservation();
  for (SendPlan& each : h_.plans) plans.push_back(each);
  h_.plans.clear();
  h_.leases.Renew(7, "other", {.buckets = 2});
  h_.Feed(h_.leases.List());
  const BucketSet yielding = h_.engine.leadership().yielding();
  ASSERT_EQ(yielding.size(), 1u);
  h_.Feed(CreditsChanged{100, 100});
  SetWidgets(2, 8);
  for (const SendObservation& each : h_.observations) {
    EXPECT_FALSE(yielding.Contains(each.observation.envelope.bucket));
  }
}

TEST_F(TwoBucketsTest, TheLossOfOneLeavesTheOtherAtWork) {
  SetWidgets(1, 7);
  Start();
  h_.RunReconciles();
  OtherHolds({0});
  SetWidgets(2, 7);
  h_.RunReconciles();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {2}}}));
  EXPECT_FALSE(h_.engine.Leads(0));
  EXPECT_TRUE(h_.engine.Leads(1));
  OtherEnds();
  h_.RunReconciles();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {2}}, {1, {2}}})) << "what it missed is planned";
}

// The first watcher that could write again would else release all others and take their buckets.
TEST_F(TwoBucketsTest, AfterAnOutageTheOthersAreNotConsideredDead) {
  Start();
  OtherHolds({1});
  ASSERT_TRUE(h_.engine.leadership().AllAssigned(h_.now.monotonic));
  h_.Feed(LeasesReadFailed{});
  EXPECT_FALSE(h_.engine.leadership().AllAssigned(h_.now.monotonic)) << "that is not known";
  h_.Advance(absl::Minutes(1));
  h_.AnswerLeases();
  EXPECT_EQ(h_.leases.at(7).holder, "other");
  EXPECT_EQ(h_.leases.assignment().Of("other").size(), 1u);
}

TEST_F(TwoBucketsTest, APlanThatWaitsForAnApplierIsNotSentOnceItsBucketIsLost) {
  SetWidgets(1, 7);
  h_.Start();
  h_.Feed(CreditsChanged{.planner = 8, .applier = 0});
  h_.Feed(h_.leases.List());
  h_.Feed(Join{});
  h_.Converge();
  while (!h_.observations.empty()) h_.AnswerObservation();
  ASSERT_TRUE(h_.plans.empty());
  OtherHolds({0});
  h_.Feed(CreditsChanged{.planner = 8, .applier = 8});
  h_.RunReconciles();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {0}}, {1, {1}}}));
}

TEST_F(TwoBucketsTest, AfterACrashOnlyTheDeletionsOfItsBucketWait) {
  SetWidgets(2, 7);
  h_.leases.Assign({{{"", 3, true}, {"", 4, true}}});
  Start();
  OtherHolds({1});
  Run(absl::Seconds(17));
  ASSERT_EQ(PartsByBucket(), (Parts{{0, {2}}, {1, {2}}})) << "creating does not wait";
  SetWidgets(1, 7);
  h_.RunReconciles();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {2}}}));
  Run(absl::Seconds(25));
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {1}}}));
}

TEST_F(TwoBucketsTest, WhatCameWhileAnEpochWasRaisedIsPlannedAfterwards) {
  SetWidgets(1, 7);
  Start();
  h_.RunReconciles();
  h_.cluster.SetWidget(WidgetIn(0), 1, 8);
  h_.Deliver();
  h_.AnswerObservation();
  const SendPlan send = h_.TakePlan();
  Report report = RefusePlan(*send.plan, OutcomeCode::kFenced);
  report.highest_epoch = 99;  // the assignment was deleted and created again
  h_.Feed(ReportArrived{send.sequence, report});
  ASSERT_FALSE(h_.engine.Leads(0));
  ASSERT_TRUE(h_.engine.Leads(1));
  SetWidgets(2, 8);
  h_.RunReconciles();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {2}}}));
  Run(absl::Seconds(30));
  EXPECT_TRUE(h_.engine.Leads(0));
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {2}}, {1, {2}}}));
}

TEST_F(TwoBucketsTest, AtTheEndBothBucketsAreGivenToTheOthers) {
  h_.leases.Assign({{{"", 3, true}, {"", 4, true}}});
  Start();
  OtherHolds({});
  OtherRenews();
  h_.Feed(Stop{});
  h_.AnswerLeases();
  EXPECT_EQ(h_.leases.assignment().Of("other").size(), 2u);
  EXPECT_TRUE(h_.leases.assignment().buckets[0].clean);
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
}

TEST_F(TwoBucketsTest, AWatcherThatLeavesRepeatsAWriteThatAnotherOnePrecededAtOnce) {
  h_.leases.Assign({{{"", 3, true}, {"", 4, true}}});
  Start();
  OtherHolds({});
  OtherRenews();
  h_.Feed(Stop{});
  h_.leases.Assign(h_.leases.assignment());  // the write of the assignment conflicts with this
  h_.AnswerLeases();
  h_.Feed(h_.leases.List());
  ASSERT_EQ(h_.leases.assignment().Of("watcher-a").size(), 1u);
  EXPECT_EQ(h_.engine.NextDeadline(), h_.now.monotonic + kAfterConflict);
  h_.Advance(kAfterConflict);
  h_.AnswerLeases();
  EXPECT_EQ(h_.leases.assignment().Of("other").size(), 2u);
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
}

TEST_F(TwoBucketsTest, ABucketThatAUserGivesToItInTheSameEpochIsPlannedInAHigherOne) {
  SetWidgets(1, 7);
  OtherHolds({0, 1});
  Start();
  OtherHolds({1});
  h_.RunReconciles();
  ASSERT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {0}}}));
  Assignment edited = h_.leases.assignment();
  const uint64_t epoch = edited.buckets[1].epoch;
  edited.buckets[1].watcher = "watcher-a";
  h_.leases.Assign(edited);
  h_.Feed(h_.leases.List());
  EXPECT_FALSE(h_.engine.Leads(1));
  EXPECT_TRUE(h_.HasNote("Assignment edited"));
  h_.AnswerLeases();
  EXPECT_GT(h_.leases.assignment().buckets[1].epoch, epoch);
  for (const SendPlan& each : h_.plans) EXPECT_NE(each.plan->envelope.bucket, 1u);
}

TEST_F(TwoBucketsTest, ANumberOfBucketsThatAUserChangedIsNotedAndChangedBack) {
  Start();
  OtherHolds({1});
  ASSERT_TRUE(h_.engine.Leads(0));
  h_.leases.Assign({{{"watcher-a", 7, true}}});
  h_.Feed(h_.leases.List());
  EXPECT_FALSE(h_.engine.Leads(0));
  EXPECT_TRUE(h_.HasNote("Assignment edited"));
  h_.Advance(absl::Seconds(1));
  h_.Converge();
  EXPECT_EQ(h_.leases.assignment().count(), 2u);
  EXPECT_GT(h_.leases.assignment().buckets[0].epoch, 7u);
  EXPECT_NE(h_.engine.Leads(0), h_.engine.Leads(1)) << "each watcher has one";
}

TEST_F(TwoBucketsTest, ABucketOfAnotherWatcherAddsToTheShareOfLimitsAfterAnInterval) {
  h_.leases.Assign({{{"earlier", 3, true}, {"earlier", 4, true}}});
  Start();
  const auto share = [this] { return h_.engine.leadership().Share().Of(10, h_.now.monotonic); };
  EXPECT_EQ(share(), 10u) << "nobody else takes part";
  OtherHolds({0});
  EXPECT_EQ(share(), 5u) << "at once";
  OtherEnds();
  ASSERT_TRUE(h_.engine.Leads(0));
  EXPECT_EQ(share(), 5u) << "the other watcher may just have used its own";
  Run(absl::Seconds(61));
  EXPECT_EQ(share(), 10u);
}

}  // namespace
}  // namespace xebec::watcher::testing
