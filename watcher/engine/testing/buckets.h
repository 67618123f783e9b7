// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/kube/bucket_filter.h"
#include "common/model/bucket.h"

/// Short ways to make buckets, of four unless another number is given.
namespace xebec::watcher::testing {

inline BucketSet MakeBuckets(std::initializer_list<uint32_t> buckets, uint32_t count = 4) {
  BucketSet set(count);
  for (const uint32_t bucket : buckets) set.Add(bucket);
  return set;
}

/// Keeps the children of parents of these buckets, or the parents.
inline kube::BucketFilter Children(std::initializer_list<uint32_t> buckets, uint32_t count = 4) {
  return {std::make_shared<const BucketSet>(MakeBuckets(buckets, count)), false, true};
}
inline kube::BucketFilter Parents(std::initializer_list<uint32_t> buckets, uint32_t count = 4) {
  return {std::make_shared<const BucketSet>(MakeBuckets(buckets, count)), true, false};
}

/// A uid that begins with `prefix`, in that bucket.
inline std::string UidIn(uint32_t bucket, const std::string& prefix = "u", uint32_t count = 4) {
  for (int i = 0;; ++i) {
    std::string uid = absl::StrCat(prefix, "-", i);
    if (BucketOf(uid, count) == bucket) return uid;
  }
}

}  // namespace xebec::watcher::testing
