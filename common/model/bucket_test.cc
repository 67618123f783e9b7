// SPDX-License-Identifier: Apache-2.0
#include "common/model/bucket.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/model/bucket_ranges.h"

namespace xebec {
namespace {

TEST(BucketOf, IsStableForEver) {
  // The high byte of the 64-bit FNV-1a hashes of "" and "a".
  EXPECT_EQ(BucketOf("", 256), 0xcbu);
  EXPECT_EQ(BucketOf("a", 256), 0xafu);
  EXPECT_EQ(BucketOf("a", 1), 0u);
}

TEST(BucketOf, SpreadsUidsEvenly) {
  std::vector<int> counts(64);
  for (int i = 0; i < 64000; ++i) ++counts[BucketOf(absl::StrCat(i * 2654435761u, "-", i), 64)];
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  EXPECT_GT(*least, 800);
  EXPECT_LT(*most, 1200);
}

TEST(BucketOf, MoreBucketsSplitThoseThatWere) {
  for (int i = 0; i < 1000; ++i) {
    const std::string uid = std::to_string(i);
    EXPECT_EQ(BucketOf(uid, 32), BucketOf(uid, 64) / 2) << uid;
  }
}

TEST(BucketSet, CountsWhatItContains) {
  BucketSet set(8);
  EXPECT_TRUE(set.empty());
  set.Add(3);
  set.Add(3);
  set.Add(7);
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.Contains(3));
  EXPECT_FALSE(set.Contains(4));
  EXPECT_FALSE(set.Contains(8));
  set.Remove(3);
  set.Remove(3);
  set.Remove(100);
  EXPECT_EQ(set.ToVector(), std::vector<uint32_t>{7});
  EXPECT_TRUE(BucketSet::All(8).full());
  EXPECT_TRUE(BucketSet::All(8).Covers(set));
  EXPECT_FALSE(set.Covers(BucketSet::All(8)));
  EXPECT_FALSE(BucketSet::All(16).Covers(set));
}

TEST(BucketSet, RemovesTheBucketsOfAnotherSet) {
  BucketSet set = *BucketSet::Parse("0-3", 8);
  set.Remove(*BucketSet::Parse("1,3-5", 8));
  EXPECT_EQ(set, *BucketSet::Parse("0,2", 8));
}

TEST(BucketSet, SetsOfAnotherCountHaveNoBucketInCommon) {
  const BucketSet set = *BucketSet::Parse("0-3", 8);
  EXPECT_EQ(set.And(*BucketSet::Parse("1,3-5", 8)), *BucketSet::Parse("1,3", 8));
  EXPECT_EQ(set.And(BucketSet(8)), BucketSet(8));
  EXPECT_EQ(set.And(BucketSet::All(16)), BucketSet(8));
}

TEST(BucketSet, ReadsItsOwnText) {
  for (const char* text : {"", "0", "0-7", "0-1,3,5-7"}) {
    const auto set = BucketSet::Parse(text, 8);
    ASSERT_TRUE(set.has_value()) << text;
    EXPECT_EQ(set->ToText(), text);
  }
}

TEST(BucketSet, RefusesOtherTexts) {
  for (const char* text : {"8", "-", "1-", "2-1", "1,1", "0-3,2", "x", "1 2", ",", "1-2-3", "-1"}) {
    EXPECT_FALSE(BucketSet::Parse(text, 8).has_value()) << text;
  }
}

TEST(BucketSet, HasItsBucketsAsRanges) {
  const BucketSet set = *BucketSet::Parse("0-3,7,9", 10);
  EXPECT_EQ(RangesOf(set), (std::vector<BucketRange>{{0, 4}, {7, 8}, {9, 10}}));
  EXPECT_TRUE(RangesOf(BucketSet(10)).empty());
}

}  // namespace
}  // namespace xebec
