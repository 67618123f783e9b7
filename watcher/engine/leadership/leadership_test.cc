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
  options.buckets = 4;
  Leadership leadership(options, "me");
  EXPECT_TRUE(leadership.Leads(3, absl::ZeroDuration()));
  EXPECT_TRUE(leadership.LeadsAny(absl::ZeroDuration()));
  EXPECT_EQ(leadership.Epoch(3), 1u);
  Outputs out;
  leadership.OnHigherEpoch(0, 9, absl::ZeroDuration(), &out);
  EXPECT_EQ(leadership.Epoch(3), 9u);
  EXPECT_TRUE(leadership.Release(true, absl::ZeroDuration(), &out));
  EXPECT_TRUE(out.empty());
}

/// An engine with two buckets, whose Leases tests hand out one by one.
class TwoBucketsTest : public ::testing::Test {
 protected:
  static Options TwoBuckets() {
    Options options;
    options.leader_election = true;
    options.buckets = 2;
    return options;
  }

  /// The Lease of a bucket as it is now.
  void See(uint32_t bucket, const std::string& holder, uint64_t transitions) {
    ++versions_;
    h_.Feed(LeaseSeen{bucket, true, holder, transitions, absl::Seconds(15),
                      std::to_string(versions_), std::to_string(100 + versions_)});
  }

  /// Carries out what the engine writes to Leases that were given to it.
  void AnswerLeases() {
    for (const WriteLease& write : h_.Take<WriteLease>()) {
      if (given_.contains(write.bucket)) See(write.bucket, write.holder, write.transitions);
    }
  }

  void Give(uint32_t bucket) {
    given_.insert(bucket);
    See(bucket, "", 3 + bucket);
    Converge();
  }

  void Converge() {
    for (int i = 0; i < 4; ++i) {
      AnswerLeases();
      h_.Deliver();
    }
  }

  void Run(absl::Duration time) {
    for (; time > absl::ZeroDuration(); time -= absl::Seconds(1)) {
      h_.Advance(absl::Seconds(1));
      Converge();
      h_.RunPasses();
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
  std::set<uint32_t> given_;
  int versions_ = 0;
};

using Parts = std::map<uint32_t, std::set<int>>;

TEST_F(TwoBucketsTest, EachWatcherPlansTheKeysOfItsBucketsAlone) {
  SetWidgets(1, 7);
  h_.Start();
  See(1, "other", 9);
  Give(0);
  h_.RunPasses();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {0}}}));
  EXPECT_EQ(h_.Key(WidgetIn(1)).waiting_for,
            std::vector<std::string>{"the Lease is held by other"});
  Give(1);
  h_.RunPasses();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {1}}}));
}

TEST_F(TwoBucketsTest, AnEnvelopeNamesItsBucketAndThatBucketsEpoch) {
  SetWidgets(1, 7);
  h_.Start();
  Give(0);
  Give(1);
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

TEST_F(TwoBucketsTest, TheLossOfOneLeavesTheOtherAtWork) {
  SetWidgets(1, 7);
  h_.Start();
  Give(0);
  Give(1);
  h_.RunPasses();
  given_.erase(0);
  See(0, "other", 9);
  SetWidgets(2, 7);
  h_.RunPasses();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {2}}}));
  EXPECT_FALSE(h_.engine.Leads(0));
  EXPECT_TRUE(h_.engine.Leads(1));
  Give(0);
  h_.RunPasses();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {2}}, {1, {2}}})) << "what it missed is planned";
}

TEST_F(TwoBucketsTest, APlanThatWaitsForAnApplierIsNotSentOnceItsBucketIsLost) {
  SetWidgets(1, 7);
  h_.Start();
  h_.Feed(CreditsChanged{.planner = 8, .applier = 0});
  Give(0);
  Give(1);
  while (!h_.observations.empty()) h_.AnswerObservation();
  ASSERT_TRUE(h_.plans.empty());
  given_.erase(0);
  See(0, "other", 9);
  h_.Feed(CreditsChanged{.planner = 8, .applier = 8});
  h_.RunPasses();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {0}}, {1, {1}}}));
}

TEST_F(TwoBucketsTest, AfterACrashOnlyTheDeletionsOfItsBucketWait) {
  SetWidgets(2, 7);
  h_.Start();
  Give(0);
  See(1, "other", 9);
  given_.insert(1);  // as soon as it is free
  Run(absl::Seconds(16));
  ASSERT_EQ(PartsByBucket(), (Parts{{0, {2}}, {1, {2}}})) << "creating does not wait";
  SetWidgets(1, 7);
  h_.RunPasses();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {2}}}));
  Run(absl::Seconds(25));
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {1}}}));
}

TEST_F(TwoBucketsTest, WhatCameWhileALeaseWasLiftedIsPlannedAfterwards) {
  SetWidgets(1, 7);
  h_.Start();
  Give(0);
  Give(1);
  h_.RunPasses();
  h_.cluster.SetWidget(WidgetIn(0), 1, 8);
  h_.Deliver();
  h_.AnswerObservation();
  const SendPlan send = h_.TakePlan();
  Report report = RefusePlan(*send.plan, OutcomeCode::kFenced);
  report.highest_epoch = 99;  // another watcher held the Lease, which was then created again
  h_.Feed(ReportArrived{send.sequence, report});
  ASSERT_FALSE(h_.engine.Leads(0));
  ASSERT_TRUE(h_.engine.Leads(1));
  SetWidgets(2, 8);
  h_.RunPasses();
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {1}}, {1, {2}}}));
  Run(absl::Seconds(30));
  EXPECT_TRUE(h_.engine.Leads(0));
  EXPECT_EQ(PartsByBucket(), (Parts{{0, {2}}, {1, {2}}}));
}

TEST_F(TwoBucketsTest, AtTheEndBothLeasesAreGivenUp) {
  h_.Start();
  Give(0);
  Give(1);
  h_.Feed(Stop{});
  std::set<uint32_t> released;
  for (const WriteLease& write : h_.Take<WriteLease>()) {
    if (write.holder.empty()) released.insert(write.bucket);
    See(write.bucket, write.holder, write.transitions);
  }
  EXPECT_THAT(released, ElementsAre(0, 1));
  EXPECT_EQ(h_.Take<Drained>().size(), 1u);
}

}  // namespace
}  // namespace xebec::watcher::testing
