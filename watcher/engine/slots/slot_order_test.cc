// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/slots/slot_order.h"

#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

class SlotOrderTest : public ::testing::Test {
 protected:
  auto Before(int value) const {
    return [this, value](Slot slot) { return values_.at(slot) < value; };
  }
  void Add(int value) {
    const Slot slot = values_.Add(value);
    order_.Add(slot, Before(value));
    expected_[value] = slot;
  }
  void Remove(int value) {
    order_.Remove(Before(value));
    values_.Remove(expected_.at(value));
    expected_.erase(value);
  }
  std::vector<Slot> Range(int first, int end, size_t limit = 100'000) const {
    return order_.Range(Before(first), Before(end), limit);
  }
  std::vector<Slot> From(int value) const { return Range(value, 1'000'000); }
  std::vector<Slot> ExpectedFrom(int value) const {
    std::vector<Slot> slots;
    for (auto it = expected_.lower_bound(value); it != expected_.end(); ++it) {
      slots.push_back(it->second);
    }
    return slots;
  }

  Slab<int> values_;
  SlotOrder order_;
  std::map<int, Slot> expected_;
};

TEST_F(SlotOrderTest, IsThatOfTheValuesWhateverIsAddedAndRemoved) {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const bool grows = (i / 4000) % 2 == 0;
    const int value = static_cast<int>(random() % 100'000);
    if (expected_.empty() || random() % 10 < (grows ? 8 : 2)) {
      if (!expected_.contains(value)) Add(value);
    } else {
      const auto any = expected_.lower_bound(value);
      Remove(any == expected_.end() ? expected_.begin()->first : any->first);
    }
    if (i % 500 != 0) continue;
    ASSERT_EQ(From(0), ExpectedFrom(0));
    ASSERT_EQ(From(value), ExpectedFrom(value));
  }
}

TEST_F(SlotOrderTest, AscendingAndDescendingValuesAreAddedAndAllAreRemoved) {
  for (int i = 0; i < 1000; ++i) {
    Add(10'000 + i);
    Add(9'999 - i);
  }
  EXPECT_EQ(From(0), ExpectedFrom(0));
  for (int i = 0; i < 1000; ++i) {
    Remove(9'000 + i);
    Remove(10'999 - i);
    ASSERT_EQ(From(0), ExpectedFrom(0));
  }
  EXPECT_TRUE(From(0).empty());
  Add(1);
  EXPECT_EQ(From(0).size(), 1u);
}

TEST_F(SlotOrderTest, ARangeEndsBeforeItsEndOrAtItsLimit) {
  for (int i = 0; i < 600; i += 2) Add(i);
  const std::vector<Slot> all = From(0);
  EXPECT_EQ(Range(3, 9), std::vector<Slot>(all.begin() + 2, all.begin() + 5));
  EXPECT_EQ(Range(0, 500), std::vector<Slot>(all.begin(), all.begin() + 250));
  EXPECT_EQ(Range(100, 500, 150), std::vector<Slot>(all.begin() + 50, all.begin() + 200));
  EXPECT_TRUE(Range(500, 100).empty());
  EXPECT_TRUE(Range(100, 100).empty());
  EXPECT_TRUE(Range(0, 500, 0).empty());
}

}  // namespace
}  // namespace xebec::watcher
