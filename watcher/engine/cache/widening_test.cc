// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/widening.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

ResourceSpec Fields(std::vector<std::string> fields) {
  return {{"", "v1", "Pod", "pods", false}, "", "", {.fields = std::move(fields)}};
}

class WideningTest : public ::testing::Test {
 protected:
  static constexpr StreamId kNarrow = 4;
  static constexpr StreamId kWide = 5;
  WideningTest() { widening_.Begin(Fields({"spec", "status"}), kNarrow); }
  Widening widening_{Fields({"spec"})};
};

TEST_F(WideningTest, HoldsTheNarrowSpecUntilTheWideListIsTakenOver) {
  EXPECT_EQ(widening_.held(), Fields({"spec"}));
  EXPECT_EQ(widening_.wanted(), Fields({"spec", "status"}));
  EXPECT_FALSE(widening_.Complete("10"));
  EXPECT_TRUE(widening_.active());
  widening_.OnListed();
  EXPECT_TRUE(widening_.Complete("10"));
  EXPECT_FALSE(widening_.active());
  EXPECT_EQ(widening_.held(), Fields({"spec", "status"}));
  EXPECT_FALSE(widening_.Complete("10")) << "it has ended";
}

TEST_F(WideningTest, WaitsUntilTheEventsOfTheNarrowWatchHaveComeAgain) {
  widening_.OnEvent(kNarrow, "15");
  widening_.OnListed();
  widening_.OnEvent(kWide, "20");
  EXPECT_FALSE(widening_.Complete("14"));
  EXPECT_TRUE(widening_.Complete("15"));
}

TEST_F(WideningTest, WhatIsReplacedIsNotWidened) {
  widening_.Replace(Fields({"data"}));
  EXPECT_FALSE(widening_.active());
  EXPECT_EQ(widening_.held(), Fields({"data"}));
  EXPECT_EQ(widening_.wanted(), Fields({"data"}));
}

TEST_F(WideningTest, FinishesWithoutAList) {
  widening_.Finish();
  EXPECT_EQ(widening_.held(), Fields({"spec", "status"}));
}

}  // namespace
}  // namespace xebec::watcher
