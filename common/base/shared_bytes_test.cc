// SPDX-License-Identifier: Apache-2.0
#include "common/base/shared_bytes.h"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace xebec {
namespace {

TEST(SharedBytes, CopiesShareThemAndTheLastOneFreesThem) {
  SharedBytes bytes("ab", "cd");
  EXPECT_EQ(bytes.view(), "abcd");
  {
    const SharedBytes copy = bytes;
    EXPECT_EQ(copy.view(), "abcd");
    EXPECT_EQ(bytes.users(), 2u);
  }
  EXPECT_EQ(bytes.users(), 1u);
  SharedBytes moved = std::move(bytes);
  EXPECT_EQ(moved.users(), 1u);
  moved = SharedBytes();
  EXPECT_EQ(moved.users(), 0u);
  EXPECT_TRUE(moved.view().empty());
}

TEST(SharedBytes, AreEqualByContent) {
  const SharedBytes a("x", "yz"), b("xy", "z");
  EXPECT_EQ(a, b);
  EXPECT_FALSE(a == SharedBytes("x", ""));
  EXPECT_FALSE(a == SharedBytes());
}

TEST(SharedBytes, AssignmentToItselfKeepsThem) {
  SharedBytes bytes("a", "b");
  const SharedBytes& same = bytes;
  bytes = same;
  EXPECT_EQ(bytes.view(), "ab");
  EXPECT_EQ(bytes.users(), 1u);
}

// Under ThreadSanitizer and AddressSanitizer this shows that counting is safe.
TEST(SharedBytes, ThreadsMayCopyAndDropThem) {
  const SharedBytes bytes(std::string(100, 'x'), "");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([mine = bytes] {
      for (int round = 0; round < 1000; ++round) {
        const SharedBytes copy = mine;
        ASSERT_EQ(copy.view().size(), 100u);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(bytes.users(), 1u);
}

}  // namespace
}  // namespace xebec
