// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/time/time.h"

namespace xebec::watcher {

/// What caches must contain before plans of a bucket are made from them. A time (monotonic).
struct CacheFreshness {
  /// All that was written before; or, if the holder before has stated what it had seen, what the
  /// watchers had seen or written that gave buckets to this one until then.
  absl::Duration since = -absl::InfiniteDuration();
  bool stated = false;

  bool operator==(const CacheFreshness&) const = default;
};

}  // namespace xebec::watcher
