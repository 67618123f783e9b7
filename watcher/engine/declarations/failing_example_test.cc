// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/failing_example.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

TEST(FailingExample, StaysTheSameWhileThatParentFails) {
  FailingExample example;
  EXPECT_EQ(example.text(), "");
  example.OnFailure(1, "a");
  example.OnFailure(2, "b");
  EXPECT_EQ(example.text(), "a");
  example.OnFailure(1, "c");
  EXPECT_EQ(example.text(), "c");
  example.OnSuccess(2);
  EXPECT_EQ(example.text(), "c");
  example.OnSuccess(1);
  EXPECT_EQ(example.text(), "");
  example.OnFailure(2, "b");
  EXPECT_EQ(example.text(), "b");
}

}  // namespace
}  // namespace xebec::watcher
