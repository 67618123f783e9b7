// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/wanted_names.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

TEST(WantedNames, WakesExactlyThoseWhoWaitForTheName) {
  WantedNames wanted;
  wanted.Set(1, {{0, {"default", "a"}}, {1, {"default", "b"}}});
  wanted.Set(2, {{0, {"default", "a"}}});
  EXPECT_EQ(wanted.Waiting(0, {"default", "a"}), (std::vector<KeyId>{1, 2}));
  EXPECT_TRUE(wanted.Waiting(0, {"other", "a"}).empty());
  EXPECT_EQ(wanted.WaitingFor(1), (std::vector<KeyId>{1}));
  wanted.Set(1, {});
  EXPECT_EQ(wanted.Waiting(0, {"default", "a"}), (std::vector<KeyId>{2}));
  wanted.Set(2, {});
  EXPECT_EQ(wanted, WantedNames());
}

}  // namespace
}  // namespace xebec::watcher
