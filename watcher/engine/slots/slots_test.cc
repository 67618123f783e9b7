// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "gtest/gtest.h"
#include "watcher/engine/slots/slab.h"

namespace xebec::watcher {
namespace {

TEST(Slab, GivesTheSlotsOfRemovedValuesAgain) {
  Slab<std::string> slab;
  EXPECT_EQ(slab.Add("a"), 0u);
  EXPECT_EQ(slab.Add("b"), 1u);
  EXPECT_EQ(slab.Remove(0), "a");
  EXPECT_FALSE(slab.Has(0));
  EXPECT_EQ(slab.size(), 1u);
  EXPECT_EQ(slab.Add("c"), 0u);
  EXPECT_EQ(slab.at(0), "c");
  EXPECT_EQ(slab.end(), 2u);
}

TEST(Slab, ValuesKeepTheirAddress) {
  Slab<std::string> slab;
  const std::string* first = &slab.at(slab.Add("first"));
  for (int i = 0; i < 1000; ++i) slab.Add("more");
  EXPECT_EQ(&slab.at(0), first);
}

TEST(Slab, IsUsableAfterAllValuesWereRemoved) {
  Slab<int> slab;
  for (int i = 0; i < 300; ++i) slab.Add(i);
  for (Slot slot = 0; slot < 300; ++slot) slab.Remove(slot);
  EXPECT_EQ(slab.size(), 0u);
  for (Slot slot = 0; slot < slab.end(); ++slot) EXPECT_FALSE(slab.Has(slot));
  EXPECT_EQ(slab.at(slab.Add(7)), 7);
}

TEST(Slab, CopiesAreEqualUntilOneChanges) {
  Slab<int> slab;
  slab.Add(1);
  Slab<int> copy = slab;
  EXPECT_EQ(copy, slab);
  copy.at(0) = 2;
  EXPECT_EQ(slab.at(0), 1);
  EXPECT_FALSE(copy == slab);
}

}  // namespace
}  // namespace xebec::watcher
