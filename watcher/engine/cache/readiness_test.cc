// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/readiness.h"

#include <algorithm>
#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_cluster.h"
#include "watcher/engine/testing/pool_rig.h"

namespace xebec::watcher {
namespace {

using testing::MakeObject;
using testing::PartType;
using testing::WidgetType;

constexpr ControllerId kWidgets = 0;
constexpr absl::Duration kEver = -absl::InfiniteDuration();

/// Widgets with parts, which are watched and not served yet.
class ReadinessTest : public ::testing::Test {
 protected:
  ReadinessTest() : widgets_(rig_.Watch(WidgetType())), parts_(rig_.Watch(PartType())) {
    KindDescription kind;
    kind.controller = "widget.example.com";
    kind.parent = WidgetType();
    kind.children = {ChildRule{.type = PartType()}};
    topology_.controllers = {kind};
    Update();
  }
  void Update() {
    controllers_.Update(topology_, rig_.pool, &changes_);
    readiness_.Update(controllers_, rig_.pool, topology_.resources, &changes_);
  }
  BucketSet Kept() const { return readiness_.Kept(BucketSet::All(2), controllers_); }
  bool Notice(WatchId watch) {
    return readiness_.Notice(watch, controllers_, rig_.pool, &changes_);
  }
  void Serve(const ResourceType& type) { rig_.Serve(type, {MakeObject("a", "ua", "1")}); }
  /// Returns true if BucketsReady was added since the last call.
  bool Told() {
    const std::vector<Changed> changes = std::exchange(changes_, {});
    return std::any_of(changes.begin(), changes.end(), [](const Changed& change) {
      return std::holds_alternative<BucketsReady>(change);
    });
  }

  testing::PoolRig rig_;
  WatchId widgets_, parts_;
  Topology topology_;
  CachedControllers controllers_;
  Readiness readiness_;
  std::vector<Changed> changes_;
};

TEST_F(ReadinessTest, AControllerIsReadyOnceAllItsResourcesAre) {
  EXPECT_FALSE(Told());
  Serve(WidgetType());
  EXPECT_TRUE(Notice(widgets_));
  EXPECT_TRUE(readiness_.Ready(widgets_));
  EXPECT_FALSE(readiness_.ControllerReady(kWidgets));
  EXPECT_FALSE(Told());
  Serve(PartType());
  EXPECT_TRUE(Notice(parts_));
  EXPECT_TRUE(readiness_.ControllerReady(kWidgets));
  EXPECT_TRUE(readiness_.Ready(kWidgets, 0, {kEver}));
  EXPECT_TRUE(Told());
}

TEST_F(ReadinessTest, AWatchThatIsAsBeforeIsNoNews) {
  Serve(WidgetType());
  EXPECT_TRUE(Notice(widgets_));
  EXPECT_FALSE(Notice(widgets_));
}

TEST_F(ReadinessTest, NothingIsReadyAsOfTheFuture) {
  Serve(WidgetType());
  Serve(PartType());
  Update();
  EXPECT_TRUE(readiness_.Ready(kWidgets, 0, {kEver}));
  EXPECT_FALSE(readiness_.Ready(kWidgets, 0, {rig_.now + absl::Seconds(1)}));
}

TEST_F(ReadinessTest, ChildrenThatCannotBeReadDoNotMatter) {
  Serve(WidgetType());
  rig_.Refuse(PartType());
  Update();
  EXPECT_FALSE(readiness_.Ready(parts_));
  EXPECT_TRUE(readiness_.ControllerReady(kWidgets));
}

TEST_F(ReadinessTest, ParentsThatCannotBeReadDo) {
  rig_.Refuse(WidgetType());
  Serve(PartType());
  Update();
  EXPECT_FALSE(readiness_.ControllerReady(kWidgets));
}

TEST_F(ReadinessTest, ParentsThatCannotBeReadKeepNoBucketFromMoving) {
  Serve(PartType());
  Update();
  EXPECT_EQ(Kept(), BucketSet(2)) << "the parents may come";
  EXPECT_FALSE(Told());
  rig_.Refuse(WidgetType());
  EXPECT_TRUE(Notice(widgets_));
  EXPECT_EQ(Kept(), BucketSet::All(2));
  EXPECT_TRUE(Told()) << "others wait for it";
}

TEST_F(ReadinessTest, ListsThatKeepFailingKeepNoBucketFromMoving) {
  Serve(WidgetType());
  Update();
  for (int failures = 0; failures < 6; ++failures) {
    EXPECT_EQ(Kept(), BucketSet(2)) << failures;
    EXPECT_FALSE(Told());
    rig_.FailList(PartType());
    Notice(parts_);
  }
  EXPECT_EQ(Kept(), BucketSet::All(2));
  EXPECT_TRUE(Told());
  EXPECT_FALSE(readiness_.ControllerReady(kWidgets));
}

TEST_F(ReadinessTest, AControllerThatIsDroppedIsNotReady) {
  Serve(WidgetType());
  Serve(PartType());
  Update();
  topology_.controllers.clear();
  Update();
  EXPECT_FALSE(readiness_.ControllerReady(kWidgets));
}

TEST_F(ReadinessTest, APausedControllerIsNotReady) {
  Serve(WidgetType());
  Serve(PartType());
  topology_.declared["widget.example.com"] = {topology_.controllers[0], "v1", /*paused=*/true};
  Update();
  EXPECT_FALSE(readiness_.ControllerReady(kWidgets));
}

}  // namespace
}  // namespace xebec::watcher
