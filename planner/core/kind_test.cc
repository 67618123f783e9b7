// SPDX-License-Identifier: Apache-2.0
#include "planner/core/kind.h"

#include <gtest/gtest.h>

namespace xebec::planner {
namespace {

Kind Named(const std::string& controller, const std::string& group) {
  Kind kind{};
  kind.description.controller = controller;
  kind.description.parent = {group, "v1", "Thing", "things", false};
  return kind;
}

TEST(KindRegistry, OneParentResourceHasOneController) {
  KindRegistry registry;
  EXPECT_TRUE(registry.Register(Named("a", "a.example")));
  EXPECT_FALSE(registry.Register(Named("b", "a.example")));
  EXPECT_FALSE(registry.Register(Named("a", "b.example")));
  EXPECT_TRUE(registry.Register(Named("b", "b.example")));
  EXPECT_EQ(registry.kinds().size(), 2u);
}

TEST(KindRegistry, FindsByGroupAndKind) {
  KindRegistry registry;
  registry.Register(Named("a", "a.example"));
  ASSERT_NE(registry.Find("a.example", "Thing"), nullptr);
  EXPECT_EQ(registry.Find("a.example", "Other"), nullptr);
  EXPECT_EQ(registry.Find("b.example", "Thing"), nullptr);
}

}  // namespace
}  // namespace xebec::planner
