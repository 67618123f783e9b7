// SPDX-License-Identifier: Apache-2.0
// A cache whose buckets come and go while it is used.
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

class BucketsTest : public BucketsReflectorTest {
 protected:
  void Hold(std::initializer_list<uint32_t> buckets) {
    Do([&](auto& c) { reflector_.Respecify(Spec(buckets), c); });
  }
  std::vector<ChangeType> Types() const {
    std::vector<ChangeType> types;
    for (const StoreChange& change : changes_) types.push_back(change.type);
    return types;
  }
};

TEST_F(BucketsTest, AShortListProvesFreshnessIfTheServerTellsThatItIsShort) {
  const auto ask = [&](std::optional<uint64_t> remaining) {
    now_ += absl::Seconds(1);
    Do([&](auto& c) { reflector_.RequireFresh({now_}, c); });
    AnswerPage({Child("a", "5", 0)}, "20", "more", remaining);
    return Requested<StartList>() != nullptr;
  };
  EXPECT_FALSE(ask(std::nullopt));
  Fail(410);
  Events({Added(Child("a", "5", 0)), ListEnd("10")});
  ASSERT_TRUE(ask(2));
  AnswerPage({Header("b", "6", 1), Child("c", "7", 3)}, "20", "");
  EXPECT_EQ(reflector_.streams().barrier().fresh_since(), now_);
  EXPECT_TRUE(Has("c") && !Has("b"));
}

TEST_F(BucketsTest, BucketsThatAreGainedWhileAListIsTakenOverWaitForItsEnd) {
  now_ += absl::Seconds(1);
  Do([&](auto& c) { reflector_.RequireFresh({now_}, c); });
  AnswerPage({Child("b", "6", 0), Child("c", "7", 0), Child("d", "8", 0)}, "20", "");
  ASSERT_TRUE(Has("a")) << "it was deleted before the list";
  Hold({0, 1, 3});
  EXPECT_EQ(Requested<StartList>(), nullptr);
  for (int i = 0; i < 9 && Requested<StartList>() == nullptr; ++i) TickWhenDue();
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_FALSE(Has("a"));
  EXPECT_EQ(reflector_.streams().barrier().fresh_since(), now_);
}

TEST_F(BucketsTest, AGainedBucketIsHeldAfterAListBesideWhichTheOthersStay) {
  Hold({0, 1, 3});
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->projection.keep, Children({0, 1, 3}));
  EXPECT_EQ(Requested<StopStream>(), nullptr);
  EventsOf(watch_, {Modified(Child("a", "11", 0))});
  EXPECT_TRUE(Holds({0, 3}));
  Events({Added(Child("a", "11", 0)), Added(Child("b", "7", 1)), ListEnd("12")});
  EXPECT_TRUE(Holds({0, 1, 3}));
  EXPECT_TRUE(Has("b"));
  EXPECT_EQ(Types(), (std::vector{ChangeType::kAdded}));
}

TEST_F(BucketsTest, GainsInQuickSuccessionTakeTheListThatIsReadAndOneMore) {
  Hold({0, 1, 3});
  Hold({0, 1, 2, 3});
  EXPECT_TRUE(out_.empty()) << "the list goes on";
  Events({Added(Child("a", "5", 0)), Added(Child("b", "7", 1)), ListEnd("12")});
  EXPECT_TRUE(Holds({0, 1, 3}));
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->projection.keep, Children({0, 1, 2, 3}));
  Events({Added(Child("a", "5", 0)), Added(Child("b", "7", 1)), Added(Child("c", "8", 2)),
          ListEnd("13")});
  EXPECT_TRUE(Holds({0, 1, 2, 3}));
  EXPECT_TRUE(Has("c"));
  EXPECT_EQ(Requested<StartList>(), nullptr);
}

TEST_F(BucketsTest, TheFirstListIsNotReadAgainBecauseMoreIsWanted) {
  reflector_ = Reflector(Spec({0}), {});
  Start();
  Hold({0, 1});
  EXPECT_TRUE(out_.empty());
  Events({Added(Child("a", "5", 0)), ListEnd("10")});
  EXPECT_TRUE(Holds({0}));
  ASSERT_NE(Requested<StartList>(), nullptr);
  Events({Added(Child("a", "5", 0)), ListEnd("10")});
  EXPECT_TRUE(Holds({0, 1}));
}

TEST_F(BucketsTest, ALostBucketIsForgottenWithoutAListAndWithoutADeletion) {
  Hold({3});
  EXPECT_TRUE(out_.empty());
  EXPECT_TRUE(Holds({3})) << "from now on";
  TickWhenDue();
  EXPECT_EQ(Types(), (std::vector{ChangeType::kForgotten}));
  EXPECT_FALSE(Has("a"));
  EXPECT_FALSE(reflector_.store().SawDeletion("ua"));
  EXPECT_EQ(reflector_.NextDeadline(), absl::InfiniteDuration());
}

TEST_F(BucketsTest, ForgettingTakesSteps) {
  for (const char* name : {"b", "c", "d", "e"}) Events({Added(Child(name, "11", 0))});
  Hold({3});
  for (int steps = 0; !reflector_.store().objects().empty(); ++steps) {
    ASSERT_LT(steps, 3);
    TickWhenDue();
    EXPECT_LE(changes_.size(), 2u);
  }
}

TEST_F(BucketsTest, AWideWatchShowsLostObjectsAsForeign) {
  Hold({3});
  Events({Modified(Child("a", "11", 0)), Added(Child("b", "12", 0))});
  EXPECT_EQ(Types(),
            (std::vector{ChangeType::kForgotten, ChangeType::kForeign, ChangeType::kForeign}));
  EXPECT_FALSE(Has("a"));
  Events({Deleted(Child("a", "13", 0))});
  ASSERT_EQ(Types(), (std::vector{ChangeType::kForeign}));
  EXPECT_TRUE(changes_[0].gone) << "its name is free";
  EndCleanly();
  TickWhenDue();
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, true, true, false}, c); });
  EXPECT_EQ(Requested<StartWatch>()->projection.keep, Children({3})) << "the next one is narrow";
}

TEST_F(BucketsTest, AnObjectThatIsForgottenWhileAListRunsComesBackWithTheNextOne) {
  Do([&](auto& c) { reflector_.Relist("test", c); });
  Events({Added(Child("a", "5", 0))});  // the list need not keep it
  Hold({3});
  TickWhenDue();
  EXPECT_FALSE(Has("a"));
  Hold({0, 3});
  Events({ListEnd("12")});
  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(Holds({3})) << "the list does not count for bucket 0";
  ASSERT_NE(Requested<StartList>(), nullptr);
  Events({Added(Child("a", "5", 0)), ListEnd("12")});
  EXPECT_TRUE(Holds({0, 3}));
  EXPECT_TRUE(Has("a"));
}

TEST_F(BucketsTest, WhatIsLostWhileAListRunsDoesNotComeWithIt) {
  Hold({0, 1, 3});
  Events({Added(Child("b", "7", 1)), Added(Child("c", "7", 1)), Added(Child("d", "7", 0))});
  Hold({0, 3});
  EXPECT_FALSE(reflector_.cache().scope().active());
  TickWhenDue();
  Events({Added(Child("a", "5", 0)), Added(Child("e", "8", 1)), ListEnd("12")});
  while (reflector_.NextDeadline() <= now_) TickWhenDue();
  EXPECT_TRUE(Holds({0, 3}));
  EXPECT_EQ(reflector_.store().objects().size(), 2u);
  EXPECT_TRUE(Has("d"));
}

TEST_F(BucketsTest, WhatIsLostDuringTheMergeDoesNotStay) {
  Hold({0, 1, 3});
  Events({Added(Child("b", "7", 1)), Added(Child("c", "7", 1)), Added(Child("d", "7", 1)),
          Added(Child("a", "5", 0)), ListEnd("12")});
  EXPECT_EQ(reflector_.store().objects().size(), 3u) << "one step of the merge";
  Hold({0, 3});
  for (int i = 0; i < 10 && reflector_.NextDeadline() <= now_; ++i) TickWhenDue();
  EXPECT_TRUE(Holds({0, 3}));
  EXPECT_EQ(reflector_.store().objects().size(), 1u);
}

TEST_F(BucketsTest, AListThatDoesNotShowABucketDeletesNothingOfIt) {
  Hold({3});
  Do([&](auto& c) { reflector_.Relist("test", c); });
  Hold({0, 3});
  Events({ListEnd("12")});
  EXPECT_FALSE(reflector_.store().SawDeletion("ua"));
  EXPECT_TRUE(changes_.empty());
}

TEST_F(BucketsTest, AListWhosePagesShowedABucketOnlyInPartDeletesNothingOfIt) {
  Do([&](auto& c) { reflector_.Relist("test", c); });
  ASSERT_NE(Requested<StartList>(), nullptr);
  Page({}, "12", "more");
  Hold({3});
  Page({}, "12", "more");
  Hold({0, 3});
  Page({}, "12", "");
  EXPECT_TRUE(Has("a"));
  EXPECT_FALSE(reflector_.store().SawDeletion("ua"));
}

TEST_F(BucketsTest, EventsThatANarrowWatchShowedBesideTheListComeAgainFirst) {
  Hold({0, 1, 3});
  EventsOf(watch_, {Modified(Header("b", "15", 1)), Bookmark("30")});
  EXPECT_EQ(Types(), (std::vector{ChangeType::kForeign}));
  Events({Added(Child("a", "5", 0)), Added(Child("b", "7", 1)), ListEnd("12")});
  EXPECT_TRUE(Holds({0, 3})) << "the cache lacks version 15 of b";
  Events({Modified(Child("b", "15", 1))});
  EXPECT_TRUE(Holds({0, 1, 3}));
  EXPECT_TRUE(Has("b"));
}

TEST_F(BucketsTest, ARegainedObjectThatANarrowWatchShowsIsForgottenNotDeleted) {
  Events({Added(Child("b", "11", 3))});
  Hold({0});
  Hold({0, 3});  // b is still stored
  EXPECT_TRUE(Has("b"));
  EventsOf(watch_, {Modified(Header("b", "15", 3))});
  EXPECT_EQ(Types(), (std::vector{ChangeType::kForgotten, ChangeType::kForeign}));
  EXPECT_FALSE(reflector_.store().SawDeletion("ub"));
}

TEST_F(BucketsTest, AnEventThatComesAgainTakesNothingFromWhatTheListHasShown) {
  Events({Added(Child("b", "11", 3))});
  Hold({0});
  Hold({0, 3});
  EventsOf(Stream(), {Added(Child("b", "11", 3))});  // the list confirms it
  EventsOf(watch_, {Modified(Header("b", "11", 3)), Modified(Header("b", "10", 3))});
  EXPECT_TRUE(changes_.empty());
  EXPECT_TRUE(Has("b"));
}

TEST_F(BucketsTest, AnExpiredWatchIsListedAgainForWhatIsWantedThen) {
  Hold({0, 1, 3});
  const StreamId list = Stream();
  Do([&](auto& c) {
    reflector_.OnWatchEnded({watch_, ApiFailure{410, "Expired", "", std::nullopt}}, c);
  });
  Do([&](auto& c) {
    reflector_.OnWatchEnded({list, ApiFailure{410, "Expired", "", std::nullopt}}, c);
  });
  Hold({1, 2});
  EXPECT_TRUE(Holds({}));
  Events({Added(Child("b", "7", 1)), ListEnd("12")});
  EXPECT_TRUE(Holds({1}));
  Events({Added(Child("b", "7", 1)), Added(Child("c", "7", 2)), ListEnd("12")});
  EXPECT_TRUE(Holds({1, 2}));
  while (reflector_.NextDeadline() <= now_) TickWhenDue();
  EXPECT_FALSE(Has("a"));
}

TEST_F(BucketsTest, WithAnotherNumberOfBucketsNothingIsHeldUntilTheNextList) {
  Do([&](auto& c) { reflector_.Respecify(Spec({0, 3}, 8), c); });
  EXPECT_FALSE(reflector_.spec().projection.keep.Keeps("", UidIn(0, "u", 8), ""));
  EXPECT_EQ(Requested<StartList>()->projection.keep, Children({0, 3}, 8));
  kube::DecodedObject object = MakeObject("z", "uz", "6", UidIn(3, "u", 8));
  Events({Added(object), ListEnd("12")});
  EXPECT_EQ(reflector_.spec(), Spec({0, 3}, 8));
  EXPECT_TRUE(Has("z"));
}

TEST_F(BucketsTest, AGainedBucketIsAsFreshAsItsList) {
  now_ += absl::Seconds(10);
  Hold({0, 1, 3});
  const absl::Duration gained = now_;
  now_ += absl::Seconds(10);
  Events({Added(Child("a", "5", 0)), ListEnd("12")});
  EXPECT_EQ(reflector_.streams().barrier().fresh_since(), gained);
}

TEST_F(BucketsTest, AChildThatPassesToAnotherBucketLeavesItsParent) {
  Events({Modified(Header("a", "11", 1))});
  EXPECT_EQ(Types(), (std::vector{ChangeType::kDeleted, ChangeType::kForeign}));
}

TEST_F(BucketsTest, OrphansAreKeptAsLongAsTheyNameTheirController) {
  Events({Added(Child("orphan", "11", 3))});
  EXPECT_TRUE(Has("orphan")) << "whether its parent exists is not known here";
  kube::DecodedObject released = MakeObject("orphan", "uorphan", "12");
  Events({Modified(released)});
  EXPECT_FALSE(Has("orphan"));
}

}  // namespace
}  // namespace xebec::watcher
