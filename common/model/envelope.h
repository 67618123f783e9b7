// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/resource.h"

namespace xebec {

/// Identifies the parent of an observation, down to its incarnation and version.
struct ParentIdentity {
  ObjectRef ref;
  std::string uid;               ///< Empty in requests made by hand, which cannot be applied.
  std::string resource_version;  ///< Opaque.
  int64_t generation = 0;

  bool operator==(const ParentIdentity&) const = default;
};

/// Makes late, duplicate and forged plans harmless. The watcher writes the envelope, the planner
/// copies it from the observation into the plan, and the applier refuses a plan that has expired,
/// repeats a sequence, or whose buckets or epoch are not those of the assignment.
struct Envelope {
  ParentIdentity parent;
  std::string controller;     ///< KindDescription::controller.
  uint32_t bucket = 0;        ///< The bucket of the key space that contains the parent.
  uint32_t bucket_count = 0;  ///< 0 means unknown; refused while there is an assignment.
  uint64_t epoch = 0;         ///< Of the bucket, in the assignment at the time of sending.
  std::string watcher;        ///< Identity of the watcher process, new at every start.
  uint64_t sequence = 0;      ///< Number of the plan among those of one watcher process, from 1.
  /// The applier starts no operation later. It tolerates 2 s of clock skew.
  absl::Time not_after = absl::InfiniteFuture();
  std::string observation_digest;
  std::string planner_revision;
  std::vector<std::string> reasons;  ///< The reasons why the key was queued, oldest first.
  std::string reconcile_id;          ///< Identifies one reconcile in the logs of all services.

  bool operator==(const Envelope&) const = default;
};

}  // namespace xebec
