// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/slots/slot_index.h"

#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/slots/group_index.h"

namespace xebec::watcher {
namespace {

template <typename Index>
std::vector<Slot> All(const Index& index, size_t hash) {
  std::vector<Slot> slots;
  index.ForEach(hash, [&](Slot slot) { slots.push_back(slot); });
  return slots;
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

/// An index, and the same entries in a set.
class CheckedIndex {
 public:
  void Add(size_t hash, Slot slot) {
    if (entries_.insert({hash, slot}).second) index_.Add(hash, slot);
  }
  void Remove(size_t hash, Slot slot) {
    if (entries_.erase({hash, slot}) > 0) index_.Remove(hash, slot);
  }
  void Check(size_t hash) const {
    std::vector<Slot> slots;
    const auto end = entries_.lower_bound({hash + 1, 0});
    for (auto it = entries_.lower_bound({hash, 0}); it != end; ++it) slots.push_back(it->second);
    ASSERT_EQ(All(index_, hash), slots) << "hash " << hash << " of " << entries_.size();
  }
  void CheckAll() const {
    for (const auto& [hash, slot] : entries_) Check(hash);
  }
  const SlotIndex& index() const { return index_; }
  const std::set<std::pair<size_t, Slot>>& entries() const { return entries_; }

 private:
  SlotIndex index_;
  std::set<std::pair<size_t, Slot>> entries_;
};

// Few hashes have many slots each, many hashes have few.
TEST(SlotIndex, HasWhatWasAddedAndNotRemoved) {
  for (const size_t hashes : {1, 3, 40, 5000}) {
    std::mt19937 random(7);
    CheckedIndex checked;
    for (int round = 0; round < 20'000; ++round) {
      const bool growing = round / 4000 % 2 == 0;
      const size_t hash = random() % hashes * 0x9e3779b1u % 0xffffffffu;
      const Slot slot = random() % 300;
      (random() % 4 == 0) == growing ? checked.Remove(hash, slot) : checked.Add(hash, slot);
      if (round % 16 == 0) checked.Check(hash);
      if (round % 5000 == 0) checked.CheckAll();
    }
    checked.CheckAll();
  }
}

TEST(SlotIndex, EqualContentsAreEqual) {
  CheckedIndex checked;
  for (Slot slot = 0; slot < 4000; ++slot) checked.Add(slot * 0x9e3779b1u % 500, slot);
  for (Slot slot = 0; slot < 3000; ++slot) checked.Remove(slot * 0x9e3779b1u % 500, slot);
  SlotIndex other;
  for (auto it = checked.entries().rbegin(); it != checked.entries().rend(); ++it) {
    other.Add(it->first, it->second);
  }
  EXPECT_EQ(other, checked.index());
  const auto [hash, slot] = *checked.entries().begin();
  other.Remove(hash, slot);
  EXPECT_FALSE(other == checked.index());
}

TEST(SlotIndex, AnEmptyIndexHasNothing) {
  SlotIndex index;
  EXPECT_EQ(index.Find(7, [](Slot) { return true; }), std::nullopt);
  index.Add(7, 1);
  index.Remove(7, 1);
  EXPECT_EQ(index.Find(7, [](Slot) { return true; }), std::nullopt);
  EXPECT_EQ(index, SlotIndex());
}

TEST(GroupIndex, HasTheSlotsOfEachHash) {
  GroupIndex index;
  index.Add(5, 11);
  index.Add(5, 10);
  index.Add(6, 12);
  EXPECT_EQ(All(index, 5), (std::vector<Slot>{10, 11}));
  index.Remove(5, 10);
  EXPECT_EQ(All(index, 5), std::vector<Slot>{11});
  EXPECT_EQ(All(index, 7), std::vector<Slot>{});
}

}  // namespace
}  // namespace xebec::watcher
