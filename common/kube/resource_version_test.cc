// SPDX-License-Identifier: Apache-2.0
#include "common/kube/resource_version.h"

#include <gtest/gtest.h>

#include <string>

namespace xebec::kube {
namespace {

TEST(IsComparable, TakesOnlyDecimalNumbersWithoutLeadingZero) {
  for (const char* good : {"1", "9", "10", "340282366920938463463374607431768211455"}) {
    EXPECT_TRUE(IsComparable(good)) << good;
  }
  for (const char* bad : {"", "0", "01", "abc", "1a", "-1", "+1", " 1", "1.0"}) {
    EXPECT_FALSE(IsComparable(bad)) << bad;
  }
  EXPECT_FALSE(IsComparable(std::string(40, '1')));
}

TEST(CompareVersions, OrdersAsNumbers) {
  EXPECT_EQ(CompareVersions("9", "10"), std::strong_ordering::less);
  EXPECT_EQ(CompareVersions("100", "99"), std::strong_ordering::greater);
  EXPECT_EQ(CompareVersions("123", "123"), std::strong_ordering::equal);
  EXPECT_EQ(CompareVersions("18446744073709551616", "18446744073709551615"),
            std::strong_ordering::greater);
}

TEST(CompareVersions, RefusesWhatIsNotComparable) {
  EXPECT_EQ(CompareVersions("", "1"), std::nullopt);
  EXPECT_EQ(CompareVersions("1", "abc"), std::nullopt);
  EXPECT_EQ(CompareVersions("0", "0"), std::nullopt);
}

}  // namespace
}  // namespace xebec::kube
