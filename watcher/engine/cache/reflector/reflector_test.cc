// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/reflector.h"

#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/testing/reflector_rig.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::Deleted;
using testing::Error;
using testing::kPods;
using testing::ListEnd;
using testing::MakeForeign;
using testing::MakeObject;
using testing::Modified;
using testing::ReflectorTest;

TEST_F(ReflectorTest, ListsAndWatchesFromTheVersionOfTheList) {
  Start();
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_EQ(Requested<StartList>()->continue_token, "");
  Events({Added(MakeObject("a", "ua", "5"))});
  EXPECT_TRUE(changes_.empty()) << "a list is taken over whole";
  EXPECT_EQ(reflector_.availability(), Availability::kPending);
  Events({ListEnd("10"), Added(MakeObject("b", "ub", "11"))});
  EXPECT_EQ(changes_.size(), 2u);
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
  EXPECT_EQ(reflector_.store().watermark(), "11");
  EXPECT_TRUE(listed_);
}

TEST_F(ReflectorTest, APartialInitialListIsDiscardedWhenItIsCut) {
  Start();
  Events({Added(MakeObject("a", "ua", "5"))});
  Fail(0);
  EXPECT_FALSE(Has("a"));
  TickWhenDue();
  ASSERT_NE(Requested<StartList>(), nullptr);
  Events({Added(MakeObject("b", "ub", "6")), ListEnd("10")});
  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(Has("b"));
}

TEST_F(ReflectorTest, TakesAListOverWithItsLastPage) {
  Start();
  Page({MakeObject("a", "ua", "5")}, "10", "next");
  EXPECT_EQ(Requested<StartList>()->continue_token, "next");
  EXPECT_FALSE(Has("a"));
  EXPECT_EQ(Requested<StartWatch>(), nullptr);
  Page({MakeObject("b", "ub", "6")}, "10", "");
  EXPECT_TRUE(Has("a") && Has("b"));
  ASSERT_NE(Requested<StartWatch>(), nullptr);
  EXPECT_EQ(Requested<StartWatch>()->resource_version, "10");
}

TEST_F(ReflectorTest, A410OnAPageStartsTheListAgainWithoutTakingAnyOfIt) {
  Start();
  Page({MakeObject("a", "ua", "5")}, "10", "next");
  Fail(410, "Expired");
  EXPECT_EQ(Requested<StartList>()->continue_token, "");
  Page({MakeObject("b", "ub", "6")}, "12", "");
  EXPECT_FALSE(Has("a"));
  EXPECT_TRUE(Has("b"));
}

// So an API server ends the watches of a CRD that has changed.
TEST_F(ReflectorTest, A410RelistsAtOnceOnceAndMakesDeletionsFromTheDifference) {
  StartWatching();
  Events({Error(410, "Expired")});
  ASSERT_NE(Requested<StartList>(), nullptr);
  EXPECT_TRUE(Has("a")) << "the cache serves until the new list is complete";
  Events({Added(MakeObject("b", "ub", "20")), ListEnd("30")});
  EXPECT_FALSE(Has("a"));
  ASSERT_EQ(changes_.size(), 2u);
  EXPECT_EQ(changes_[1].type, ChangeType::kDeleted);
  EXPECT_EQ(reflector_.Figures(now_).relists.at("expired"), 1u);
}

TEST_F(ReflectorTest, AStormOf410BacksOff) {
  StartWatching();
  Fail(410, "Expired");
  Fail(410, "Expired");
  EXPECT_EQ(Requested<StartList>(), nullptr);
  EXPECT_GE(TickWhenDue(), absl::Milliseconds(800));
}

TEST_F(ReflectorTest, ABrokenWatchResumesWithinFiveSecondsAndBacksOffToThirty) {
  StartWatching();
  absl::Duration last;
  for (int i = 0; i < 10; ++i) {
    Fail(0);
    const absl::Duration wait = TickWhenDue();
    EXPECT_LE(wait, i == 0 ? absl::Seconds(1) : absl::Seconds(30));
    EXPECT_GE(wait, last);
    EXPECT_LE(wait, absl::Seconds(30));
    EXPECT_EQ(Requested<StartWatch>()->resource_version, "10");
    last = wait;
  }
  EXPECT_EQ(last, absl::Seconds(30));
}

TEST_F(ReflectorTest, ResetsTheBackOffAfterALongWatch) {
  StartWatching();
  for (int i = 0; i < 6; ++i) {
    Fail(0);
    TickWhenDue();
  }
  Events({Bookmark("50")});
  now_ += absl::Minutes(1);
  Fail(0);
  EXPECT_LE(TickWhenDue(), absl::Seconds(1));
}

TEST_F(ReflectorTest, RetryAfterIsRespectedAndClamped) {
  StartWatching();
  Fail(429, "TooManyRequests", absl::Seconds(7));
  EXPECT_GE(TickWhenDue(), absl::Seconds(7));
  Fail(429, "TooManyRequests", absl::Hours(100));
  EXPECT_LE(TickWhenDue(), absl::Minutes(5));
  Fail(429, "TooManyRequests", -absl::Hours(1));
  EXPECT_GT(TickWhenDue(), absl::ZeroDuration());
}

TEST_F(ReflectorTest, AnEventBeforeTheCursorIsRefusedAndLeadsToANewList) {
  StartWatching();
  Events({Modified(MakeObject("a", "ua", "50"))});
  Events({Modified(MakeObject("a", "ua", "49"))});
  EXPECT_NE(Requested<StopStream>(), nullptr);
  EXPECT_EQ(reflector_.store().Find({"default", "a"})->resource_version, "50");
  TickWhenDue();
  EXPECT_NE(Requested<StartList>(), nullptr);
}

TEST_F(ReflectorTest, AListOlderThanTheCursorIsRefused) {
  StartWatching();
  Fail(410, "Expired");
  Events({Added(MakeObject("old", "uo", "3")), ListEnd("9")});
  EXPECT_FALSE(Has("old"));
  EXPECT_TRUE(Has("a"));
  EXPECT_EQ(reflector_.store().watermark(), "10");
  TickWhenDue();
  Events({Added(MakeObject("new", "un", "12")), ListEnd("12")});
  EXPECT_TRUE(Has("new"));
}

TEST_F(ReflectorTest, MalformedVersionsLeadToANewListNotToACrash) {
  for (const char* version : {"", "abc", "012", "9999999999999999999999999999999999999999"}) {
    SCOPED_TRACE(version);
    reflector_ = Reflector({kPods, "", "", {}}, {});
    StartWatching();
    Events({Modified(MakeObject("a", "ua", version))});
    TickWhenDue();
    EXPECT_NE(Requested<StartList>(), nullptr);
  }
}

TEST_F(ReflectorTest, AServerWhoseVersionsCannotBeComparedIsStillWatched) {
  Start();
  Events({Added(MakeObject("a", "ua", "x1")), ListEnd("x2")});
  Events({Modified(MakeObject("a", "ua", "x7"))});
  EXPECT_EQ(reflector_.store().watermark(), "x7");
}

TEST_F(ReflectorTest, DuplicatesAndUnknownObjectsChangeNothing) {
  StartWatching();
  Events({Added(MakeObject("a", "ua", "10")), Added(MakeObject("a", "ua", "10"))});
  EXPECT_EQ(changes_.size(), 1u);
  Events({Deleted(MakeObject("z", "uz", "11"))});
  ASSERT_EQ(changes_.size(), 1u);
  EXPECT_EQ(changes_[0].type, ChangeType::kForeign);
}

TEST_F(ReflectorTest, BookmarksMoveTheCursorAndNothingElse) {
  StartWatching();
  Events({Bookmark("500")});
  EXPECT_TRUE(changes_.empty());
  EXPECT_EQ(reflector_.store().watermark(), "500");
}

TEST_F(ReflectorTest, A403DegradesTheKindAndIsRetriedSoonAndThenEverMoreSlowly) {
  StartWatching();
  Fail(403, "Forbidden");
  EXPECT_EQ(reflector_.availability(), Availability::kUnavailable);
  EXPECT_TRUE(Has("a"));
  absl::Duration pause = TickWhenDue();
  EXPECT_LT(pause, absl::Seconds(2)) << "an API server that has just started knows no roles";
  for (int again = 0; again < 6; ++again) {
    Fail(403, "Forbidden");
    const absl::Duration last = std::exchange(pause, TickWhenDue());
    EXPECT_GE(pause, last);
  }
  EXPECT_EQ(pause, absl::Seconds(30));
  Events({Added(MakeObject("a", "ua", "20")), ListEnd("30")});
  EXPECT_EQ(reflector_.availability(), Availability::kReady);
}

TEST_F(ReflectorTest, ResumesOnceAfterAMalformedLineThenLists) {
  StartWatching();
  Do([&](auto& c) { reflector_.OnMalformed({Stream(), "not JSON"}, c); });
  EXPECT_NE(Requested<StopStream>(), nullptr);
  TickWhenDue();
  EXPECT_NE(Requested<StartWatch>(), nullptr);
  Do([&](auto& c) { reflector_.OnMalformed({Stream(), "not JSON"}, c); });
  TickWhenDue();
  EXPECT_NE(Requested<StartList>(), nullptr);
}

TEST_F(ReflectorTest, AnswersOfEndedStreamsAreIgnored) {
  StartWatching();
  const StreamId old = Stream();
  Fail(410, "Expired");
  Do([&](auto& c) { reflector_.OnEvents({old, {Deleted(MakeObject("a", "ua", "99"))}}, c); });
  Do([&](auto& c) { reflector_.OnWatchEnded({old, std::nullopt}, c); });
  EXPECT_TRUE(out_.empty());
  EXPECT_TRUE(Has("a"));
}

TEST_F(ReflectorTest, AWiderSpecificationRelistsWithNewBytes) {
  reflector_ = Reflector({kPods, "", "", {.fields = {"spec"}}}, {});
  StartWatching();
  ResourceSpec wider = reflector_.spec();
  wider.projection.fields = {"spec", "status"};
  Do([&](auto& c) { reflector_.Respecify(wider, c); });
  EXPECT_EQ(Requested<StartList>()->projection.fields.size(), 2u);
  kube::DecodedObject object = MakeObject("a", "ua", "5");
  object.json = MakeObjectBytes("{\"status\":{}}");
  Events({Added(object), ListEnd("11")});
  EXPECT_EQ(*reflector_.store().Find({"default", "a"})->json.Unpack(), "{\"status\":{}}");
}

TEST_F(ReflectorTest, ForeignObjectsOfAListAreNotKept) {
  Start();
  Events({Added(MakeForeign("x", "ux", "5")), ListEnd("10")});
  EXPECT_TRUE(reflector_.store().objects().empty());
}

TEST_F(ReflectorTest, PagesThatBreakOffAreAskedForSmaller) {
  Start();
  ASSERT_NE(Requested<StartList>(), nullptr);
  uint32_t limit = Requested<StartList>()->limit;
  for (int i = 0; i < 12; ++i) {
    Fail(0);  // e.g. "the answer is larger than 33554432 bytes"
    TickWhenDue();
    ASSERT_NE(Requested<StartList>(), nullptr);
    EXPECT_EQ(Requested<StartList>()->limit, std::max(1u, limit / 2));
    limit = Requested<StartList>()->limit;
  }
  EXPECT_EQ(limit, 1u);
}

}  // namespace
}  // namespace xebec::watcher
