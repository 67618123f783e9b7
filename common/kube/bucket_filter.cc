// SPDX-License-Identifier: Apache-2.0
#include "common/kube/bucket_filter.h"

#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/model/bucket_ranges.h"

namespace xebec::kube {
namespace {

// Proxies and servers accept request lines of 8 KiB at least; a range takes about 100 bytes.
constexpr size_t kMostRanges = 64;

// The least hash of a uid in the bucket, of 64 bits; of the bucket `count`: 2^64.
std::string Bound(uint32_t bucket, uint32_t count) {
  const uint64_t high = ((uint64_t{bucket} << 32) + count - 1) / count;
  return absl::StrFormat("0x%08x00000000", high);
}

}  // namespace

bool BucketFilter::Keeps(std::string_view uid, std::string_view controller,
                         std::string_view parent_label) const {
  if (!active() || !parent_label.empty()) return true;
  return (parents && buckets->ContainsUid(uid)) ||
         (children && !controller.empty() && buckets->ContainsUid(controller));
}

double BucketFilter::share() const {
  if (buckets == nullptr || buckets->count() == 0) return 1;
  return static_cast<double>(buckets->size()) / buckets->count();
}

bool BucketFilter::Covers(const BucketFilter& other) const {
  if (!active()) return true;
  return other.active() && CoversRoles(other) && buckets->Covers(*other.buckets);
}

bool BucketFilter::CoversRoles(const BucketFilter& other) const {
  if (!active()) return true;
  const bool has_role = other.parents || other.children;
  return has_role && (parents || !other.parents) && (children || !other.children) &&
         (!labels || other.labels);
}

bool operator==(const BucketFilter& a, const BucketFilter& b) {
  if (!a.active() || !b.active()) return a.active() == b.active();
  return a.parents == b.parents && a.children == b.children && a.labels == b.labels &&
         (a.buckets == b.buckets || *a.buckets == *b.buckets);
}

std::string ShardSelector(const BucketFilter& filter) {
  if (!filter.selectable()) return "";
  std::vector<std::string> ranges;
  for (const auto& [first, end] : RangesOf(*filter.buckets)) {
    ranges.push_back(absl::StrFormat("shardRange(object.metadata.uid, '%s', '%s')",
                                     Bound(first, filter.buckets->count()),
                                     Bound(end, filter.buckets->count())));
  }
  return ranges.size() > kMostRanges ? "" : absl::StrJoin(ranges, " || ");
}

BucketFilter Intersect(const BucketFilter& a, const BucketFilter& b) {
  if (a.Covers(b)) return b;
  if (b.Covers(a)) return a;
  BucketFilter both{nullptr, a.parents && b.parents, a.children && b.children,
                    a.labels || b.labels};
  BucketSet buckets(b.buckets->count());
  if (!both.parents && !both.children) {
    both.parents = true;  // of no bucket
  } else {
    buckets = b.buckets->And(*a.buckets);
  }
  both.buckets = std::make_shared<const BucketSet>(std::move(buckets));
  return both;
}

}  // namespace xebec::kube
