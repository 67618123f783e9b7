// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/model/bucket.h"

namespace xebec::watcher {

/// The times of the Leases. The defaults are those of client-go.
struct LeasePolicy {
  absl::Duration duration = absl::Seconds(15);
  absl::Duration renew_deadline = absl::Seconds(10);
  absl::Duration retry_period = absl::Seconds(2);

  bool operator==(const LeasePolicy&) const = default;
};

/// What a watcher tells the others about its share of a controller that a user declares.
struct DeclaredShare {
  std::string version;    ///< Of the declaration that the watcher runs.
  uint64_t parents = 0;   ///< In its buckets.
  uint64_t problems = 0;  ///< Of these, the parents whose last reconcile failed.
  bool holding = false;   ///< A parent has the controller's finalizer, or a reconcile runs.

  bool operator==(const DeclaredShare&) const = default;
};
struct DeclaredShares {
  /// The buckets in which it has counted: those that it leads as far as it knows. Empty in Leases
  /// of older versions.
  BucketSet buckets;
  std::map<std::string, DeclaredShare> controllers;  ///< By name.

  bool operator==(const DeclaredShares&) const = default;
};

/// What a watcher knows of the assignment. All 0 if it has seen none, or in Leases of older
/// versions.
struct AssignmentKnowledge {
  /// How often the assignment had been written (spec.leaseTransitions). 0 if it has another number
  /// of buckets than the watcher, which can then not write it again.
  uint64_t version = 0;
  uint64_t epoch = 0;  ///< The highest one in it, or in those that other watchers told of.

  bool operator==(const AssignmentKnowledge&) const = default;
};

/// What a watcher tells the others about itself.
struct MemberFacts {
  uint32_t buckets = 0;  ///< The number of buckets that it is configured with.
  std::string address;   ///< Where other watchers reach it; empty if they cannot.
  bool leaving = false;  ///< It stops and takes no more buckets.
  std::optional<DeclaredShares> declared = {};  ///< Absent if it runs no declared controllers.
  std::string work = {};  ///< WorkOf its options; empty in Leases of older versions.
  /// The buckets whose objects its caches hold, so that it can plan them at once. Absent in Leases
  /// of older versions.
  std::optional<BucketSet> kept = {};
  AssignmentKnowledge assignment = {};  ///< When it wrote the Lease.

  bool operator==(const MemberFacts&) const = default;
};

/// Returns true if the identity is that of a process of the instance (Options::instance).
bool BelongsTo(std::string_view instance, std::string_view identity);

/// The annotation of a member Lease that contains the facts.
inline constexpr std::string_view kMemberAnnotation = "xebec.dev/member";

/// Returns the value of the annotation, which is JSON.
std::string EncodeMember(const MemberFacts& facts);
/// Reads the value of the annotation. INVALID_ARGUMENT if it is not of that form.
absl::StatusOr<MemberFacts> DecodeMember(std::string_view text);

}  // namespace xebec::watcher
