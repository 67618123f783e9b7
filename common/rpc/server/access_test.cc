// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/server/access.h"

#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

AccessTable Table() {
  AccessTable table;
  table.Allow("/a.Service/*", {"watcher", "person"})
      .Allow("/a.Service/Write", {"watcher"})
      .AllowEverybody("/grpc.health.v1.Health/*");
  return table;
}

TEST(AccessTable, WhatNobodyNamedIsDenied) {
  EXPECT_FALSE(Table().Allows("/b.Service/Read", {"watcher"}));
  EXPECT_FALSE(Table().Allows("", {"watcher"}));
  EXPECT_FALSE(Table().Allows("a.Service/Read", {"watcher"}));
  EXPECT_FALSE(AccessTable().Allows("/a.Service/Read", {"watcher"}));
}

TEST(AccessTable, OneIdentityOfSeveralIsEnough) {
  EXPECT_TRUE(Table().Allows("/a.Service/Read", {"other", "person"}));
  EXPECT_FALSE(Table().Allows("/a.Service/Read", {"other"}));
  EXPECT_FALSE(Table().Allows("/a.Service/Read", {}));
}

TEST(AccessTable, AMethodThatIsNamedIsNotLookedForUnderItsService) {
  EXPECT_TRUE(Table().Allows("/a.Service/Write", {"watcher"}));
  EXPECT_FALSE(Table().Allows("/a.Service/Write", {"person"}));
}

TEST(AccessTable, EverybodyNeedsNoIdentity) {
  EXPECT_TRUE(Table().Allows("/grpc.health.v1.Health/Check", {}));
}

}  // namespace
}  // namespace xebec::rpc
