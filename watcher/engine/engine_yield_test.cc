// SPDX-License-Identifier: Apache-2.0
// Buckets that a living watcher hands over.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"
#include "watcher/engine/testing/leader_rig.h"

namespace xebec::watcher::testing {
namespace {

/// A watcher that leads both buckets alone, and a widget in the second one.
class AloneTest : public ::testing::Test {
 protected:
  AloneTest() {
    Options options;
    options.buckets = 2;
    h_ = Harness(options);
    std::string uid;
    for (int i = 0; uid.empty() || BucketOf(uid, 2) != 1; ++i) {
      if (i > 0) h_.cluster.Remove(WidgetType(), {"default", name_});
      name_ = absl::StrCat("w", i);
      h_.cluster.SetWidget(name_, 1, 7);
      uid = FindString(*h_.cluster.Find(WidgetType(), {"default", name_}), {"metadata", "uid"});
    }
    h_.Feed(h_.leases.List());
    h_.Feed(Join{});
    h_.Start();
    h_.AnswerLeases();
    h_.Deliver();
  }
  void OtherTakesTheSecondBucket() {
    h_.leases.Renew(7, "other", {.buckets = 2, .kept = BucketSet::All(2)});
    Assignment next = h_.leases.assignment();
    next.buckets[1] = {"other", next.buckets[1].epoch + 1, true};
    h_.leases.Assign(next);
    h_.Feed(h_.leases.List());
    h_.AnswerLeases();
  }

  Harness h_;
  std::string name_;
};

TEST_F(AloneTest, AWriteWhoseBucketHasMovedIsNotMissed) {
  h_.held = {"parts"};
  h_.AnswerObservation();
  h_.AnswerPlan();
  ASSERT_EQ(h_.cluster.All(PartType()).size(), 1u);
  OtherTakesTheSecondBucket();
  ASSERT_FALSE(h_.engine.Leads(1));
  const StreamId parts = h_.StreamOf(PartType());
  h_.held = {};
  h_.Deliver();
  h_.Advance(absl::Seconds(30));
  h_.Deliver();
  EXPECT_FALSE(h_.HasNote("Own write not seen"));
  EXPECT_EQ(h_.StreamOf(PartType()), parts);
  EXPECT_TRUE(h_.Keys().empty());
}

TEST_F(AloneTest, AWatcherThatGivesABucketAwayStatesWhatItHasSeenAndWritten) {
  h_.RunReconciles();
  for (int i = 0; i < 60; ++i) {  // longer than its quarantine
    h_.Advance(absl::Seconds(1));
    h_.AnswerLeases();
  }
  h_.held = {"parts"};
  h_.cluster.SetWidget(name_, 1, 8);
  h_.Deliver();
  h_.AnswerObservation();
  h_.AnswerPlan();
  const Json part = h_.cluster.All(PartType()).begin()->second;
  h_.leases.Renew(7, "other", {.buckets = 2, .kept = BucketSet::All(2)});
  h_.Feed(h_.leases.List());
  h_.AnswerLeases();
  const Assignment given = h_.leases.assignment();
  EXPECT_EQ(given.buckets[1].watcher, "other");
  ASSERT_TRUE(given.buckets[1].stated);
  EXPECT_EQ(given.seen.at("v1/parts"), FindString(part, {"metadata", "resourceVersion"}))
      << "the cache has not shown it yet";
  EXPECT_FALSE(given.seen.at("example.com/v1/widgets").empty());
}

/// A watcher that starts beside one that holds all buckets. Another one may start with it.
class JoinTest : public ::testing::Test {
 protected:
  JoinTest() {
    Options options;
    options.buckets = 4;
    h_ = Harness(options);
    for (int i = 0; i < 16; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), 1, 7);
    h_.leases.Renew(7, "other", {.buckets = 4, .kept = BucketSet::All(4)});
    h_.leases.Assign(Assignment{std::vector<BucketHolder>(4, {"other", 4, true})});
  }
  void Join() {
    h_.Feed(h_.leases.List());
    h_.Feed(watcher::Join{});
    while (h_.AnswerLeases()) h_.Feed(h_.leases.List());
  }
  bool IsMember() const {
    const auto leases = h_.leases.List().leases;
    return std::any_of(leases.begin(), leases.end(),
                       [](const LeaseSeen& each) { return each.holder == "watcher-a"; });
  }
  bool Lists() {
    h_.Deliver();
    return h_.StreamOf(WidgetType()) != 0;
  }

  Harness h_;
};

TEST_F(JoinTest, AWatcherJoinsOthersOnceAPlannerHasAnswered) {
  Join();
  EXPECT_FALSE(IsMember());
  h_.Start();
  while (h_.AnswerLeases()) h_.Feed(h_.leases.List());
  EXPECT_TRUE(IsMember());
  EXPECT_TRUE(h_.Keys().empty()) << "it joins before it has listed anything";
}

TEST_F(JoinTest, WatchersThatStartTogetherListTheirFinalShares) {
  h_.Start();
  Join();
  h_.Advance(absl::Milliseconds(200));
  h_.leases.Renew(8, "third", {.buckets = 4, .kept = BucketSet(4)});
  h_.Feed(h_.leases.List());
  h_.Advance(absl::Milliseconds(200));
  EXPECT_FALSE(Lists()) << "the shares have just changed";
  h_.Advance(absl::Milliseconds(100));
  EXPECT_TRUE(Lists());
  std::set<uint32_t> buckets;
  for (const KeyView& each : h_.Keys()) {
    const Json& widget = *h_.cluster.Find(WidgetType(), {"default", each.ref.name});
    buckets.insert(BucketOf(FindString(widget, {"metadata", "uid"}), 4));
  }
  EXPECT_EQ(buckets.size(), 1u) << "a third of four, rounded down, and never half";
}

/// A watcher that holds both buckets, and another one that takes part.
class MoveTest : public LeaderTest {
 protected:
  MoveTest() : LeaderTest(/*buckets=*/2, /*widgets=*/8) {}
  /// The other watcher tells what it keeps.
  void OtherKeeps(const BucketSet& kept) {
    h_.leases.Renew(7, "other", {.buckets = 2, .kept = kept});
    h_.Feed(h_.leases.List());
    Converge();
  }
  void Stop() {
    h_.Feed(watcher::Stop{});
    Converge();
  }
  void Run(absl::Duration time) {
    for (; time > absl::ZeroDuration(); time -= absl::Seconds(1)) {
      h_.Advance(absl::Seconds(1));
      Converge();
    }
  }
  uint32_t Own() const { return h_.leases.assignment().Of("watcher-a").size(); }
  /// The parts of the widgets that have this value.
  size_t PartsOf(int value) {
    size_t parts = 0;
    for (const auto& [key, part] : h_.cluster.All(PartType())) {
      parts += part["spec"]["value"] == value ? 1 : 0;
    }
    return parts;
  }
  void ChangeAll(int value) {
    for (int i = 0; i < 8; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), 1, value);
    Converge();
  }
  bool Drained() { return !h_.Take<watcher::Drained>().empty(); }
  std::string OwnContent() const {
    for (const LeaseSeen& each : h_.leases.List().leases) {
      if (each.holder == "watcher-a" && each.lease != kAssignmentLease) return each.content;
    }
    return "";
  }

  const BucketSet none_{2}, all_ = BucketSet::All(2);
};

TEST_F(MoveTest, AWatcherThatJoinsGetsItsBucketOnceItKeepsTheObjects) {
  OtherKeeps(none_);
  ChangeAll(8);
  EXPECT_EQ(Own(), 2u);
  EXPECT_EQ(PartsOf(8), 8u);
  OtherKeeps(all_);
  EXPECT_EQ(Own(), 1u);
}

TEST_F(MoveTest, AWatcherThatNeverGetsReadyTakesNothingFromOneThatPlans) {
  for (int i = 0; i < 30; ++i) {
    OtherKeeps(none_);
    Run(absl::Seconds(2));
  }
  EXPECT_EQ(Own(), 2u);
  ChangeAll(8);
  EXPECT_EQ(PartsOf(8), 8u);
}

TEST_F(MoveTest, ABucketDoesNotWaitForAPlannerThatDoesNotAnswer) {
  OtherKeeps(none_);
  for (int i = 0; i < 8; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), 1, 8);
  h_.Deliver();
  ASSERT_FALSE(h_.observations.empty());
  h_.leases.Renew(7, "other", {.buckets = 2, .kept = all_});
  h_.Feed(h_.leases.List());
  h_.AnswerLeases();
  EXPECT_EQ(Own(), 1u);
  while (!h_.observations.empty()) h_.AnswerObservation();
  EXPECT_LE(h_.plans.size(), 8u);
  for (const SendPlan& each : h_.plans) {
    EXPECT_TRUE(h_.engine.Leads(each.plan->envelope.bucket)) << "a late answer has no effect";
  }
}

TEST_F(MoveTest, AWatcherThatStopsPlansUntilAnotherOneKeepsTheObjects) {
  OtherKeeps(none_);
  Stop();
  ChangeAll(8);
  EXPECT_EQ(Own(), 2u);
  EXPECT_EQ(PartsOf(8), 8u);
  EXPECT_FALSE(Drained());
  OtherKeeps(all_);
  EXPECT_EQ(Own(), 0u);
  EXPECT_TRUE(Drained());
  ChangeAll(9);
  EXPECT_EQ(PartsOf(9), 0u);
}

TEST_F(MoveTest, AWatcherThatStopsKeepsAllBucketsUntilEachCanGo) {
  OtherKeeps(none_);
  BucketSet one(2);
  one.Add(0);
  Stop();
  OtherKeeps(one);
  EXPECT_EQ(Own(), 2u);
  OtherKeeps(all_);
  EXPECT_EQ(Own(), 0u);
}

TEST_F(MoveTest, AWatcherThatStopsDoesNotWaitForOneThatDoesNotTellWhatItKeeps) {
  h_.leases.Renew(7, "other", {.buckets = 2});
  h_.Feed(h_.leases.List());
  Stop();
  EXPECT_EQ(Own(), 0u);
  EXPECT_TRUE(Drained());
}

TEST_F(MoveTest, AWatcherThatStopsWaitsNoLongerThanALimit) {
  OtherKeeps(none_);
  Stop();
  Run(absl::Seconds(4));
  EXPECT_EQ(Own(), 2u);
  Run(absl::Seconds(1));
  EXPECT_EQ(h_.leases.assignment().Of("other").size(), 2u);
  EXPECT_TRUE(Drained());
}

TEST_F(MoveTest, AWatcherThatStopsHasFewPlansInProgress) {
  for (int i = 8; i < 16; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), 1, 7);
  h_.Feed(CreditsChanged{16, 16, 0});
  OtherKeeps(none_);
  Stop();
  for (int i = 0; i < 16; ++i) h_.cluster.SetWidget(absl::StrCat("w", i), 1, 8);
  h_.Deliver();
  while (!h_.observations.empty()) h_.AnswerObservation();
  EXPECT_EQ(h_.plans.size(), 8u);
  Converge();
  EXPECT_EQ(PartsOf(8), 16u);
}

TEST_F(MoveTest, AWatcherThatStopsWaitsForNobodyIfTheOthersHaveGone) {
  OtherKeeps(none_);
  Stop();
  h_.leases.Release(7);
  h_.Feed(h_.leases.List());
  Converge();
  EXPECT_TRUE(Drained());
}

TEST_F(MoveTest, AWatcherTellsAtOnceWhatItKeepsForAnotherOneThatLeaves) {
  OtherKeeps(all_);
  h_.Feed(h_.leases.List());
  ASSERT_EQ(Own(), 1u);
  Run(absl::Seconds(3));
  ASSERT_EQ(DecodeMember(OwnContent())->kept, h_.leases.assignment().Of("watcher-a"));
  h_.leases.Renew(7, "other", {.buckets = 2, .leaving = true, .kept = all_});
  h_.Feed(h_.leases.List());
  h_.AnswerLeases();
  EXPECT_EQ(DecodeMember(OwnContent())->kept->size(), 1u) << "its lists are not complete";
  Converge();
  EXPECT_EQ(DecodeMember(OwnContent())->kept, all_);
}

TEST_F(MoveTest, AKindThatIsNotServedKeepsNoBucketFromMoving) {
  OtherKeeps(all_);
  h_.unserved = {"widgets"};
  h_.Feed(WatchEnded{h_.StreamOf(WidgetType()), ApiFailure{404, "NotFound", "", std::nullopt}});
  h_.leases.Renew(7, "other", {.buckets = 2, .leaving = true, .kept = all_});
  h_.Feed(h_.leases.List());
  Converge();
  EXPECT_EQ(DecodeMember(OwnContent())->kept, all_);
}

/// A watcher of two buckets beside another one, which divides the parents into three.
class OtherNumberOfBucketsTest : public ::testing::Test {
 protected:
  OtherNumberOfBucketsTest() : h_(OfTwoBuckets()) {
    h_.Start();
    h_.leases.Renew(7, "other", {.buckets = 3});
  }
  void OtherHoldsAll() {
    h_.leases.Assign({{{"other", 3, true}, {"other", 3, true}, {"other", 3, true}}});
  }
  size_t Notes() const { return h_.notes.count("Other number of buckets"); }
  static Options OfTwoBuckets() {
    Options options;
    options.buckets = 2;
    return options;
  }
  Harness h_;
};

TEST_F(OtherNumberOfBucketsTest, AWatcherThatWaitsForTheOthersSaysSoOnce) {
  OtherHoldsAll();
  h_.Feed(h_.leases.List());
  h_.Feed(h_.leases.List());
  EXPECT_EQ(Notes(), 1u);
}

TEST_F(OtherNumberOfBucketsTest, AnAssignmentOfOthersThatTheWatchShowsIsNotedToo) {
  h_.Feed(h_.leases.List());
  ASSERT_EQ(Notes(), 0u);
  OtherHoldsAll();
  LeasesSeen seen;
  seen.leases.push_back(h_.leases.at(kAssignmentLease));
  h_.Feed(std::move(seen));
  EXPECT_EQ(Notes(), 1u);
}

}  // namespace
}  // namespace xebec::watcher::testing
