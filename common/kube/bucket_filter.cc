// SPDX-License-Identifier: Apache-2.0
#include "common/kube/bucket_filter.h"

#include <utility>

namespace xebec::kube {

bool BucketFilter::Keeps(std::string_view uid, std::string_view controller,
                         std::string_view parent_label) const {
  if (!active() || !parent_label.empty()) return true;
  return (parents && buckets->ContainsUid(uid)) ||
         (children && !controller.empty() && buckets->ContainsUid(controller));
}

bool BucketFilter::Covers(const BucketFilter& other) const {
  if (!active()) return true;
  return other.active() && CoversRoles(other) && buckets->Covers(*other.buckets);
}

bool BucketFilter::CoversRoles(const BucketFilter& other) const {
  if (!active()) return true;
  const bool has_role = other.parents || other.children;
  return has_role && (parents || !other.parents) && (children || !other.children);
}

bool operator==(const BucketFilter& a, const BucketFilter& b) {
  if (!a.active() || !b.active()) return a.active() == b.active();
  return a.parents == b.parents && a.children == b.children &&
         (a.buckets == b.buckets || *a.buckets == *b.buckets);
}

BucketFilter Intersect(const BucketFilter& a, const BucketFilter& b) {
  if (a.Covers(b)) return b;
  if (b.Covers(a)) return a;
  BucketFilter both{nullptr, a.parents && b.parents, a.children && b.children};
  BucketSet buckets(b.buckets->count());
  const bool comparable = a.buckets->count() == b.buckets->count();
  if (!both.parents && !both.children) {
    both.parents = true;  // of no bucket
  } else if (comparable) {
    for (const uint32_t bucket : b.buckets->ToVector()) {
      if (a.buckets->Contains(bucket)) buckets.Add(bucket);
    }
  }
  both.buckets = std::make_shared<const BucketSet>(std::move(buckets));
  return both;
}

}  // namespace xebec::kube
