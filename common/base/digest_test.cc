// SPDX-License-Identifier: Apache-2.0
#include "common/base/digest.h"

#include "gtest/gtest.h"

namespace xebec {
namespace {

TEST(Sha256Hex, GivesTheStandardsExamples) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(ShortDigest, IsTheBeginning) {
  EXPECT_EQ(ShortDigest("abc", 8), "ba7816bf");
  EXPECT_EQ(ShortDigest("abc", 100).size(), 64u);
}

}  // namespace
}  // namespace xebec
