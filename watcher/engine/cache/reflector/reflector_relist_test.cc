// SPDX-License-Identifier: Apache-2.0
// Lists beside a watch that goes on, large lists, and barriers.
#include <set>
#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/cache/reflector/reflector.h"
#include "watcher/engine/testing/reflector_rig.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::Deleted;
using testing::kPods;
using testing::ListEnd;
using testing::MakeObject;
using testing::Modified;
using testing::ReflectorTest;

/// A reflector that watches from version 10 with object "a" at version 5.
class RelistTest : public ReflectorTest {
 protected:
  explicit RelistTest(ReflectorPolicy policy = {.barrier_pages = 0}) : ReflectorTest(policy) {
    StartWatching();
  }

  /// Lists again; `watch_` and `list_` are the streams.
  void Relist() {
    watch_ = Stream();
    Do([&](auto& c) { reflector_.Relist("lost_write", c); });
    list_ = Stream();
  }
  std::string VersionOf(const std::string& name) const {
    const StoredObject* object = reflector_.store().Find({"default", name});
    return object == nullptr ? "" : object->resource_version;
  }
  void RequireFresh() {
    now_ += absl::Seconds(1);
    Do([&](auto& c) { reflector_.RequireFresh({now_}, c); });
  }

  StreamId watch_ = 0;
  StreamId list_ = 0;
};

TEST_F(RelistTest, EventsReachTheCacheWhileAListRuns) {
  Relist();
  EXPECT_EQ(Requested<StopStream>(), nullptr) << "the watch goes on";
  ASSERT_NE(list_, watch_);
  EventsOf(watch_, {Modified(MakeObject("a", "ua", "15")), Added(MakeObject("b", "ub", "16"))});
  EXPECT_EQ(VersionOf("a"), "15");
  EXPECT_EQ(reflector_.store().watermark(), "16");
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
}

TEST_F(RelistTest, AListThatIsBehindTheWatchTakesNothingBack) {
  Relist();
  EventsOf(watch_, {Modified(MakeObject("a", "ua", "15")), Added(MakeObject("b", "ub", "16")),
                    Added(MakeObject("c", "uc", "17")), Deleted(MakeObject("c", "uc", "18"))});
  Events({Added(MakeObject("a", "ua", "5")), Added(MakeObject("lost", "ul", "9")), ListEnd("12")});
  EXPECT_EQ(VersionOf("a"), "15");
  EXPECT_TRUE(Has("b"));
  EXPECT_FALSE(Has("c"));
  EXPECT_TRUE(Has("lost")) << "what the watch had lost is there";
  EXPECT_EQ(reflector_.store().watermark(), "18");
  Events({Added(MakeObject("b", "ub", "16")), Added(MakeObject("c", "uc", "17"))});
  EXPECT_FALSE(Has("c")) << "it is gone already";
  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(reflector_.store().watermark(), "18");
  Events({Deleted(MakeObject("c", "uc", "18")), Added(MakeObject("d", "ud", "19"))});
  EXPECT_TRUE(Has("d"));
}

TEST_F(RelistTest, AListThatIsAheadOfTheWatchIsGoneOnFrom) {
  Relist();
  EventsOf(watch_, {Added(MakeObject("b", "ub", "11"))});
  Events({Added(MakeObject("a", "ua", "5")), ListEnd("20"), Added(MakeObject("d", "ud", "21"))});
  EXPECT_FALSE(Has("b")) << "it is gone, which the old watch had yet to say";
  EXPECT_TRUE(Has("d"));
  EventsOf(watch_, {Added(MakeObject("b", "ub", "11"))});
  EXPECT_FALSE(Has("b"));
}

TEST_F(RelistTest, WhatTheWatchSawGoDuringAListStaysGone) {
  Relist();
  Events({Added(MakeObject("new", "un", "11"))});
  EventsOf(watch_, {Deleted(MakeObject("a", "ua", "13")), Deleted(MakeObject("new", "un", "14"))});
  Events({Added(MakeObject("a", "ua", "5")), ListEnd("12")});
  EXPECT_FALSE(Has("a"));
  EXPECT_FALSE(Has("new"));
}

TEST_F(RelistTest, ANewerStateInAListCountsBeforeTheListEnds) {
  Relist();
  Events({Added(MakeObject("a", "ua", "11")), Added(MakeObject("b", "ub", "12"))});
  EXPECT_EQ(VersionOf("a"), "11");
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].before->resource_version, "5");
  EXPECT_TRUE(changes_[0].listed);
  EXPECT_FALSE(Has("b")) << "new objects wait for the end";
  EXPECT_EQ(reflector_.store().watermark(), "10");
  EventsOf(watch_, {Modified(MakeObject("a", "ua", "10"))});
  EXPECT_EQ(VersionOf("a"), "11") << "the watch is behind";
  Events({ListEnd("12")});
  EXPECT_EQ(VersionOf("a"), "11");
  EXPECT_TRUE(Has("b"));
}

TEST_F(RelistTest, AnotherObjectOfTheSameNameWaitsForTheEndOfTheList) {
  Relist();
  Events({Added(MakeObject("a", "u2", "11"))});
  EXPECT_EQ(VersionOf("a"), "5");
  Events({ListEnd("12")});
  EXPECT_EQ(VersionOf("a"), "11");
}

TEST_F(RelistTest, AListThatFailsLeavesTheWatchAlone) {
  Relist();
  Do([&](auto& c) { reflector_.OnListFailed({list_, ApiFailure{500, "", "", std::nullopt}}, c); });
  EventsOf(watch_, {Modified(MakeObject("a", "ua", "15"))});
  EXPECT_EQ(VersionOf("a"), "15");
  TickWhenDue();
  ASSERT_NE(Requested<StartList>(), nullptr);
}

TEST_F(RelistTest, AWatchThatEndsBesideAListIsReplacedByIt) {
  Relist();
  Do([&](auto& c) {
    reflector_.OnWatchEnded({watch_, ApiFailure{410, "Expired", "", std::nullopt}}, c);
  });
  EXPECT_EQ(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>(), nullptr);
  Events({Added(MakeObject("b", "ub", "20")), ListEnd("30")});
  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(Has("b"));
  EXPECT_EQ(reflector_.store().watermark(), "30");
}

TEST_F(RelistTest, ARepeatedListKeepsTheBytesThatAreThere) {
  const SharedBytes bytes = reflector_.store().Find({"default", "a"})->json.packed();
  Relist();
  Events({Added(MakeObject("a", "ua", "5"))});
  Events({ListEnd("12")});
  ASSERT_TRUE(Has("a"));
  EXPECT_EQ(bytes.users(), 2u) << "the store and this test";
  EXPECT_TRUE(changes_.empty());
}

TEST_F(RelistTest, ANarrowerSpecificationIsNotListedFor) {
  ResourceSpec narrower = reflector_.spec();
  narrower.projection.fields = {"spec"};
  narrower.label_selector = "app=web";
  Do([&](auto& c) { reflector_.Respecify(narrower, c); });
  EXPECT_TRUE(out_.empty());
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
  EXPECT_TRUE(reflector_.spec().label_selector.empty()) << "what the cache holds";
}

TEST(ResourceSpec, CoversWhatHoldsAtLeastAsMuch) {
  const auto spec = [](std::string selector, kube::Projection projection) {
    return ResourceSpec{kPods, "", std::move(selector), std::move(projection)};
  };
  EXPECT_TRUE(Covers(spec("", {}), spec("a=b", {.fields = {"spec"}})));
  EXPECT_TRUE(Covers(spec("", {.fields = {"spec"}}), spec("", {.fields = {"spec.replicas"}})));
  EXPECT_FALSE(Covers(spec("", {.fields = {"spec"}}), spec("", {.fields = {"specialty"}})));
  EXPECT_FALSE(Covers(spec("", {.fields = {"spec"}}), spec("", {})));
  EXPECT_FALSE(Covers(spec("a=b", {}), spec("", {})));
  EXPECT_FALSE(Covers(spec("", {}), spec("", {.parent_label = "app"})));
  EXPECT_FALSE(Covers(spec("", {.controller_kinds = {"v1/A"}}), spec("", {})));
  EXPECT_TRUE(Covers(spec("", {.controller_kinds = {"v1/A", "v1/B"}}),
                     spec("", {.controller_kinds = {"v1/B"}})));
  EXPECT_FALSE(Covers(spec("", {}), spec("", {.controller_kinds = {"v1/A"}})));
  EXPECT_FALSE(Covers(spec("", {}), spec("", {.managed_kinds = {"v1/A"}})));
  EXPECT_TRUE(Covers(spec("", {.managed_kinds = {"v1/A"}}), spec("", {})));
  EXPECT_TRUE(
      Covers(spec("", {.managed_kinds = {"v1/A"}}), spec("", {.controller_kinds = {"v1/A"}})));
}

class LargeListTest : public ReflectorTest {
 protected:
  LargeListTest() { reflector_ = Reflector({kPods, "", "", {}}, {.merge_step = 2}); }
};

TEST_F(LargeListTest, IsTakenOverInStepsBetweenWhichEventsCount) {
  Start();
  Events({Added(MakeObject("a", "ua", "1")), Added(MakeObject("b", "ub", "2")),
          Added(MakeObject("c", "uc", "3")), Added(MakeObject("d", "ud", "4")),
          Added(MakeObject("e", "ue", "5")), ListEnd("10")});
  EXPECT_EQ(changes_.size(), 2u);
  EXPECT_EQ(reflector_.availability(), Availability::kPending);
  EXPECT_EQ(reflector_.NextDeadline(), now_) << "there is more to do at once";
  Events({Deleted(MakeObject("e", "ue", "11")), Modified(MakeObject("d", "ud", "12"))});
  EXPECT_EQ(reflector_.store().watermark(), "") << "the cache lacks objects of the list";
  for (int i = 0; i < 10 && reflector_.NextDeadline() <= now_; ++i) TickWhenDue();
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
  EXPECT_EQ(reflector_.store().objects().size(), 4u);
  EXPECT_FALSE(Has("e"));
  EXPECT_EQ(reflector_.store().Find({"default", "d"})->resource_version, "12");
  EXPECT_EQ(reflector_.store().watermark(), "12");
}

TEST_F(LargeListTest, OneThatExpiresBeforeItsLastPageAsksForLargerPages) {
  Start();
  const uint32_t limit = Requested<StartList>()->limit;
  Page({MakeObject("a", "ua", "5")}, "10", "next");
  Fail(410, "Expired");
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->continue_token, "");
  EXPECT_EQ(Requested<StartList>()->limit, 4 * limit);
}

TEST_F(RelistTest, AListOfOnePageIsEnoughToBeFresh) {
  RequireFresh();
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>(), nullptr);
  EXPECT_LT(reflector_.streams().barrier().fresh_since(), now_);
  AnswerPage({MakeObject("a", "ua", "5"), MakeObject("b", "ub", "12")}, "20", "");
  EXPECT_EQ(reflector_.streams().barrier().fresh_since(), now_);
  EXPECT_TRUE(Has("b"));
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "20");
}

TEST_F(RelistTest, ALongerListIsABarrierThatTheWatchHasToPass) {
  RequireFresh();
  AnswerPage({MakeObject("a", "ua", "5")}, "20", "more");
  EXPECT_EQ(Requested<StartList>(), nullptr) << "nothing more is listed";
  EXPECT_LT(reflector_.streams().barrier().fresh_since(), now_);
  Events({Added(MakeObject("b", "ub", "19"))});
  EXPECT_LT(reflector_.streams().barrier().fresh_since(), now_);
  Events({Bookmark("20")});
  EXPECT_EQ(reflector_.streams().barrier().fresh_since(), now_);
  EXPECT_EQ(reflector_.NextDeadline(), absl::InfiniteDuration());
}

class BarrierPagesTest : public RelistTest {
 protected:
  BarrierPagesTest() : RelistTest({.list_page = 1, .barrier_pages = 2}) {}
};

TEST_F(BarrierPagesTest, FewPagesAreListedIfTheWatchHasNotPassedTheBarrier) {
  RequireFresh();
  AnswerPage({MakeObject("a", "ua", "5")}, "20", "more");
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->continue_token, "more");
  EXPECT_EQ(Requested<StopStream>(), nullptr) << "the watch goes on";
  EXPECT_LT(reflector_.streams().barrier().fresh_since(), now_);
  AnswerPage({MakeObject("b", "ub", "12")}, "20", "");
  EXPECT_EQ(reflector_.streams().barrier().fresh_since(), now_);
  EXPECT_TRUE(Has("a") && Has("b"));
}

TEST_F(BarrierPagesTest, NothingMoreIsListedIfTheWatchHasPassedTheBarrier) {
  Events({Bookmark("20")});
  RequireFresh();
  AnswerPage({MakeObject("a", "ua", "5")}, "20", "more");
  EXPECT_EQ(Requested<StartList>(), nullptr);
  EXPECT_EQ(reflector_.streams().barrier().fresh_since(), now_);
}

TEST_F(BarrierPagesTest, ManyPagesAreNotListed) {
  Events({Added(MakeObject("b", "ub", "11")), Added(MakeObject("c", "uc", "12"))});
  RequireFresh();
  AnswerPage({MakeObject("a", "ua", "5")}, "20", "more");
  EXPECT_EQ(Requested<StartList>(), nullptr);
  EXPECT_LT(reflector_.streams().barrier().fresh_since(), now_);
}

TEST_F(BarrierPagesTest, TheServerKnowsBestHowManyPagesThereAre) {
  RequireFresh();
  AnswerPage({MakeObject("a", "ua", "5")}, "20", "more", 2);
  EXPECT_EQ(Requested<StartList>(), nullptr) << "two more pages are too many";
  Events({Bookmark("20")});
  for (const char* name : {"b", "c", "d"}) Events({Added(MakeObject(name, name, "21"))});
  RequireFresh();
  AnswerPage({MakeObject("a", "ua", "5")}, "22", "more", 1);
  EXPECT_NE(Requested<StartList>(), nullptr) << "the others have been deleted meanwhile";
}

TEST_F(RelistTest, AQuietWatchIsReopenedToReachABarrierAndListedForInTheEnd) {
  RequireFresh();
  AnswerPage({MakeObject("a", "ua", "5")}, "20", "more");
  TickWhenDue();
  ASSERT_NE(Requested<StartWatch>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "10");
  EXPECT_LE(Requested<StartWatch>()->timeout, absl::Seconds(5)) << "servers send a bookmark before";
  EXPECT_EQ(TickWhenDue(), absl::Seconds(5));
  ASSERT_NE(Requested<StartList>(), nullptr);
}

TEST_F(RelistTest, ABarrierThatCannotBeReadIsAskedForAgainAndThenListed) {
  RequireFresh();
  for (int i = 0; i < 3; ++i) {
    ASSERT_NE(Requested<StartList>(), nullptr) << i;
    const StreamId stream = Requested<StartList>()->stream;
    Do([&](auto& c) {
      reflector_.OnListFailed({stream, ApiFailure{503, "", "", std::nullopt}}, c);
    });
    TickWhenDue();
  }
  ASSERT_NE(Requested<StartList>(), nullptr);
}

TEST_F(RelistTest, AListThatBeganTooEarlyIsFollowedByABarrier) {
  Relist();
  RequireFresh();
  EXPECT_TRUE(out_.empty());
  Events({Added(MakeObject("a", "ua", "5")), ListEnd("20")});
  EXPECT_NE(Requested<StartList>(), nullptr);
}

TEST_F(RelistTest, WatchesThatBeganTogetherEndAtDifferentTimes) {
  std::set<absl::Duration> timeouts;
  for (int i = 0; i < 20; ++i) {
    now_ += absl::Minutes(7);
    EndCleanly();
    timeouts.insert(Requested<StartWatch>()->timeout);
  }
  EXPECT_GT(timeouts.size(), 10u);
  EXPECT_LE(*timeouts.rbegin(), absl::Minutes(7));
  EXPECT_GE(*timeouts.begin(), absl::Minutes(4));
}

}  // namespace
}  // namespace xebec::watcher
