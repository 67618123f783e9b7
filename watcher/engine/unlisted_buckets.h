// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "common/model/bucket.h"
#include "watcher/engine/cache/cache_set.h"

namespace xebec::watcher {

/// Buckets of which the caches may lack parents, because a list is not complete.
struct UnlistedBuckets {
  BucketSet buckets;
  std::string reason;  ///< What the first such list waits for, for users; may be empty.
};

/// Returns those of `buckets` that are unlisted. The lists of the kinds that `kind` is true of
/// count, and those of the parents that declare controllers. Resources that are not served or may
/// not be listed do not count. Before the first description, all of `buckets` are unlisted.
UnlistedBuckets FindUnlisted(const CacheSet& cache, const BucketSet& buckets,
                             const std::function<bool(const ResourceType&)>& kind);

}  // namespace xebec::watcher
