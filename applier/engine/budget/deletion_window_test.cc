// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/deletion_window.h"

#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

TEST(DeletionWindow, ReservesAllOrNone) {
  DeletionWindow window(3, absl::Minutes(1));
  EXPECT_TRUE(window.Reserve(2, absl::Seconds(0)));
  EXPECT_FALSE(window.Reserve(2, absl::Seconds(1)));
  EXPECT_TRUE(window.Reserve(1, absl::Seconds(1)));
  EXPECT_EQ(window.used(absl::Seconds(59)), 3u);
  EXPECT_EQ(window.used(absl::Seconds(60)), 1u);
}

TEST(DeletionWindow, ReturnsTheDeletionsOfTheOwnReservation) {
  DeletionWindow window(10, absl::Minutes(1));
  const auto early = window.Reserve(4, absl::Seconds(0));
  const auto late = window.Reserve(4, absl::Seconds(30));
  window.Return(*early, 4);
  EXPECT_EQ(window.used(absl::Seconds(31)), 4u);
  EXPECT_EQ(window.used(absl::Seconds(61)), 4u) << "the late ones still count";
  window.Return(*late, 1);
  EXPECT_EQ(window.used(absl::Seconds(61)), 3u);
  window.Return(*late, 9);
  EXPECT_EQ(window.used(absl::Seconds(61)), 0u);
}

TEST(DeletionWindow, IgnoresAReservationThatHasLeftTheInterval) {
  DeletionWindow window(10, absl::Minutes(1));
  const auto early = window.Reserve(4, absl::Seconds(0));
  window.Reserve(3, absl::Seconds(50));
  EXPECT_EQ(window.used(absl::Seconds(70)), 3u);
  window.Return(*early, 4);
  EXPECT_EQ(window.used(absl::Seconds(70)), 3u);
}

}  // namespace
}  // namespace xebec::applier
