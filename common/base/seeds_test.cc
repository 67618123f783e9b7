// SPDX-License-Identifier: Apache-2.0
#include "common/base/testing/seeds.h"

#include "gtest/gtest.h"

namespace xebec::testing {
namespace {

TEST(Seeds, ARangeHasBothItsEnds) {
  const auto seeds = ParseSeeds("1001-2000");
  ASSERT_TRUE(seeds);
  EXPECT_EQ(seeds->first, 1001u);
  EXPECT_EQ(seeds->last, 2000u);
  EXPECT_TRUE(ParseSeeds("7-7"));
}

TEST(Seeds, AnythingElseIsNoRange) {
  for (const char* text : {"", "5", "9-8", "1-2-3", "a-b", "-3"})
    EXPECT_FALSE(ParseSeeds(text)) << text;
}

}  // namespace
}  // namespace xebec::testing
