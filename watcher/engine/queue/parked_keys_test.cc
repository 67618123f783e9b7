// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/parked_keys.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

using Keys = std::vector<KeyId>;

bool IsEven(KeyId key) { return key % 2 == 0; }

TEST(ParkedKeys, StayUntilTheyAreChecked) {
  ParkedKeys parked;
  parked.Add(2);
  EXPECT_FALSE(parked.checking());
  EXPECT_EQ(parked.TakeSome(10, IsEven), Keys{});
  parked.Check();
  EXPECT_TRUE(parked.checking());
  EXPECT_EQ(parked.TakeSome(10, IsEven), Keys{2});
  EXPECT_FALSE(parked.checking());
}

TEST(ParkedKeys, KeysThatMayNotStartAreCheckedAgainNextTime) {
  ParkedKeys parked;
  for (const KeyId key : {1, 2, 3}) parked.Add(key);
  parked.Check();
  EXPECT_EQ(parked.TakeSome(10, IsEven), Keys{2});
  parked.Check();
  EXPECT_EQ(parked.TakeSome(10, [](KeyId) { return true; }), (Keys{1, 3}));
}

TEST(ParkedKeys, AreCheckedInPartsWhileKeysComeAndGo) {
  ParkedKeys parked;
  for (KeyId key = 0; key < 10; ++key) parked.Add(key);
  parked.Check();
  EXPECT_EQ(parked.TakeSome(5, IsEven), (Keys{0, 2, 4}));
  EXPECT_TRUE(parked.checking());
  parked.Remove(5);
  parked.Remove(6);
  parked.Add(12);
  EXPECT_EQ(parked.TakeSome(5, IsEven), (Keys{8, 12}));
  EXPECT_FALSE(parked.checking());
}

TEST(ParkedKeys, ACheckThatIsAskedForAgainStartsOver) {
  ParkedKeys parked;
  for (const KeyId key : {0, 1, 2}) parked.Add(key);
  parked.Check();
  EXPECT_EQ(parked.TakeSome(2, [](KeyId) { return false; }), Keys{});
  parked.Check();
  EXPECT_EQ(parked.TakeSome(3, IsEven), (Keys{0, 2}));
}

}  // namespace
}  // namespace xebec::watcher
