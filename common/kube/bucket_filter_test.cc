// SPDX-License-Identifier: Apache-2.0
#include "common/kube/bucket_filter.h"

#include <initializer_list>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/kube/testing/decode_line.h"
#include "common/kube/watch_event.h"
#include "gtest/gtest.h"

namespace xebec::kube {
namespace {

constexpr uint32_t kCount = 4;

std::shared_ptr<const BucketSet> Buckets(std::initializer_list<uint32_t> buckets,
                                         uint32_t count = kCount) {
  BucketSet set(count);
  for (const uint32_t bucket : buckets) set.Add(bucket);
  return std::make_shared<const BucketSet>(set);
}

/// Some uid in that bucket of four.
std::string UidIn(uint32_t bucket) {
  for (int i = 0;; ++i) {
    const std::string uid = absl::StrCat("uid-", i);
    if (BucketOf(uid, kCount) == bucket) return uid;
  }
}

constexpr bool kParents = true, kChildren = true;

TEST(BucketFilter, KeepsEverythingWithoutBucketsOrWithoutARole) {
  EXPECT_TRUE(BucketFilter().Keeps("u", "", ""));
  EXPECT_TRUE((BucketFilter{nullptr, kParents, kChildren}.Keeps("u", "", "")));
  EXPECT_TRUE((BucketFilter{Buckets({})}.Keeps("u", "", ""))) << "all parents see related objects";
  EXPECT_FALSE((BucketFilter{Buckets({}), kParents}.Keeps("u", "", "")));
}

TEST(BucketFilter, KeepsParentsByTheirUidAndChildrenByThatOfTheirController) {
  const BucketFilter parents{Buckets({1}), kParents, false};
  const BucketFilter children{Buckets({1}), false, kChildren};
  const BucketFilter both{Buckets({1}), kParents, kChildren};
  EXPECT_TRUE(parents.Keeps(UidIn(1), "", ""));
  EXPECT_FALSE(parents.Keeps(UidIn(0), UidIn(1), ""));
  EXPECT_FALSE(children.Keeps(UidIn(1), UidIn(0), ""));
  EXPECT_TRUE(children.Keeps(UidIn(0), UidIn(1), "")) << "its own uid is in another bucket";
  EXPECT_FALSE(children.Keeps(UidIn(1), "", "")) << "it has no controller";
  EXPECT_TRUE(both.Keeps(UidIn(1), UidIn(0), ""));
  EXPECT_TRUE(both.Keeps(UidIn(0), UidIn(1), ""));
  EXPECT_FALSE(both.Keeps(UidIn(0), UidIn(2), ""));
}

TEST(BucketFilter, KeepsAllThatNameTheirParent) {
  EXPECT_TRUE((BucketFilter{Buckets({1}), false, kChildren}.Keeps(UidIn(0), "", "web")));
}

TEST(BucketFilter, CoversWhatKeepsLess) {
  const BucketFilter all;
  const BucketFilter wide{Buckets({1, 2}), kParents, kChildren};
  EXPECT_TRUE(all.Covers(wide));
  EXPECT_FALSE(wide.Covers(all));
  EXPECT_TRUE(wide.Covers(wide));
  EXPECT_TRUE(wide.Covers({Buckets({1}), kParents, false}));
  EXPECT_FALSE((BucketFilter{Buckets({1, 2}), kParents, false}.Covers(wide)));
  EXPECT_FALSE(wide.Covers({Buckets({1, 3}), kParents, false}));
  EXPECT_FALSE(wide.Covers({Buckets({1}, 8), kParents, false})) << "of another number of buckets";
  EXPECT_FALSE(wide.CoversRoles({nullptr, false, false})) << "related objects: all are needed";
  EXPECT_TRUE(wide.CoversRoles({nullptr, false, kChildren}));
  const BucketFilter labels{Buckets({1, 2}), kParents, kChildren, /*labels=*/true};
  EXPECT_TRUE(wide.Covers(labels));
  EXPECT_FALSE(labels.Covers(wide)) << "objects of other parents with a label";
  EXPECT_TRUE(Intersect(wide, labels).labels);
  EXPECT_FALSE(wide == labels);
}

TEST(BucketFilter, IntersectKeepsWhatBothKeep) {
  const BucketFilter a{Buckets({0, 1}), kParents, kChildren};
  const BucketFilter b{Buckets({1, 2}), kParents, false};
  EXPECT_EQ(Intersect(a, b), (BucketFilter{Buckets({1}), kParents, false}));
  EXPECT_EQ(Intersect({}, b), b);
  EXPECT_EQ(Intersect(a, {}), a);
  EXPECT_EQ(Intersect(a, a), a);
  const BucketFilter other_count = Intersect(a, {Buckets({1, 2}, 8), kParents, false});
  EXPECT_EQ(other_count, (BucketFilter{Buckets({}, 8), kParents, false}));
  EXPECT_FALSE(Intersect(b, {Buckets({1}), false, kChildren}).Keeps(UidIn(1), UidIn(1), ""));
}

TEST(BucketFilter, ShardsAreTheRangesOfTheBuckets) {
  EXPECT_EQ(ShardSelector({Buckets({0, 1, 3}), kParents, false}),
            "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000') || "
            "shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')");
  EXPECT_EQ(ShardSelector({Buckets({1}, 3), kParents, false}),
            "shardRange(object.metadata.uid, '0x5555555600000000', '0xaaaaaaab00000000')");
  EXPECT_EQ(ShardSelector({Buckets({1}), kParents, kChildren}), "") << "no uid of a controller";
  EXPECT_EQ(ShardSelector({Buckets({1}), false, kChildren}), "");
  EXPECT_EQ(ShardSelector({nullptr, kParents, false}), "");
}

TEST(BucketFilter, TooManyRangesAreNoShard) {
  BucketSet odd(256);
  for (uint32_t bucket = 1; bucket < 128; bucket += 2) odd.Add(bucket);
  EXPECT_LT(ShardSelector({std::make_shared<const BucketSet>(odd), kParents}).size(), 6000u);
  EXPECT_NE(ShardSelector({std::make_shared<const BucketSet>(odd), kParents}), "");
  odd.Add(129);
  EXPECT_EQ(ShardSelector({std::make_shared<const BucketSet>(odd), kParents}), "");
}

TEST(BucketFilter, TheBoundsOfShardsAreThoseOfBucketOf) {
  for (const uint32_t count : {1u, 3u, 128u, 1000u}) {
    for (int i = 0; i < 200; ++i) {
      const std::string uid = absl::StrCat("uid-", i);
      uint64_t hash = 14695981039346656037u;
      for (const char c : uid) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
      const std::string shard =
          ShardSelector({Buckets({BucketOf(uid, count)}, count), kParents, false});
      const std::string text = absl::StrFormat("0x%016x", hash);
      const size_t begin = shard.find("0x"), end = shard.rfind("0x");
      EXPECT_LE(shard.substr(begin, text.size()), text) << shard;
      const bool last = shard.size() - end > text.size() + 2;  // 2^64 has one more digit
      EXPECT_TRUE(last || shard.substr(end, text.size()) > text) << shard << text;
    }
  }
}

TEST(BucketFilter, EqualFiltersKeepTheSame) {
  EXPECT_EQ((BucketFilter{Buckets({1}), kParents}), (BucketFilter{Buckets({1}), kParents}));
  EXPECT_EQ((BucketFilter{nullptr, kParents}), (BucketFilter{Buckets({1}), false, false}));
  EXPECT_FALSE((BucketFilter{Buckets({1}), kParents}) == (BucketFilter{Buckets({2}), kParents}));
  EXPECT_FALSE((BucketFilter{Buckets({1}), kParents}) ==
               (BucketFilter{Buckets({1}), false, kChildren}));
  EXPECT_FALSE((BucketFilter{Buckets({1}), kParents}) == BucketFilter());
}

/// The event of an object with that uid, of a controller with that uid.
WatchEvent Decoded(const Projection& projection, const std::string& uid,
                   const std::string& controller, const std::string& kind = "Iris",
                   const std::string& label = "") {
  const std::string line = absl::StrCat(
      R"({"type":"ADDED","object":{"metadata":{"name":"web","resourceVersion":"7","uid":")", uid,
      R"(","labels":{"app":")", label, R"("},"ownerReferences":[{"apiVersion":"example.com/v1",)",
      R"("kind":")", kind, R"(","name":"i","uid":")", controller, R"(","controller":true}]}}})");
  return testing::DecodeLine(line, projection).value();
}

TEST(DecodeWatchLine, ObjectsOfOtherBucketsKeepTheirHeaderOnly) {
  Projection projection;
  projection.controller_kinds = {"example.com/v1/Iris"};
  projection.keep = {Buckets({1}), false, kChildren};
  EXPECT_NE(Decoded(projection, UidIn(0), UidIn(1)).object.json, nullptr);
  EXPECT_EQ(Decoded(projection, UidIn(0), UidIn(1), "Rose").object.json, nullptr);
  const WatchEvent other = Decoded(projection, UidIn(1), UidIn(0));
  EXPECT_EQ(other.object.json, nullptr);
  EXPECT_EQ(other.object.header.name, "web");
  EXPECT_EQ(other.object.header.resource_version, "7");
  EXPECT_TRUE(other.object.header.controlled);
  EXPECT_FALSE(Decoded(projection, UidIn(0), UidIn(1), "Rose").object.header.controlled);
  projection.parent_label = "app";
  EXPECT_NE(Decoded(projection, UidIn(1), UidIn(0), "Iris", "web").object.json, nullptr);
}

TEST(DecodeWatchLine, ParentsOfOtherBucketsKeepTheirHeaderOnly) {
  Projection projection;
  projection.keep = {Buckets({1}), kParents, false};
  EXPECT_NE(Decoded(projection, UidIn(1), UidIn(0)).object.json, nullptr);
  EXPECT_EQ(Decoded(projection, UidIn(0), UidIn(1)).object.json, nullptr);
}

}  // namespace
}  // namespace xebec::kube
