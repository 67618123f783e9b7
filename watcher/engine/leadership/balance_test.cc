// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/leadership/balance.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/testing/seeds.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

Assignment Free(uint32_t buckets) { return {std::vector<BucketHolder>(buckets)}; }

Assignment Held(const std::vector<std::string>& holders) {
  Assignment assignment;
  for (const std::string& each : holders) assignment.buckets.push_back({each, 1, true});
  return assignment;
}

std::map<std::string, uint32_t> Counts(const std::vector<std::string>& holders) {
  std::map<std::string, uint32_t> counts;
  for (const std::string& each : holders) ++counts[each];
  return counts;
}

int Moves(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  int moves = 0;
  for (size_t i = 0; i < before.size(); ++i) moves += before[i] != after[i] ? 1 : 0;
  return moves;
}

TEST(Balance, SharesEquallyWhateverTheNumberOfWatchers) {
  std::vector<std::string> members;
  for (uint32_t n = 1; n <= 16; ++n) {
    members.push_back(absl::StrCat("w", 100 + n));
    for (const auto& [watcher, count] : Counts(Balance(Free(128), members))) {
      EXPECT_TRUE(count == 128 / n || count == 128 / n + 1) << n << " " << watcher << " " << count;
    }
  }
}

TEST(Balance, LeavesEverythingWithoutMembers) {
  EXPECT_EQ(Balance(Held({"a", ""}), {}), (std::vector<std::string>{"", ""}));
}

TEST(Balance, MovesNothingThatIsBalanced) {
  const std::vector<std::string> held = {"b", "a", "a", "b", "a"};
  EXPECT_EQ(Balance(Held(held), {"a", "b"}), held);
}

TEST(Balance, MovesAsLittleAsPossible) {
  std::vector<std::string> members = {"a"};
  std::vector<std::string> held = Balance(Free(128), members);
  for (const char* joins : {"b", "c", "d"}) {
    members.emplace_back(joins);
    const std::vector<std::string> next = Balance(Held(held), members);
    EXPECT_EQ(Moves(held, next), static_cast<int>(128 / members.size()));
    held = next;
  }
  const std::vector<std::string> next = Balance(Held(held), {"a", "c", "d"});
  EXPECT_EQ(Moves(held, next), 32) << "those of b alone";
}

TEST(Balance, GivesBucketsOfUnknownHoldersAway) {
  EXPECT_EQ(Balance(Held({"gone", "a"}), {"a", "b"}), (std::vector<std::string>{"b", "a"}));
}

// Buckets move as they become idle, and the watchers compute the shares again after each write. A
// bucket that is on its way must not get another target then: its next watcher has its objects.
TEST(Balance, BucketsOnTheirWayKeepTheirTargets) {
  xebec::testing::ForSeeds(2000, [](uint64_t seed) {
    std::mt19937 random(static_cast<uint32_t>(seed));
    const auto below = [&](size_t limit) { return random() % limit; };
    const std::vector<std::string> all = {"", "a", "b", "c", "d", "e", "f"};
    std::vector<std::string> held(1 + below(40)), members;
    for (std::string& holder : held) holder = all[below(all.size())];
    for (size_t i = 1; i < all.size(); ++i) {
      if (below(3) > 0) members.push_back(all[i]);
    }
    const std::vector<std::string> targets = Balance(Held(held), members);
    for (size_t bucket = 0; bucket < held.size(); ++bucket) {
      if (below(2) == 0) held[bucket] = targets[bucket];
    }
    EXPECT_EQ(Balance(Held(held), members), targets);
  });
}

}  // namespace
}  // namespace xebec::watcher
