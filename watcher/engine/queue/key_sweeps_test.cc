// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/key_sweeps.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

class KeySweepsTest : public ::testing::Test {
 protected:
  KeySweepsTest() {
    for (int i = 0; i < 10; ++i) {
      keys_.Add(0, {i < 5 ? "a" : "b", absl::StrCat("w", i)}, absl::StrCat("u", i));
    }
  }
  std::vector<KeyChange> Next(size_t limit) { return sweeps_.Next(limit, 2, cache_, &keys_); }
  KeysOfController All(const std::string& reason = "why") const {
    return {0, "", std::nullopt, reason, Priority::kBackground};
  }
  std::set<KeyId> Drain(size_t limit) {
    std::set<KeyId> seen;
    while (!sweeps_.empty()) {
      for (const KeyChange& change : Next(limit)) seen.insert(change.key);
    }
    return seen;
  }

  CacheSet cache_{Options(), "watcher"};
  KeyTable keys_;
  KeySweeps sweeps_;
};

TEST_F(KeySweepsTest, TakeAFewKeysAtATime) {
  sweeps_.Add(All());
  for (size_t i = 0; i < 3; ++i) EXPECT_LE(Next(3).size(), 3u);
  EXPECT_FALSE(sweeps_.empty());
  EXPECT_FALSE(Drain(3).empty());
}

TEST_F(KeySweepsTest, ReachEveryKeyThoughKeysComeAndGo) {
  sweeps_.Add(All());
  const std::vector<KeyChange> first = Next(3);
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(first[0].reason, "why");
  for (const KeyChange& change : first) keys_.Remove(change.key);
  std::set<KeyId> seen = Drain(3);
  EXPECT_EQ(seen.size() + first.size(), 10u);
}

TEST_F(KeySweepsTest, CoverOneNamespaceOrBucket) {
  sweeps_.Add({0, "b", std::nullopt, "why", Priority::kController});
  EXPECT_EQ(Drain(100).size(), 5u);
  size_t sum = 0;
  for (const uint32_t bucket : {0u, 1u}) {
    BucketSet one(2);
    one.Add(bucket);
    sweeps_.Add({0, "", one, "why", Priority::kController});
    for (const KeyId key : Drain(100)) {
      EXPECT_EQ(keys_.at(key).Bucket(2), bucket);
      ++sum;
    }
  }
  EXPECT_EQ(sum, 10u);
}

TEST_F(KeySweepsTest, OneThatHasNotBegunCoversAnotherOfTheSameKeys) {
  sweeps_.Add(All("first"));
  sweeps_.Add(All("second"));
  for (const KeyChange& change : Next(100)) EXPECT_EQ(change.reason, "first");
  EXPECT_TRUE(sweeps_.empty());
  sweeps_.Add(All());
  Next(3);
  sweeps_.Add(All("again"));
  size_t again = 0;
  while (!sweeps_.empty()) {
    for (const KeyChange& change : Next(3)) again += change.reason == "again" ? 1 : 0;
  }
  EXPECT_EQ(again, 10u);
}

}  // namespace
}  // namespace xebec::watcher
