// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/revisions/revisions.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kNow = absl::Seconds(1000);

TEST(Revisions, MoveOverOnceAndNotBackForARemainingOldPlanner) {
  Revisions revisions;
  EXPECT_TRUE(revisions.OnDescription({"r1", {}}));
  EXPECT_FALSE(revisions.OnDescription({"r1", {}})) << "a reconnect is nothing new";
  EXPECT_TRUE(revisions.OnDescription({"r2", {}}));
  EXPECT_EQ(revisions.current()->revision, "r1");
  EXPECT_EQ(revisions.InUse().size(), 2u);
  revisions.Move();
  EXPECT_EQ(revisions.current()->revision, "r2");
  EXPECT_FALSE(revisions.OnDescription({"r1", {}}));
  EXPECT_EQ(revisions.candidate(), nullptr);
}

TEST(Revisions, ARollbackIsTakenOnceTheSuccessorHasBeenSilentForAWhile) {
  Revisions revisions;
  revisions.OnDescription({"r1", {}});
  revisions.OnDescription({"r2", {}});
  revisions.Move();
  EXPECT_FALSE(revisions.OnForeignPlan("r1", kNow));
  EXPECT_FALSE(revisions.OnForeignPlan("r1", kNow + absl::Seconds(1)));
  revisions.OnOwnPlan();  // r2 is still there
  EXPECT_FALSE(revisions.OnForeignPlan("r1", kNow + absl::Seconds(8)));
  EXPECT_FALSE(revisions.OnForeignPlan("r1", kNow + absl::Seconds(9)));
  EXPECT_TRUE(revisions.OnForeignPlan("r1", kNow + absl::Seconds(14)));
  revisions.Move();
  EXPECT_EQ(revisions.current()->revision, "r1");
}

TEST(Revisions, AnUnknownRevisionIsNotTaken) {
  Revisions revisions;
  revisions.OnDescription({"r1", {}});
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(revisions.OnForeignPlan("rx", kNow + absl::Seconds(i)));
}

TEST(Revisions, OneThatWasOvertakenBeforeItsTurnIsNotTakenForANewOne) {
  Revisions revisions;
  for (const char* revision : {"r1", "r2", "r3"}) revisions.OnDescription({revision, {}});
  revisions.Move();
  EXPECT_EQ(revisions.current()->revision, "r3");
  EXPECT_FALSE(revisions.OnDescription({"r2", {}})) << "a stream of it reconnects";
}

}  // namespace
}  // namespace xebec::watcher
