// SPDX-License-Identifier: Apache-2.0
#include "common/base/strings.h"

#include "gtest/gtest.h"

namespace xebec {
namespace {

TEST(Ellipsize, ShortTextStaysAsItIs) { EXPECT_EQ(Ellipsize("web", 3), "web"); }

TEST(Ellipsize, LongTextIsCutToTheLimitInBytes) {
  EXPECT_EQ(Ellipsize("deployment", 8), "deplo…");
  EXPECT_EQ(Ellipsize("deployment", 2), "de");
  EXPECT_EQ(Ellipsize("deployment", 0), "");
}

TEST(Ellipsize, NeverCutsACharacter) {
  EXPECT_EQ(Ellipsize("aéééé", 6), "aé…");
  EXPECT_EQ(Ellipsize("éé", 1), "");
}

TEST(ToValidUtf8, ValidTextStaysAsItIs) { EXPECT_EQ(ToValidUtf8("é\n\"x"), "é\n\"x"); }

TEST(ToValidUtf8, InvalidBytesAreReplaced) { EXPECT_EQ(ToValidUtf8("a\xff\n"), "a\xEF\xBF\xBD\n"); }

}  // namespace
}  // namespace xebec
