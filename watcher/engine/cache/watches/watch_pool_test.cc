// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/watches/watch_pool.h"

#include "gtest/gtest.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/testing/buckets.h"
#include "watcher/engine/testing/fake_cluster.h"

namespace xebec::watcher {
namespace {

using testing::MakeBuckets;
using testing::PartType;
using testing::WidgetType;

/// The watch of the parts of widgets.
class WatchPoolTest : public ::testing::Test {
 protected:
  WatchPoolTest() {
    KindDescription kind;
    kind.controller = "widget.example.com";
    kind.parent = WidgetType();
    kind.children = {ChildRule{.type = PartType()}};
    CacheContext context{now_, &out_};
    cache_.Hold(MakeBuckets({0}, 1), context);
    cache_.On(DescriptionArrived{{"r1", {kind}}}, context);
    watch_ = *cache_.watches().Find(PartType(), "");
  }
  /// Doubts the watch as soon as that is possible. Returns the time until then, in whole minutes.
  int MinutesUntilDoubt() {
    int minutes = 0;
    for (; !cache_.watches().MayDoubt(watch_, now_); ++minutes) now_ += absl::Minutes(1);
    CacheContext context{now_, &out_};
    cache_.Doubt(watch_, context);
    return minutes;
  }

  Outputs out_;
  absl::Duration now_ = absl::Hours(1);
  CacheSet cache_{Options{}, "me"};
  WatchId watch_ = 0;
};

TEST_F(WatchPoolTest, EachDoubtDoublesThePauseUntilTheNextOne) {
  for (const int expected : {0, 1, 2, 4, 8, 10, 10}) EXPECT_EQ(MinutesUntilDoubt(), expected);
}

// Otherwise, the list after a lost write is late because of one some hours ago.
TEST_F(WatchPoolTest, ThePauseIsShortAgainAfterAQuietTime) {
  for (int i = 0; i < 6; ++i) MinutesUntilDoubt();
  now_ += absl::Minutes(10) + absl::Minutes(10);
  EXPECT_EQ(MinutesUntilDoubt(), 0);
  EXPECT_EQ(MinutesUntilDoubt(), 1);
}

}  // namespace
}  // namespace xebec::watcher
