// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/base/json.h"
#include "common/model/plan.h"
#include "common/model/well_known.h"

/// The limits of the applier's own configuration. They hold for every plan, so a wrong or
/// compromised planner cannot exceed them.
namespace xebec::applier {

/// Allows the writes to one resource.
struct AllowRule {
  std::string resource;                 ///< "deployments.apps", "pods"; "*" means every resource.
  std::vector<std::string> namespaces;  ///< Empty: all namespaces and cluster-scoped objects.

  bool operator==(const AllowRule&) const = default;
};

/// The limits of one applier. Every default is what the product ships.
struct Policy {
  /// Empty means everything that RBAC allows.
  std::vector<AllowRule> allow;
  /// No operation writes in these namespaces, whatever `allow` contains. Statuses may be written.
  std::vector<std::string> deny_namespaces;
  size_t max_operations = 5000;         ///< In one plan.
  size_t max_deletions = 1000;          ///< In one plan.
  size_t max_process_deletions = 2000;  ///< Of all plans within deletion_interval.
  absl::Duration deletion_interval = absl::Minutes(1);
  size_t max_object_bytes = 3 * 1024 * 1024;  ///< Of one applied object or status.
  /// Before a deletion, and before a change whose body has no controller reference, a live read
  /// proves that the parent owns the object.
  bool verify_owner = true;
  /// The labels that prove ownership of objects without a controller reference to the parent
  /// (ChildRule::parent_label).
  std::vector<std::string> parent_labels = {std::string(kDatabaseLabel)};
  bool events = true;  ///< Publish events.
  /// No operation starts later than this after the plan has arrived, whatever the expiry of the
  /// plan is: the clock of the watcher may be wrong. The default is the life of a plan (10 s) and
  /// the clock skew that its successor waits for.
  absl::Duration max_plan_age = absl::Seconds(12);

  bool operator==(const Policy&) const = default;
};

/// The reason of a refusal.
struct Refusal {
  std::string reason;   ///< UpperCamelCase constant, a metric label: "KindNotAllowed".
  std::string message;  ///< For users: what is refused, why, and what to do.

  bool operator==(const Refusal&) const = default;
};

/// Checks a plan as a whole: its envelope is complete and it is not too large. Returns nullopt to
/// admit it. AdmitOperation may still refuse single operations.
std::optional<Refusal> Admit(const Plan& plan, const Policy& policy);

/// Checks one operation: the names are safe in a URL; the kind and namespace are allowed and not
/// denied, and the namespace is that of a namespaced parent; the precondition identifies the
/// target; the body is the target's. `body` is the parsed object of an Apply (see ParseBody).
/// Returns nullopt to admit it.
std::optional<Refusal> AdmitOperation(const Operation& operation, const absl::StatusOr<Json>& body,
                                      const Envelope& envelope, const Policy& policy);

/// Checks the status write in the same way.
std::optional<Refusal> AdmitStatus(const absl::StatusOr<Json>& body, const Envelope& envelope,
                                   const Policy& policy);

/// Parses the bytes of an object. This is the only place where the applier parses and validates a
/// desired object. Returns an error if the object is missing, larger than `policy` allows, or not a
/// JSON object.
absl::StatusOr<Json> ParseBody(const ObjectBytes& object, const Policy& policy);

/// Returns the refusal of a plan's deletions if they exceed the limit for one plan.
std::optional<Refusal> AdmitDeletions(const Plan& plan, const Policy& policy);

/// Returns the number of deletions in a plan.
size_t CountDeletions(const Plan& plan);

}  // namespace xebec::applier
