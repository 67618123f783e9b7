// SPDX-License-Identifier: Apache-2.0
// A cache that gets the objects of more buckets from another watcher.
#include <initializer_list>
#include <string>

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets_rig.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::BucketsReflectorTest;
using testing::Children;
using testing::Deleted;
using testing::kPods;
using testing::ListEnd;
using testing::MakeObject;
using testing::Modified;
using testing::UidIn;

constexpr char kOther[] = "10.0.0.2:7442";

/// Another watcher holds the other buckets.
class ReflectorTransferTest : public BucketsReflectorTest {
 protected:
  void Hold(std::initializer_list<uint32_t> buckets, const std::string& from = kOther) {
    Do([&](ReflectorContext& c) {
      c.from = from;
      reflector_.Respecify(Spec(buckets), c);
    });
    if (const StartList* request = Requested<StartList>()) asked_ = *request;
  }

  /// The buckets are acquired, and their holder had seen that version.
  bool MeetsStatement(std::initializer_list<uint32_t> acquired, const std::string& seen) {
    now_ += absl::Milliseconds(1);
    const BucketSet buckets = testing::MakeBuckets(acquired);
    Do([&](auto& c) { reflector_.RequireFresh({now_, seen, &buckets}, c); });
    return reflector_.streams().barrier().seen_since() >= now_;
  }

  StartList asked_ = {};
};

TEST_F(ReflectorTransferTest, TheOtherWatcherIsAskedForTheGainedBucketsAlone) {
  Hold({0, 1, 3});
  EXPECT_EQ(asked_.from, kOther);
  EXPECT_EQ(asked_.projection.keep, Children({1}, 4));
  AnswerPage({Child("b", "11", 1)}, "12", "more");
  EXPECT_EQ(Requested<StartList>()->from, kOther);
  EXPECT_EQ(Requested<StartList>()->continue_token, "more");
  EXPECT_FALSE(Has("b")) << "all pages count, or none";
  AnswerPage({Child("c", "7", 1)}, "12", "");
  ASSERT_NE(Requested<StartWatch>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "10") << "its own objects may have changed";
  EXPECT_EQ(Requested<StartWatch>()->projection.keep, Children({0, 1, 3}, 4));
  EXPECT_TRUE(Has("a") && Has("b") && Has("c"));
  EXPECT_TRUE(Holds({0, 1, 3}));
  EXPECT_FALSE(listed_);
}

TEST_F(ReflectorTransferTest, WhatIsNotHandedOverIsNotDeleted) {
  Events({Added(Child("d", "11", 3))});
  Hold({0, 1, 3});
  AnswerPage({}, "12", "");
  EXPECT_TRUE(Has("a") && Has("d"));
  EXPECT_TRUE(changes_.empty());
}

// Its watch goes on from there, and shows events again that this watcher has seen.
TEST_F(ReflectorTransferTest, TheOtherWatcherMayHaveSeenLess) {
  Hold({0, 1, 3});
  AnswerPage({Child("b", "3", 1)}, "7", "");
  EXPECT_TRUE(Has("b"));
  ASSERT_NE(Requested<StartWatch>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "7");
  EXPECT_EQ(reflector_.cache().seen(), "7");
  EXPECT_EQ(reflector_.cache().SeenOf(testing::MakeBuckets({0, 3})), "10");
  Events({Added(Child("gone", "8", 0)), Added(Child("new", "9", 1))});
  EXPECT_FALSE(Has("gone")) << "the list of this watcher was later than its deletion";
  EXPECT_TRUE(Has("new"));
  Events({Deleted(Child("gone", "10", 0)), Added(Child("c", "11", 0))});
  EXPECT_TRUE(Has("c"));
  EXPECT_TRUE(reflector_.cache().versions().parts().empty());
  EXPECT_EQ(reflector_.cache().seen(), "11");
}

TEST_F(ReflectorTransferTest, TheOtherWatcherMayHaveSeenMore) {
  Hold({0, 1, 3});
  AnswerPage({Child("b", "3", 1)}, "20", "");
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "10");
  EXPECT_EQ(reflector_.cache().seen(), "10");
  EXPECT_EQ(reflector_.cache().SeenOf(testing::MakeBuckets({1})), "20");
  Events({Added(Child("gone", "12", 1)), Added(Child("new", "13", 0))});
  EXPECT_FALSE(Has("gone")) << "the other watcher has seen its deletion";
  EXPECT_TRUE(Has("new"));
}

TEST_F(ReflectorTransferTest, ABookmarkComesSoonIfOneWatcherHasSeenMore) {
  Hold({0, 1, 3});
  AnswerPage({Child("b", "3", 1)}, "20", "");
  EXPECT_EQ(Requested<StartWatch>()->timeout, FreshnessBarrier::kWatchTimeout);
  Events({Bookmark("30")});
  Hold({0, 1, 2, 3});
  AnswerPage({}, "30", "");
  EXPECT_GT(Requested<StartWatch>()->timeout, absl::Minutes(1));
}

// The watch of a quiet resource shows nothing more for up to a minute.
TEST_F(ReflectorTransferTest, AStatementIsMetByWhatWasHandedOver) {
  Hold({0, 1, 3});
  AnswerPage({Child("b", "3", 1)}, "20", "");
  EXPECT_TRUE(MeetsStatement({1}, "20"));
  EXPECT_FALSE(MeetsStatement({0}, "20")) << "of these buckets, only the watch shows it";
  EXPECT_FALSE(MeetsStatement({1}, "20")) << "the statement before is not met";
  Events({Bookmark("20")});
  EXPECT_TRUE(MeetsStatement({0, 1}, "20"));
  EXPECT_FALSE(MeetsStatement({1}, "21"));
}

// What was written before the bucket was acquired may be later than what is handed over.
TEST_F(ReflectorTransferTest, ABucketThatIsAcquiredBeforeItsObjectsComeIsListed) {
  Hold({0, 1, 3});
  MeetsStatement({1}, "10");
  Do([&](auto& c) { reflector_.OnList({asked_.stream, {{Child("b", "3", 1)}, "12", ""}}, c); });
  EXPECT_FALSE(Has("b"));
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, "");
  AnswerPage({Child("a", "5", 0), Child("b", "3", 1)}, "13", "");
  EXPECT_TRUE(Holds({0, 1, 3}));
  Hold({0, 1, 2, 3});
  EXPECT_EQ(asked_.from, kOther) << "the list contains everything";
}

TEST_F(ReflectorTransferTest, AListMustNotBeOlderThanWhatWasHandedOver) {
  Hold({0, 1, 3});
  AnswerPage({Child("b", "3", 1)}, "20", "");
  Do([&](auto& c) { reflector_.Relist("late_parent", c); });
  AnswerPage({Child("a", "5", 0)}, "19", "");
  EXPECT_TRUE(Has("b"));
}

TEST_F(ReflectorTransferTest, ObjectsAreListedAtOnceIfTheOtherWatcherFails) {
  Hold({0, 1, 3});
  Do([&](auto& c) { reflector_.OnListFailed({asked_.stream, {0, "", "no answer", {}}}, c); });
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, "");
  EXPECT_TRUE(reflector_.Figures(now_).errors.empty());
  AnswerPage({Child("a", "5", 0), Child("b", "7", 1)}, "12", "");
  EXPECT_TRUE(Holds({0, 1, 3}));
}

TEST_F(ReflectorTransferTest, ADeletionThatTheWatchShowsMeanwhileCounts) {
  Events({Added(Child("x", "11", 0))});
  Hold({0, 1, 3});
  EventsOf(watch_, {Deleted(Header("b", "13", 1))});
  Do([&](auto& c) { reflector_.OnList({asked_.stream, {{Child("b", "7", 1)}, "12", ""}}, c); });
  EXPECT_FALSE(Has("b"));
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "12");
  EXPECT_FALSE(Holds({0, 1, 3})) << "the narrow watch has shown more than was handed over";
  Events({Bookmark("13")});
  EXPECT_TRUE(Holds({0, 1, 3}));
}

// Its own watch may be behind what is handed over.
TEST_F(ReflectorTransferTest, AnEarlierObjectOfTheSameNameDoesNotComeBack) {
  Hold({0, 1, 3});
  AnswerPage({MakeObject("a", "new", "30", UidIn(1))}, "31", "");
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "10");
  Events({Modified(Child("a", "11", 0)), Deleted(Child("a", "12", 0))});
  ASSERT_TRUE(Has("a"));
  EXPECT_EQ(reflector_.store().Find({"default", "a"})->uid, "new");
}

TEST_F(ReflectorTransferTest, ItProvesNoFreshness) {
  now_ += absl::Seconds(1);
  const absl::Duration fresh = reflector_.streams().barrier().fresh_since();
  const ListNumbers lists = reflector_.cache().lists();
  Hold({0, 1, 3});
  AnswerPage({Child("b", "7", 1)}, "12", "");
  EXPECT_EQ(reflector_.streams().barrier().fresh_since(), fresh);
  EXPECT_EQ(reflector_.cache().lists(), lists);
}

TEST_F(ReflectorTransferTest, AListThatIsReadIsCompletedFirst) {
  Fail(410, "Expired");
  ASSERT_NE(Requested<StartList>(), nullptr);
  const StreamId list = Requested<StartList>()->stream;
  Hold({0, 1, 3});
  EXPECT_EQ(Requested<StartList>(), nullptr);
  Do([&](auto& c) { reflector_.OnList({list, {{Child("a", "5", 0)}, "20", ""}}, c); });
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, kOther);
}

TEST_F(ReflectorTransferTest, BucketsOfAnotherWatcherAreTakenOverAfterwards) {
  Hold({0, 1, 3});
  Hold({0, 1, 2, 3}, "10.0.0.3:7442");
  EXPECT_EQ(Requested<StartList>(), nullptr);
  Do([&](auto& c) { reflector_.OnList({asked_.stream, {{Child("b", "7", 1)}, "12", ""}}, c); });
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, "10.0.0.3:7442");
  EXPECT_EQ(Requested<StartList>()->projection.keep, Children({2}, 4));
  AnswerPage({Child("c", "8", 2)}, "14", "");
  EXPECT_TRUE(Holds({0, 1, 2, 3}));
  EXPECT_TRUE(Has("a") && Has("b") && Has("c"));
}

TEST_F(ReflectorTransferTest, ABucketThatIsRegainedBeforeItIsForgottenIsListed) {
  Hold({0});
  Hold({0, 3});
  EXPECT_EQ(asked_.from, "");
}

// When the parents of other buckets have arrived, objects that name no parent are forgotten.
TEST_F(ReflectorTransferTest, WhatIsHandedOverDoesNotCountForABucketThatWasLostMeanwhile) {
  Hold({0, 1, 2, 3});
  Hold({0, 1, 3});
  Do([&](auto& c) { reflector_.OnList({asked_.stream, {{Child("b", "3", 1)}, "20", ""}}, c); });
  while (reflector_.NextDeadline() <= now_) TickWhenDue();
  Hold({0, 1, 2, 3}, "10.0.0.3:7442");
  AnswerPage({Child("c", "7", 2)}, "12", "");
  EXPECT_EQ(reflector_.cache().SeenOf(testing::MakeBuckets({1})), "20");
  EXPECT_EQ(reflector_.cache().SeenOf(testing::MakeBuckets({2})), "12");
  Events({Modified(Child("c", "15", 2))});
  EXPECT_EQ(reflector_.cache().store().Find({"default", "c"})->resource_version, "15");
}

TEST_F(ReflectorTransferTest, TheOtherWatcherIsAskedAlsoWhileObjectsWithoutAParentAreForgotten) {
  const auto labelled = [](std::initializer_list<uint32_t> buckets) {
    ResourceSpec spec = Spec(buckets);
    spec.projection.keep.labels = true;
    return spec;
  };
  reflector_ = Reflector(labelled({0, 3}), {});
  Start();
  Events({Added(Child("a", "5", 0)), ListEnd("10")});
  Do([&](ReflectorContext& c) {
    reflector_.Prune(c);
    c.from = kOther;
    reflector_.Respecify(labelled({0, 1, 3}), c);
  });
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, kOther);
}

TEST_F(ReflectorTransferTest, WhatTheApiServerSelectsIsListed) {
  ResourceSpec parents{kPods, "", "", {}};
  parents.projection.keep = testing::Parents({0, 3});
  reflector_ = Reflector(parents, {});
  Start();
  kube::ListPage page{{MakeObject("p", UidIn(0), "5")}, "10", ""};
  page.sharded = true;
  Do([&](auto& c) { reflector_.OnList({Stream(), page}, c); });
  ASSERT_NE(Requested<StartWatch>()->shard_selector, "");
  parents.projection.keep = testing::Parents({0, 1, 3});
  Do([&](ReflectorContext& c) {
    c.from = kOther;
    reflector_.Respecify(parents, c);
  });
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, "");
}

TEST_F(ReflectorTransferTest, APageThatDoesNotComeInTimeIsNotAwaited) {
  Hold({0, 1, 3});
  AnswerPage({Child("b", "11", 1)}, "12", "more");
  EXPECT_EQ(TickWhenDue(), absl::Seconds(1));
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, "");
  EXPECT_EQ(Requested<StartList>()->continue_token, "");
}

TEST_F(ReflectorTransferTest, AListFollowsAWatchThatFailsMeanwhile) {
  for (const int status : {410, 500}) {
    Hold({0, 1, 3});
    ASSERT_EQ(asked_.from, kOther);
    Do([&](auto& c) { reflector_.OnWatchEnded({watch_, ApiFailure{status, "", "", {}}}, c); });
    ASSERT_NE(Requested<Note>(), nullptr);
    EXPECT_EQ(Requested<Note>()->what, "Objects not handed over");
    ASSERT_NE(Requested<StartList>(), nullptr);
    EXPECT_EQ(Requested<StartList>()->from, "");
    AnswerPage({Child("a", "5", 0)}, "20", "");
    watch_ = Stream();
    Hold({0, 3});
    while (reflector_.NextDeadline() <= now_) TickWhenDue();
  }
}

TEST_F(ReflectorTransferTest, AListForAnotherReasonIsAList) {
  Hold({0, 1, 3});
  EventsOf(watch_, {Bookmark("13"), Modified(Child("a", "14", 0))});
  Hold({0, 1, 2, 3});
  Do([&](auto& c) { reflector_.OnList({asked_.stream, {{Child("b", "7", 1)}, "12", ""}}, c); });
  ASSERT_TRUE(reflector_.cache().scope().active()) << "the events up to 14 come again";
  Do([&](auto& c) { reflector_.Relist("late_parent", c); });
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, "");
}

TEST_F(ReflectorTransferTest, ABucketThatIsRegainedBesideAListIsListed) {
  ResourceSpec few = Spec({0, 3});
  reflector_ = Reflector(few, {.merge_step = 1});
  Start();
  Events({Added(Child("a", "5", 0)), Added(Child("b", "6", 3)), ListEnd("10")});
  while (reflector_.NextDeadline() <= now_) TickWhenDue();
  Fail(410);
  const StreamId list = Requested<StartList>()->stream;
  Hold({0});
  Hold({0, 3});
  Do([&](auto& c) { reflector_.OnList({list, {{Child("a", "5", 0)}, "20", ""}}, c); });
  for (int i = 0; i < 9 && Requested<StartList>() == nullptr; ++i) TickWhenDue();
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, "") << "the list has not shown the bucket";
}

TEST_F(ReflectorTransferTest, OtherFieldsAreListed) {
  ResourceSpec wider = Spec({0, 1, 3}), narrow = Spec({0, 3});
  narrow.projection.fields = {"spec"};
  reflector_ = Reflector(narrow, {});
  Start();
  Events({Added(Child("a", "5", 0)), ListEnd("10")});
  Do([&](ReflectorContext& c) {
    c.from = kOther;
    reflector_.Respecify(wider, c);
  });
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->from, "");
}

}  // namespace
}  // namespace xebec::watcher
