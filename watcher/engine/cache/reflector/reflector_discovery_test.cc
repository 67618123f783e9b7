// SPDX-License-Identifier: Apache-2.0
// Reflector: what the API server serves, and watches that end.
#include "gtest/gtest.h"
#include "watcher/engine/testing/reflector_rig.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::kPods;
using testing::ListEnd;
using testing::MakeObject;
using testing::Modified;
using testing::ReflectorTest;

TEST_F(ReflectorTest, AWatchThatLivedItsTimeResumesFromTheCursorAtOnce) {
  StartWatching();
  Events({Modified(MakeObject("a", "ua", "12"))});
  now_ += absl::Minutes(7);
  EndCleanly();
  EXPECT_EQ(Requested<Discover>(), nullptr) << "when idle, it requests only watches";
  ASSERT_NE(Requested<StartWatch>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "12");
}

TEST_F(ReflectorTest, AWatchThatEndsEarlyResumesOnceItIsKnownWhatTheServerOffersNow) {
  StartWatching();
  Events({Modified(MakeObject("a", "ua", "12"))});
  now_ += absl::Minutes(5);
  EndCleanly();
  EXPECT_EQ(Requested<StartWatch>(), nullptr);
  ASSERT_NE(Requested<Discover>(), nullptr);
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, true, false, true}, c); });
  ASSERT_NE(Requested<StartWatch>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "12");
  EXPECT_FALSE(reflector_.subresources().status);
  EXPECT_TRUE(reflector_.subresources().scale);
}

TEST_F(ReflectorTest, ADiscoveryThatFailsBeforeAWatchResumesIsTriedAgain) {
  StartWatching();
  now_ += absl::Minutes(1);
  EndCleanly();
  Do([&](auto& c) { reflector_.OnDiscoveryFailed({503, "", "", std::nullopt}, c); });
  TickWhenDue();
  ASSERT_NE(Requested<Discover>(), nullptr);
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, true, true, false}, c); });
  ASSERT_NE(Requested<StartWatch>(), nullptr);
}

TEST_F(ReflectorTest, AListThatIsAskedForBeforeAWatchResumesTakesItsPlace) {
  for (const bool failed : {false, true}) {
    reflector_ = Reflector({kPods, "", "", {}}, {});
    StartWatching();
    now_ += absl::Minutes(1);
    EndCleanly();
    if (failed) Do([&](auto& c) { reflector_.OnDiscoveryFailed({503, "", "", std::nullopt}, c); });
    Do([&](auto& c) { reflector_.Relist("lost_write", c); });
    if (failed) TickWhenDue();
    Do([&](auto& c) { reflector_.OnDiscovered({kPods, true, true, false}, c); });
    ASSERT_NE(Requested<StartList>(), nullptr);
  }
}

TEST_F(ReflectorTest, WatchesThatEndAtOnceAreNotReopenedWithoutAPause) {
  StartWatching();
  Events({Bookmark("11")});
  EndCleanly();
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, true, true, false}, c); });  // reopened
  EndCleanly();                                                                  // has said nothing
  EXPECT_TRUE(out_.empty());
  EXPECT_GE(TickWhenDue(), absl::Milliseconds(800));
  EXPECT_NE(Requested<Discover>(), nullptr);
}

// The page that proves the cache fresh turns out to be the beginning of a list. It must not go on
// as if the kind were served.
TEST_F(ReflectorTest, AListThatBeganBeforeTheKindWentIsStopped) {
  reflector_ = Reflector({kPods, "", "", {}}, {});
  StartWatching();
  Do([&](auto& c) { reflector_.RequireFresh({now_ + absl::Seconds(1)}, c); });
  const StreamId barrier = Requested<StartList>()->stream;
  now_ += absl::Minutes(1);
  EndCleanly();
  Do([&](auto& c) {
    reflector_.OnList({barrier, {{MakeObject("a", "ua", "5")}, "12", "more"}}, c);
  });
  ASSERT_TRUE(Listing());
  const StreamId list = Stream();
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, false, false, false}, c); });
  Do([&](auto& c) { reflector_.OnList({list, {{}, "12", ""}}, c); });
  EXPECT_EQ(Requested<StartWatch>(), nullptr);
  TickWhenDue();
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, true, true, false}, c); });
  Events({Added(MakeObject("a", "ua", "5")), ListEnd("13")});
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
}

const ResourceType kGadgets{"example.com", "v1", "Gadget", "gadgets", false};

TEST_F(ReflectorTest, A404SaysThatTheKindIsGoneNotItsObjects) {
  reflector_ = Reflector({kGadgets, "", "", {}}, {});
  StartWatching();
  Fail(404, "NotFound");
  EXPECT_TRUE(changes_.empty());
  EXPECT_TRUE(Has("a"));
  EXPECT_EQ(reflector_.availability(), Availability::kUnavailable);
  EXPECT_EQ(TickWhenDue(), absl::Seconds(10));
  EXPECT_NE(Requested<Discover>(), nullptr);
}

TEST_F(ReflectorTest, A404OfTheCoreGroupIsAFailureLikeOthers) {
  StartWatching();
  Fail(404, "NotFound");
  EXPECT_TRUE(Has("a"));
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
  EXPECT_LE(TickWhenDue(), absl::Seconds(2));
  EXPECT_EQ(Requested<Discover>(), nullptr);
}

TEST_F(ReflectorTest, AKindMadeAgainHasNewObjects) {
  reflector_ = Reflector({kGadgets, "", "", {}}, {});
  StartWatching();
  Fail(404, "NotFound");
  TickWhenDue();
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, true, false, false}, c); });
  Events({Added(MakeObject("a", "another", "40")), ListEnd("41")});
  ASSERT_EQ(changes_.size(), 2u);
  EXPECT_EQ(changes_[0].type, ChangeType::kDeleted);
  EXPECT_EQ(changes_[1].after->uid, "another");
  EXPECT_FALSE(reflector_.subresources().status);
}

TEST_F(ReflectorTest, AMissingKindIsLookedForAgainAndToldOnce) {
  Do([&](auto& c) { reflector_.Start(c); });
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, false, false, false}, c); });
  EXPECT_NE(Requested<Note>(), nullptr);
  EXPECT_EQ(reflector_.availability(), Availability::kUnavailable);
  TickWhenDue();
  EXPECT_NE(Requested<Discover>(), nullptr);
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, false, false, false}, c); });
  EXPECT_EQ(Requested<Note>(), nullptr);
  TickWhenDue();
  Do([&](auto& c) { reflector_.OnDiscovered({kPods, true, true, false}, c); });
  EXPECT_NE(Requested<StartList>(), nullptr);
}

TEST_F(ReflectorTest, AFailedDiscoveryIsTriedAgain) {
  Do([&](auto& c) { reflector_.Start(c); });
  Do([&](auto& c) { reflector_.OnDiscoveryFailed({503, "", "", std::nullopt}, c); });
  EXPECT_EQ(reflector_.availability(), Availability::kPending);
  TickWhenDue();
  EXPECT_NE(Requested<Discover>(), nullptr);
}

}  // namespace
}  // namespace xebec::watcher
