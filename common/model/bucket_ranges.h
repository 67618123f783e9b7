// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/model/bucket.h"

namespace xebec {

/// The buckets from `first` to `end`-1.
struct BucketRange {
  uint32_t first = 0;
  uint32_t end = 0;

  bool operator==(const BucketRange&) const = default;
};

/// Returns the buckets of the set as ranges, in ascending order. No range can be joined to the next
/// one.
std::vector<BucketRange> RangesOf(const BucketSet& set);

}  // namespace xebec
