// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/cached_controllers.h"

#include <utility>

#include "gtest/gtest.h"
#include "watcher/engine/testing/fake_cluster.h"
#include "watcher/engine/testing/pool_rig.h"

namespace xebec::watcher {
namespace {

using testing::PartType;
using testing::ScrapType;
using testing::WidgetType;

/// Widgets with parts and related scraps.
class CachedControllersTest : public ::testing::Test {
 protected:
  CachedControllersTest()
      : widgets_(rig_.Watch(WidgetType())),
        parts_(rig_.Watch(PartType())),
        scraps_(rig_.Watch(ScrapType())) {
    KindDescription kind;
    kind.controller = "widget.example.com";
    kind.parent = WidgetType();
    kind.children = {ChildRule{.type = PartType()}};
    kind.related = {ChildRule{.type = ScrapType()}};
    kind.related[0].parent_label = "example.com/widget";
    topology_.controllers = {kind};
  }
  void Update() { controllers_.Update(topology_, rig_.pool, &changes_); }
  /// The number of changes of this type since the last call.
  template <typename T>
  size_t Took() {
    size_t took = 0;
    for (const Changed& change : std::exchange(changes_, {})) {
      took += std::holds_alternative<T>(change) ? 1 : 0;
    }
    return took;
  }
  size_t CheckSubresources() {
    CacheContext context{rig_.now, &out_};
    controllers_.CheckSubresources(widgets_, rig_.pool, context, &changes_);
    return Took<SubresourcesChanged>();
  }

  testing::PoolRig rig_;
  WatchId widgets_, parts_, scraps_;
  Topology topology_;
  CachedControllers controllers_;
  std::vector<Changed> changes_;
  Outputs out_;
};

TEST_F(CachedControllersTest, EveryWatchHasItsRole) {
  Update();
  EXPECT_EQ(Took<ControllerMatched>(), 1u);
  EXPECT_EQ(controllers_.RolesOf(widgets_), (std::vector<Role>{{0, Relation::kParent, false}}));
  EXPECT_EQ(controllers_.RolesOf(parts_), (std::vector<Role>{{0, Relation::kChild, false}}));
  EXPECT_EQ(controllers_.RolesOf(scraps_), (std::vector<Role>{{0, Relation::kRelated, true}}));
}

TEST_F(CachedControllersTest, WhatDidNotChangeIsNoNews) {
  Update();
  Took<ControllerMatched>();
  Update();
  EXPECT_TRUE(changes_.empty());
}

TEST_F(CachedControllersTest, AControllerThatComesBackHasTheSameId) {
  Update();
  const std::vector<KindDescription> kinds = std::exchange(topology_.controllers, {});
  Update();
  EXPECT_FALSE(controllers_.all()[0].active);
  EXPECT_TRUE(controllers_.RolesOf(widgets_).empty());
  EXPECT_EQ(Took<ControllerMatched>(), 2u);
  topology_.controllers = kinds;
  Update();
  ASSERT_EQ(controllers_.all().size(), 1u);
  EXPECT_TRUE(controllers_.all()[0].active);
}

TEST_F(CachedControllersTest, TheIdOfADeclaredControllerThatIsGoneIsUsedAgain) {
  const KindDescription old = topology_.controllers[0];
  topology_.declared[old.controller] = {old, "v1"};
  Update();
  topology_ = {};
  Update();
  EXPECT_EQ(controllers_.gone(), std::set<ControllerId>{0});
  KindDescription other = old;
  other.controller = "other";
  const auto declare = [this](const KindDescription& kind) {
    topology_.controllers.push_back(kind);
    topology_.declared[kind.controller] = {kind, "v2"};
    Update();
  };
  declare(other);
  EXPECT_EQ(controllers_.all().size(), 2u) << "the old one is not free yet";
  controllers_.Free(0);
  EXPECT_TRUE(controllers_.gone().empty());
  other.controller = "third";
  changes_.clear();
  declare(other);
  ASSERT_EQ(controllers_.all().size(), 2u);
  EXPECT_EQ(controllers_.all()[0].kind.controller, "third");
  EXPECT_EQ(controllers_.all()[0].changes, 1u);
  EXPECT_EQ(Took<ControllerMatched>(), 1u);
  declare(old);
  EXPECT_EQ(controllers_.all()[2].kind.controller, old.controller);
}

TEST_F(CachedControllersTest, AFreeControllerThatComesBackHasItsId) {
  const Topology declared = [this] {
    topology_.declared["widget.example.com"] = {topology_.controllers[0], "v1"};
    return topology_;
  }();
  Update();
  topology_ = {};
  Update();
  controllers_.Free(0);
  topology_ = declared;
  Update();
  EXPECT_EQ(controllers_.all().size(), 1u);
  topology_.controllers.push_back(declared.controllers[0]);
  topology_.controllers.back().controller = "other";
  Update();
  EXPECT_EQ(controllers_.all().size(), 2u) << "the id is not free any more";
}

TEST_F(CachedControllersTest, AnotherTypeOfTheParentsOfADeclaredControllerIsNews) {
  topology_.declared["widget.example.com"] = {topology_.controllers[0], "v1"};
  Update();
  Took<DeclarationMoved>();
  topology_.controllers[0].parent = ScrapType();
  Update();
  EXPECT_EQ(Took<DeclarationMoved>(), 1u);
  EXPECT_EQ(controllers_.all()[0].changes, 2u);
}

TEST_F(CachedControllersTest, AnotherVersionOfADeclarationIsNews) {
  topology_.declared["widget.example.com"] = {topology_.controllers[0], "v1"};
  Update();
  EXPECT_EQ(Took<DeclarationMoved>(), 1u);
  topology_.declared["widget.example.com"].version = "v2";
  Update();
  EXPECT_EQ(Took<DeclarationMoved>(), 1u);
  EXPECT_EQ(controllers_.all()[0].changes, 2u);
}

TEST_F(CachedControllersTest, FindsTheControllerThatDeclaresOthers) {
  Update();
  EXPECT_EQ(controllers_.declaring(), std::nullopt);
  topology_.controllers[0].declares = true;
  Update();
  EXPECT_EQ(controllers_.declaring(), ControllerId{0});
  topology_.controllers.clear();
  Update();
  EXPECT_EQ(controllers_.declaring(), std::nullopt);
}

TEST_F(CachedControllersTest, MissingSubresourcesAreToldOnce) {
  Update();
  rig_.Serve(WidgetType(), {}, /*with_status=*/false);
  EXPECT_EQ(CheckSubresources(), 1u);
  EXPECT_EQ(controllers_.all()[0].missing_subresources, (Counts{{"status", 1}}));
  EXPECT_EQ(CheckSubresources(), 0u);
  ASSERT_EQ(out_.size(), 1u);
  EXPECT_EQ(std::get<Note>(out_[0]).what, "Subresources missing");
}

}  // namespace
}  // namespace xebec::watcher
