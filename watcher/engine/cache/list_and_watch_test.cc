// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/list_and_watch.h"

#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/testing/objects.h"

namespace xebec::watcher {
namespace {

using testing::Added;
using testing::Bookmark;
using testing::Error;
using testing::MakeObject;
using testing::Modified;

/// Lists and watches pods; the outputs are those of all inputs.
class ListAndWatchTest : public ::testing::Test {
 protected:
  ListAndWatchTest() { streams_.StartList("initial", context_); }

  StreamId Stream() const { return streams_.Streams().front(); }
  MaybeFault Events(std::vector<kube::WatchEvent> events) {
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

TEST_F(ListAndWatchTest, TheStreamOfAListBecomesThatOfTheWatch) {
  const StreamId list = Stream();
  EXPECT_EQ(streams_.RoleOf(list), StreamRole::kList);
  EXPECT_FALSE(Events({Added(MakeObject("a", "ua", "5"))}));
  EXPECT_FALSE(streams_.following());
  EXPECT_FALSE(Events({Bookmark("10", true), Added(MakeObject("b", "ub", "11"))}));
  EXPECT_TRUE(context_.listed);
  EXPECT_TRUE(streams_.following());
  EXPECT_EQ(streams_.RoleOf(list), StreamRole::kWatch);
  EXPECT_EQ(streams_.cache().cursor(), "11");
  EXPECT_EQ(streams_.relists().at("initial"), 1u);
}

TEST_F(ListAndWatchTest, AFailedListHasToBeFollowedByAnother) {
  Events({Bookmark("10", true)});
  const StreamId watch = Stream();
  streams_.StartList("lost_write", context_);
  const MaybeFault fault = Events({Error(500, "InternalError")});
  ASSERT_TRUE(fault);
  EXPECT_EQ(std::get<StreamFailed>(*fault).role, StreamRole::kList);
  const ApiFailure& failure = std::get<StreamFailed>(*fault).failure;
  EXPECT_EQ(streams_.Fail(StreamRole::kList, failure, context_.now), FailureKind::kOther);
  EXPECT_EQ(Stream(), watch) << "the watch goes on";
  EXPECT_FALSE(streams_.following());
  EXPECT_FALSE(streams_.listing());
}

TEST_F(ListAndWatchTest, AListThatGoesBackIsNotTakenOver) {
  Events({Bookmark("10", true)});
  streams_.StartList("lost_write", context_);
  const MaybeFault fault = Events({Added(MakeObject("a", "ua", "3")), Bookmark("9", true)});
  ASSERT_TRUE(fault);
  EXPECT_EQ(std::get<VersionRegressed>(*fault).role, StreamRole::kList);
  EXPECT_EQ(Stops(), 1u);
  EXPECT_TRUE(changes_.empty());
}

TEST_F(ListAndWatchTest, AnEventThatGoesBackLeavesTheWatchToTheCaller) {
  Events({Bookmark("10", true)});
  const MaybeFault fault = Events({Modified(MakeObject("a", "ua", "9"))});
  ASSERT_TRUE(fault);
  EXPECT_EQ(std::get<VersionRegressed>(*fault).role, StreamRole::kWatch);
  EXPECT_TRUE(streams_.following());
  streams_.StopWatch(context_);
  EXPECT_FALSE(streams_.following());
  EXPECT_EQ(Stops(), 1u);
}

TEST_F(ListAndWatchTest, OnlyAListProvesThatACacheWithOtherVersionsIsFresh) {
  Events({Bookmark("x1", true)});
  const MaybeFault fault = streams_.RequireFresh(context_.now + absl::Seconds(1), context_);
  ASSERT_TRUE(fault);
  EXPECT_TRUE(std::holds_alternative<ListNeeded>(*fault));
}

TEST_F(ListAndWatchTest, ALargeListThatFailsIsFreedInSteps) {
  for (const bool refused : {false, true}) {
    streams_ = ListAndWatch(streams_.cache().scope().held(), {.merge_step = 2});
    streams_.StartList("initial", context_);
    if (refused) {
      Events({Bookmark("10", true)});
      streams_.StartList("again", context_);
    }
    Events({Added(MakeObject("a", "ua", "1")), Added(MakeObject("b", "ub", "2")),
            Added(MakeObject("c", "uc", "3"))});
    if (refused) {
      EXPECT_TRUE(Events({Bookmark("9", true)}));
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

TEST_F(ListAndWatchTest, ASilentListIsRepeatedByPages) {
  context_.now = streams_.NextDeadline();
  EXPECT_FALSE(streams_.OnTick(context_));
  EXPECT_EQ(Stops(), 1u);
  EXPECT_TRUE(std::holds_alternative<StartList>(out_.back()));
}

}  // namespace
}  // namespace xebec::watcher
