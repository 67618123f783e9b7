// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/revisions/revision_move.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

const absl::Duration kNow = absl::Seconds(100);

bool Yes() { return true; }
bool No() { return false; }

TEST(RevisionMove, IsDueOnceEverythingIsWatched) {
  RevisionMove move;
  move.Begin(true, kNow);
  EXPECT_FALSE(move.Due(kNow, No));
  move.Notice();
  EXPECT_TRUE(move.Due(kNow, Yes));
}

TEST(RevisionMove, LooksAgainOnlyAfterANotice) {
  RevisionMove move;
  move.Begin(true, kNow);
  int looks = 0;
  const auto look = [&looks] {
    ++looks;
    return false;
  };
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(move.Due(kNow, look));
  EXPECT_EQ(looks, 1);
  move.Notice();
  EXPECT_FALSE(move.Due(kNow, look));
  EXPECT_EQ(looks, 2);
}

TEST(RevisionMove, WaitsAtMostAMinute) {
  RevisionMove move;
  move.Begin(true, kNow);
  EXPECT_EQ(move.deadline(), kNow + absl::Minutes(1));
  move.Begin(true, kNow + absl::Seconds(30));
  EXPECT_EQ(move.deadline(), kNow + absl::Minutes(1)) << "other resources do not prolong the wait";
  EXPECT_FALSE(move.Due(kNow + absl::Seconds(59), No));
  EXPECT_TRUE(move.Due(kNow + absl::Minutes(1), No));
}

TEST(RevisionMove, WaitsForNothingWithoutANextRevision) {
  RevisionMove move;
  move.Begin(true, kNow);
  move.Begin(false, kNow);
  EXPECT_EQ(move.deadline(), absl::InfiniteDuration());
}

}  // namespace
}  // namespace xebec::watcher
