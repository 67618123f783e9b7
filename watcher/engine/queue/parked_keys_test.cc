// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/parked_keys.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using Keys = std::vector<KeyId>;

void Add(KeyId key, ParkedKeys* parked) { parked->Add({key, Priority::kUser}); }

Keys Take(size_t limit, absl::FunctionRef<bool(KeyId)> may_start, ParkedKeys* parked) {
  Keys taken;
  for (const ParkedKeys::Key& each : parked->TakeSome(limit, may_start)) taken.push_back(each.key);
  return taken;
}

bool Every(KeyId) { return true; }
bool None(KeyId) { return false; }
bool IsEven(KeyId key) { return key % 2 == 0; }

TEST(ParkedKeys, StayUntilTheyAreChecked) {
  ParkedKeys parked;
  Add(2, &parked);
  EXPECT_FALSE(parked.checking());
  EXPECT_EQ(Take(10, IsEven, &parked), Keys{});
  parked.Check();
  EXPECT_TRUE(parked.checking());
  EXPECT_EQ(Take(10, IsEven, &parked), Keys{2});
  EXPECT_FALSE(parked.checking());
}

TEST(ParkedKeys, KeysThatMayNotStartAreCheckedAgainNextTime) {
  ParkedKeys parked;
  for (const KeyId key : {1, 2, 3}) Add(key, &parked);
  parked.Check();
  EXPECT_EQ(Take(10, IsEven, &parked), Keys{2});
  parked.Check();
  EXPECT_EQ(Take(10, Every, &parked), (Keys{1, 3}));
}

TEST(ParkedKeys, AreCheckedInPartsWhileKeysComeAndGo) {
  ParkedKeys parked;
  for (KeyId key = 0; key < 10; ++key) Add(key, &parked);
  parked.Check();
  EXPECT_EQ(Take(5, IsEven, &parked), (Keys{0, 2, 4}));
  EXPECT_TRUE(parked.checking());
  parked.Remove(5);
  parked.Remove(6);
  Add(12, &parked);
  EXPECT_EQ(Take(5, IsEven, &parked), (Keys{8, 12}));
  EXPECT_FALSE(parked.checking());
}

TEST(ParkedKeys, ACheckThatIsAskedForAgainStartsOver) {
  ParkedKeys parked;
  for (const KeyId key : {0, 1, 2}) Add(key, &parked);
  parked.Check();
  EXPECT_EQ(Take(2, None, &parked), Keys{});
  parked.Check();
  EXPECT_EQ(Take(3, IsEven, &parked), (Keys{0, 2}));
}

TEST(ParkedKeys, AKeyThatIsParkedAgainKeepsTheHigherPriority) {
  for (const auto& [first, second] : {std::pair(Priority::kUser, Priority::kBackground),
                                      std::pair(Priority::kBackground, Priority::kUser)}) {
    ParkedKeys parked;
    parked.Add({1, first});
    parked.Add({1, second});
    parked.Check();
    const std::vector<ParkedKeys::Key> expected = {{1, Priority::kUser}};
    EXPECT_EQ(parked.TakeSome(10, Every), expected);
  }
}

}  // namespace
}  // namespace xebec::watcher
