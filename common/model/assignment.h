// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/model/bucket.h"

namespace xebec {

/// Higher epochs are never written: a leaseTransitions has 31 bits too.
inline constexpr uint64_t kMaxEpoch = 0x7fffffff;
/// An assignment with a higher epoch cannot be read: only a user writes it, and epochs have to
/// rise.
inline constexpr uint64_t kHighestReadableEpoch = kMaxEpoch - (1u << 20);

/// The watcher that plans the parents of a bucket, and its epoch.
struct BucketHolder {
  std::string watcher;  ///< Identity of the watcher process; empty if the bucket is free.
  /// Increases when the bucket moves. Appliers refuse plans with a lower one.
  uint64_t epoch = 0;
  /// False if plans of an earlier holder may still have been running when the bucket changed hands.
  bool clean = true;
  /// The holder before gave the bucket away in this assignment, and Assignment::seen is true of it.
  bool stated = false;

  bool operator==(const BucketHolder&) const = default;
};

/// By watched resource: a version. A cache that has reached it has seen all that the author of the
/// statement had seen or written. Nothing is known of resources that are absent.
using SeenVersions = std::map<std::string, std::string>;

/// The holder of each bucket: the content of the assignment, one object for an installation.
struct Assignment {
  std::vector<BucketHolder> buckets;  ///< By bucket. Empty: there is no assignment.
  SeenVersions seen = {};             ///< Of the watcher that gave away the stated buckets.

  uint32_t count() const { return static_cast<uint32_t>(buckets.size()); }
  /// The buckets of a watcher.
  BucketSet Of(std::string_view watcher) const;
  /// The highest epoch of all buckets; 0 without buckets.
  uint64_t HighestEpoch() const;

  bool operator==(const Assignment&) const = default;
};

/// The annotation that contains the assignment, on the Lease that is named after it.
inline constexpr std::string_view kAssignmentAnnotation = "xebec.dev/assignment";

/// Returns the value of the annotation: JSON with the number of buckets, the buckets of each
/// watcher as ranges, and the epochs.
std::string EncodeAssignment(const Assignment& assignment);

/// Reads the value of the annotation. INVALID_ARGUMENT says what is wrong: no JSON, a number of
/// buckets that is not between 1 and kMaxBuckets, a bucket with two holders, a missing epoch,
/// one above kHighestReadableEpoch.
absl::StatusOr<Assignment> DecodeAssignment(std::string_view text);

}  // namespace xebec
