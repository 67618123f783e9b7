// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/slots/slab.h"
#include "watcher/engine/slots/slot_index.h"

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

TEST(SlotIndex, TellsValuesOfOneHashApart) {
  SlotIndex index;
  index.Add(5, 10);
  index.Add(5, 11);
  index.Add(6, 12);
  EXPECT_EQ(index.Find(5, [](Slot slot) { return slot == 11; }), 11u);
  EXPECT_EQ(index.Find(5, [](Slot slot) { return slot == 12; }), std::nullopt);
  std::vector<Slot> seen;
  index.ForEach(5, [&](Slot slot) { seen.push_back(slot); });
  EXPECT_EQ(seen, (std::vector<Slot>{10, 11}));
  index.Remove(5, 10);
  EXPECT_EQ(index.Find(5, [](Slot) { return true; }), 11u);
}

}  // namespace
}  // namespace xebec::watcher
