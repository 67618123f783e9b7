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

/// What the applier's own configuration allows, whatever a planner or a hook asks for (design
/// §3.8).
namespace xebec::applier {

/// Allows the writes to one resource.
struct AllowRule {
  std::string resource;                 ///< "deployments.apps", "pods"; "*" means every resource.
  std::vector<std::string> namespaces;  ///< Empty: all namespaces and cluster-scoped objects.

  bool operator==(const AllowRule&) const = default;
};

/// The limits of one applier. Every default is what the product ships.
struct Policy {
  /// Empty: everything that RBAC allows.
  std::vector<AllowRule> allow;
  size_t max_operations = 5000;         ///< In one plan.
  size_t max_deletions = 1000;          ///< In one plan.
  size_t max_process_deletions = 2000;  ///< Of all plans within deletion_interval.
  absl::Duration deletion_interval = absl::Minutes(1);
  size_t max_object_bytes = 3 * 1024 * 1024;  ///< Of one applied object or status.
  /// Deletions, and changes whose body names no controller, are preceded by a live read that proves
  /// whose the object is.
  bool verify_owner = true;
  /// Labels by which a live read may prove it where an object belongs to its parent indirectly
  /// (ChildRule::parent_label).
  std::vector<std::string> parent_labels = {std::string(kDatabaseLabel)};
  bool events = true;  ///< Publish events.
  /// A plan is carried out at most this long after its arrival, whatever its expiry says.
  absl::Duration max_plan_age = absl::Seconds(30);

  bool operator==(const Policy&) const = default;
};

/// Why something is refused.
struct Refusal {
  std::string reason;   ///< UpperCamelCase constant, a metric label: "KindNotAllowed".
  std::string message;  ///< For people: what, why, what to do.

  bool operator==(const Refusal&) const = default;
};

/// Looks at a plan as a whole: its envelope can be acted on and it is not too large. nullopt admits
/// it; its operations may still be refused one by one.
std::optional<Refusal> Admit(const Plan& plan, const Policy& policy);

/// Looks at one operation: names that are safe in a URL, an allowed kind and namespace (that of a
/// namespaced parent, whatever the allow-list says),
/// preconditions that prove whose the target is, a body that is the target's. `body` is the parsed
/// object of an Apply (see ParseBody). nullopt admits it.
std::optional<Refusal> AdmitOperation(const Operation& operation, const absl::StatusOr<Json>& body,
                                      const Envelope& envelope, const Policy& policy);

/// The same for the status write.
std::optional<Refusal> AdmitStatus(const absl::StatusOr<Json>& body, const Envelope& envelope,
                                   const Policy& policy);

/// The object as a tree; an error that names what is wrong when it is missing, larger than `policy`
/// allows, or no JSON object.
absl::StatusOr<Json> ParseBody(const ObjectBytes& object, const Policy& policy);

/// The refusal of a plan's deletions where they are more than `policy` allows in one plan.
std::optional<Refusal> AdmitDeletions(const Plan& plan, const Policy& policy);

/// The number of deletions in a plan.
size_t CountDeletions(const Plan& plan);

}  // namespace xebec::applier
