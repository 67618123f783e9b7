// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/watches/watch_set.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

TEST(WatchSet, OneSeesEverythingOrEachItsNamespace) {
  WatchSet everything;
  everything.Add("", 7);
  EXPECT_EQ(*everything.Find("a"), 7u);
  EXPECT_EQ(*everything.Find(""), 7u);
  EXPECT_EQ(everything.Seeing("a"), std::vector<WatchId>{7});
  WatchSet two;
  two.Add("b", 2);
  two.Add("a", 1);
  EXPECT_EQ(*two.Find("b"), 2u);
  EXPECT_EQ(two.Find("c"), nullptr);
  EXPECT_EQ(two.Seeing("b"), std::vector<WatchId>{2});
  EXPECT_EQ(two.Seeing("c"), std::vector<WatchId>{});
  EXPECT_EQ(two.Seeing(""), (std::vector<WatchId>{1, 2})) << "of a cluster-scoped parent";
  EXPECT_EQ(WatchSet().Find("a"), nullptr);
}

}  // namespace
}  // namespace xebec::watcher
