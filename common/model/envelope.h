// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/resource.h"

namespace xebec {

/// The incarnation of a parent that an observation saw.
struct ParentIdentity {
  ObjectRef ref;
  std::string uid;               ///< Empty in hand-made requests: the plan cannot be applied.
  std::string resource_version;  ///< Opaque.
  int64_t generation = 0;

  bool operator==(const ParentIdentity&) const = default;
};

/// Makes late, duplicate and forged plans harmless (design §3.9). Written by the watcher, echoed by
/// the planner, checked by the applier.
struct Envelope {
  ParentIdentity parent;
  std::string controller;     ///< KindDescription::controller.
  uint32_t bucket = 0;        ///< Part of the key space.
  uint32_t bucket_count = 0;  ///< 0 = unknown.
  uint64_t epoch = 0;         ///< The bucket's Lease transitions at the moment of sending.
  std::string watcher;        ///< Identity of the watcher process, fresh at every start.
  uint64_t sequence = 0;      ///< Counts the plans of one watcher process upwards, from 1.
  absl::Time not_after =
      absl::InfiniteFuture();  ///< No operation starts later (2 s of skew allowed).
  std::string observation_digest;
  std::string planner_revision;
  std::vector<std::string> reasons;  ///< Why the key was queued, oldest first.
  std::string pass_id;               ///< One pass through the three services, for logs.

  bool operator==(const Envelope&) const = default;
};

}  // namespace xebec
