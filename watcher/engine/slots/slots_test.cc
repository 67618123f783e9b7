// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <random>
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

TEST(Slab, ValuesKeepTheirSlotsWhateverIsAddedAndRemoved) {
  Slab<int> slab;
  std::map<Slot, int> expected;
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const bool grows = (i / 2000) % 2 == 0;
    if (expected.empty() || random() % 10 < (grows ? 8 : 2)) {
      expected[slab.Add(i)] = i;
    } else {
      const auto any = std::next(expected.begin(), random() % expected.size());
      ASSERT_EQ(slab.Remove(any->first), any->second);
      expected.erase(any);
    }
    ASSERT_EQ(slab.size(), expected.size());
    if (i % 100 != 0) continue;
    for (Slot slot = 0; slot < slab.end(); ++slot) {
      const auto found = expected.find(slot);
      ASSERT_EQ(slab.Has(slot), found != expected.end());
      if (found == expected.end()) continue;
      ASSERT_EQ(slab.at(slot), found->second);
    }
  }
}

// A watcher that hands three quarters of its buckets over would else keep the memory of all.
TEST(SlabChunk, ItsMemoryShrinksAsValuesAreRemoved) {
  SlabChunk<int> chunk;
  for (size_t i = 0; i < 128; ++i) chunk.Place(i, static_cast<int>(i));
  EXPECT_EQ(chunk.capacity(), 128u);
  for (size_t i = 0; i < 128; ++i) {
    if (i % 4 != 0) chunk.Remove(i);
  }
  EXPECT_LE(chunk.capacity(), 40u);
  for (size_t i = 0; i < 128; i += 4) EXPECT_EQ(chunk.at(i), static_cast<int>(i));
  for (size_t i = 0; i < 128; ++i) {
    if (i % 4 != 0) chunk.Place(i, static_cast<int>(i));
  }
  EXPECT_EQ(chunk.capacity(), 128u);
  for (size_t i = 0; i < 128; ++i) EXPECT_EQ(chunk.at(i), static_cast<int>(i));
}

// A watcher that has handed buckets over and takes others over uses the slots again, a few of each
// chunk. A table of a single namespace has one value.
TEST(SlabChunk, HasMemoryForLittleMoreThanItsValues) {
  SlabChunk<int> chunk;
  EXPECT_EQ(chunk.capacity(), 0u);
  for (size_t i = 0; i < 128; ++i) {
    chunk.Place(i, static_cast<int>(i));
    EXPECT_LE(chunk.capacity(), std::max<size_t>(8, 2 * (i + 1)));
  }
  for (size_t i = 0; i < 128; ++i) chunk.Remove(i);
  EXPECT_EQ(chunk.capacity(), 0u);
  for (size_t i = 100; i > 80; --i) chunk.Place(i, static_cast<int>(i));
  EXPECT_LE(chunk.capacity(), 32u);
  for (size_t i = 100; i > 80; --i) EXPECT_EQ(chunk.at(i), static_cast<int>(i));
  EXPECT_FALSE(chunk.Has(80));
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
