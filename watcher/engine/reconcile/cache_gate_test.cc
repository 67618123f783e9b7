// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/cache_gate.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::Deleted;
using testing::MakeObject;
using testing::Modified;

constexpr absl::Duration kNow = absl::Seconds(1000);

/// A reflector that watches from version 10 with the objects that were fed.
class GateTest : public ::testing::Test {
 protected:
  GateTest() : reflector_({{"", "v1", "Part", "parts", false}, "", "", {}}, {}) {
    ReflectorContext context = Context();
    reflector_.Start(context);
    reflector_.OnDiscovered({{}, true, true, false}, context);
    ReflectorContext listing = Context();
    reflector_.OnList({reflector_.streams().Streams().front(), {{}, "10", ""}}, listing);
  }
  ReflectorContext Context() {
    return {.now = kNow, .last_stream = &stream_, .changes = &changes_, .out = &out_};
  }
  void Feed(std::vector<kube::WatchEvent> events) {
    ReflectorContext context = Context();
    reflector_.OnEvents({reflector_.streams().Streams().front(), std::move(events)}, context);
  }
  GateState Written(const std::string& version, const std::string& baseline = "") {
    Requirement requirement;
    requirement.object = {"default", "a"};
    requirement.uid = "ua";
    requirement.version = version;
    requirement.baseline = baseline;
    return CheckRequirement(requirement, reflector_);
  }
  GateState DeletedOnce(const std::string& known_version = "",
                        const std::string& deleted_version = "") {
    Requirement requirement;
    requirement.object = {"default", "a"};
    requirement.uid = "ua";
    requirement.baseline = known_version;
    requirement.deleted_version = deleted_version;
    return CheckRequirement(requirement, reflector_);
  }

  StreamId stream_ = 0;
  StoreChanges changes_;
  Outputs out_;
  Reflector reflector_;
};

TEST_F(GateTest, AWriteIsWaitedForUntilTheCacheShowsItOrSomethingNewer) {
  EXPECT_EQ(Written("12"), GateState::kWaiting);
  Feed({Added(MakeObject("a", "ua", "12"))});
  EXPECT_EQ(Written("12"), GateState::kOpen);
  EXPECT_EQ(Written("13"), GateState::kWaiting);
  Feed({Modified(MakeObject("a", "ua", "15"))});
  EXPECT_EQ(Written("13"), GateState::kOpen);
}

TEST_F(GateTest, AWriteThatChangedNothingPassesAtOnce) {
  Feed({Added(MakeObject("a", "ua", "12"))});
  EXPECT_EQ(Written("12"), GateState::kOpen);
}

TEST_F(GateTest, AnObjectThatCameAndWentIsNotWaitedFor) {
  Feed({Added(MakeObject("a", "ua", "12")), Deleted(MakeObject("a", "ua", "13"))});
  EXPECT_EQ(Written("12"), GateState::kOpen);
}

TEST_F(GateTest, AWriteThatTheWatermarkPassedAndTheCacheLacksIsLost) {
  Feed({Bookmark("20")});
  EXPECT_EQ(Written("12"), GateState::kLost);
}

TEST_F(GateTest, VersionsThatCannotBeComparedWaitForAnyNewerEventOfTheObject) {
  Feed({Added(MakeObject("a", "ua", "11"))});
  EXPECT_EQ(Written("x7", "11"), GateState::kWaiting);
  Feed({Modified(MakeObject("a", "ua", "12"))});
  EXPECT_EQ(Written("x7", "11"), GateState::kOpen);
}

TEST_F(GateTest, ADeletionIsSeenWhenTheUidIsGoneOrTerminates) {
  Feed({Added(MakeObject("a", "ua", "12"))});
  EXPECT_EQ(DeletedOnce(), GateState::kWaiting);
  kube::DecodedObject terminating = MakeObject("a", "ua", "13");
  terminating.header.deleting = true;
  Feed({Modified(terminating)});
  EXPECT_EQ(DeletedOnce(), GateState::kOpen);
  Feed({Deleted(MakeObject("a", "ua", "14"))});
  EXPECT_EQ(DeletedOnce(), GateState::kOpen);
}

TEST_F(GateTest, AbsenceSaysNothingBeforeTheObjectCanHaveBeenSeen) {
  EXPECT_EQ(DeletedOnce("15"), GateState::kWaiting);
  Feed({Added(MakeObject("a", "ua", "15"))});
  EXPECT_EQ(DeletedOnce("15"), GateState::kWaiting);
  Feed({Deleted(MakeObject("a", "ua", "16"))});
  EXPECT_EQ(DeletedOnce("15"), GateState::kOpen);
}

TEST_F(GateTest, AListThatBeganBeforeTheDeletionMayStillBringTheObject) {
  Feed({Bookmark("20")});
  EXPECT_EQ(DeletedOnce("15", "25"), GateState::kOpen);
  ReflectorContext context = Context();
  reflector_.Relist("lost_write", context);
  EXPECT_EQ(DeletedOnce("15", "25"), GateState::kWaiting);
  reflector_.OnList(
      {reflector_.streams().Streams().front(), {{MakeObject("a", "ua", "15")}, "22", ""}}, context);
  EXPECT_EQ(DeletedOnce("15", "25"), GateState::kWaiting);
  Feed({Deleted(MakeObject("a", "ua", "25"))});
  EXPECT_EQ(DeletedOnce("15", "25"), GateState::kOpen);
}

TEST_F(GateTest, AKindThatCannotBeWatchedHoldsNobodyUp) {
  ReflectorContext context = Context();
  reflector_.OnWatchEnded(
      {reflector_.streams().Streams().front(), ApiFailure{403, "Forbidden", "", std::nullopt}},
      context);
  EXPECT_EQ(Written("99"), GateState::kOpen);
}

TEST(Gate, BelongsInCacheByLabelsAndController) {
  const std::string owned =
      R"({"metadata":{"labels":{"app":"a"},"ownerReferences":[{"controller":true,"uid":"p"}]}})";
  ResourceSpec spec;
  spec.projection.controller_kinds = {"example.com/v1/Widget"};
  EXPECT_TRUE(BelongsInCache(owned, spec, "p"));
  EXPECT_FALSE(BelongsInCache(owned, spec, "q"));
  EXPECT_FALSE(BelongsInCache("{\"metadata\":{}}", spec, "p"));
  spec.label_selector = "app=a";
  EXPECT_TRUE(BelongsInCache(owned, spec, "p"));
  for (const char* selector : {"app=b", "app==b", "other=a", "app in (a)", "!app", "app!=b"}) {
    spec.label_selector = selector;
    EXPECT_FALSE(BelongsInCache(owned, spec, "p")) << selector;
  }
  spec.label_selector = "app==a";
  EXPECT_TRUE(BelongsInCache(owned, spec, "p"));
  EXPECT_FALSE(BelongsInCache("not json", spec, "p"));
}

TEST(Gate, WhatBelongsToNobodyIsNotExpectedWhereOnlyOwnBucketsAreKept) {
  const std::string owned = R"({"metadata":{"ownerReferences":[{"controller":true,"uid":"p"}]}})";
  ResourceSpec spec;
  EXPECT_TRUE(BelongsInCache("{\"metadata\":{}}", spec, "p"));
  spec.projection.keep = testing::Parents({0});
  EXPECT_FALSE(BelongsInCache("{\"metadata\":{}}", spec, "p"));
  EXPECT_TRUE(BelongsInCache(owned, spec, "p"));
}

CacheGate GateFor(const std::string& version) {
  CacheGate gate;
  gate.Require({.version = version});
  return gate;
}

TEST(WatermarkWaits, WakesWhoWaitedForLess) {
  WatermarkWaits waits;
  waits.Add(GateFor("100"), 1);
  waits.Add(GateFor("99"), 2);
  waits.Add(GateFor("101"), 3);
  EXPECT_EQ(waits.Passed(0, "100"), (std::vector<KeyId>{2, 1}));
  EXPECT_TRUE(waits.Passed(0, "100").empty());
}

}  // namespace
}  // namespace xebec::watcher
