// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/list_and_watch.h"

#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::Deleted;
using testing::ListEnd;
using testing::MakeObject;
using testing::Modified;

/// Lists and watches pods; the outputs are those of all inputs.
class ListAndWatchTest : public ::testing::Test {
 protected:
  ListAndWatchTest() { streams_.StartList("initial", context_); }

  StreamId Stream() const { return streams_.Streams().front(); }
  MaybeFault Events(std::vector<kube::WatchEvent> events) {
    if (streams_.RoleOf(Stream()) == StreamRole::kList) {
      const ListArrived page{Stream(), testing::TakePage(&events)};
      if (MaybeFault fault = streams_.OnPage(page, context_)) return fault;
      if (events.empty()) return std::nullopt;
    }
    return streams_.OnEvents({Stream(), std::move(events)}, context_);
  }
  size_t Stops() const {
    size_t stops = 0;
    for (const Output& output : out_) stops += std::holds_alternative<StopStream>(output) ? 1 : 0;
    return stops;
  }

  StreamId last_stream_ = 0;
  StoreChanges changes_;
  Outputs out_;
  ReflectorContext context_{
      .now = absl::Seconds(100), .last_stream = &last_stream_, .changes = &changes_, .out = &out_};
  ListAndWatch streams_{ResourceSpec{{"", "v1", "Pod", "pods", false}, "", "", {}}, {}};
};

TEST_F(ListAndWatchTest, AWatchFollowsTheList) {
  const StreamId list = Stream();
  EXPECT_EQ(streams_.RoleOf(list), StreamRole::kList);
  EXPECT_FALSE(Events({Added(MakeObject("a", "ua", "5"))}));
  EXPECT_FALSE(streams_.following());
  EXPECT_FALSE(Events({ListEnd("10"), Added(MakeObject("b", "ub", "11"))}));
  EXPECT_TRUE(context_.listed);
  EXPECT_TRUE(streams_.following());
  EXPECT_EQ(streams_.RoleOf(list), StreamRole::kNone);
  EXPECT_EQ(streams_.RoleOf(Stream()), StreamRole::kWatch);
  EXPECT_EQ(streams_.cache().versions().cursor(), "11");
  EXPECT_EQ(streams_.relists().at("initial"), 1u);
}

TEST_F(ListAndWatchTest, AFailedListHasToBeFollowedByAnother) {
  Events({ListEnd("10")});
  const StreamId watch = Stream();
  streams_.StartList("lost_write", context_);
  const ApiFailure failure{500, "InternalError", "", std::nullopt};
  EXPECT_EQ(streams_.Fail(StreamRole::kList, failure, context_.now), FailureKind::kOther);
  EXPECT_EQ(Stream(), watch) << "the watch goes on";
  EXPECT_FALSE(streams_.following());
  EXPECT_FALSE(streams_.listing());
}

// Otherwise a cluster in which many objects go fills the memory while lists keep failing.
TEST_F(ListAndWatchTest, WhatWentDuringAFailedListIsForgottenWhenTheNextOneBegins) {
  Events({ListEnd("10")});
  const StreamId watch = Stream();
  streams_.StartList("lost_write", context_);
  ListAndWatch other = streams_;
  StreamId last_of_other = last_stream_;
  ReflectorContext context_of_other = context_;
  context_of_other.last_stream = &last_of_other;
  streams_.OnEvents({watch, {Deleted(MakeObject("a", "ua", "11"))}}, context_);
  other.OnEvents({watch, {Bookmark("11")}}, context_of_other);
  EXPECT_NE(streams_, other) << "pages that follow may show the object";
  const auto fail = [](ListAndWatch& streams, ReflectorContext& context) {
    streams.Fail(StreamRole::kList, {503, "", "", std::nullopt}, context.now);
    streams.StartList("lost_write", context);
    streams.OnEvents({streams.Streams().back(), {Added(MakeObject("z", "uz", "12"))}}, context);
  };
  fail(streams_, context_);
  fail(other, context_of_other);
  EXPECT_EQ(streams_, other);
}

TEST_F(ListAndWatchTest, AListThatGoesBackIsNotTakenOver) {
  Events({ListEnd("10")});
  streams_.StartList("lost_write", context_);
  const MaybeFault fault = Events({Added(MakeObject("a", "ua", "3")), ListEnd("9")});
  ASSERT_TRUE(fault);
  EXPECT_EQ(std::get<VersionRegressed>(*fault).role, StreamRole::kList);
  EXPECT_TRUE(changes_.empty());
}

TEST_F(ListAndWatchTest, AnEventThatGoesBackLeavesTheWatchToTheCaller) {
  Events({ListEnd("10")});
  const MaybeFault fault = Events({Modified(MakeObject("a", "ua", "9"))});
  ASSERT_TRUE(fault);
  EXPECT_EQ(std::get<VersionRegressed>(*fault).role, StreamRole::kWatch);
  EXPECT_TRUE(streams_.following());
  streams_.StopWatch(context_);
  EXPECT_FALSE(streams_.following());
  EXPECT_EQ(Stops(), 1u);
}

TEST_F(ListAndWatchTest, OnlyAListProvesThatACacheWithOtherVersionsIsFresh) {
  Events({ListEnd("x1")});
  const MaybeFault fault = streams_.RequireFresh({context_.now + absl::Seconds(1)}, context_);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(std::holds_alternative<ListNeeded>(*fault));
}

TEST_F(ListAndWatchTest, ALargeListThatFailsIsFreedInSteps) {
  for (const bool refused : {false, true}) {
    streams_ = ListAndWatch(streams_.cache().scope().held(), {.merge_step = 2});
    streams_.StartList("initial", context_);
    if (refused) {
      Events({ListEnd("10")});
      streams_.StartList("again", context_);
    }
    Events({Added(MakeObject("a", "ua", "1")), Added(MakeObject("b", "ub", "2")),
            Added(MakeObject("c", "uc", "3"))});
    if (refused) {
      EXPECT_TRUE(Events({ListEnd("9")}));
    } else {
      streams_.Fail(StreamRole::kList, {500, "", "", std::nullopt}, context_.now);
    }
    EXPECT_EQ(streams_.NextDeadline(), context_.now);
    streams_.OnTick(context_);
    EXPECT_EQ(streams_.NextDeadline(), context_.now);
    streams_.OnTick(context_);
    EXPECT_EQ(streams_.NextDeadline(), absl::InfiniteDuration());
  }
}

}  // namespace
}  // namespace xebec::watcher
