// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/capabilities.h"
#include "common/model/envelope.h"
#include "common/model/hook.h"
#include "common/model/object.h"
#include "common/model/report.h"

namespace xebec {

/// The task of the planner.
enum class Phase {
  kDerive,    ///< kFinalize if the parent has a deletionTimestamp, otherwise kSync.
  kSync,      ///< Make the cluster match the parent's spec.
  kFinalize,  ///< Clean up, because the parent is being deleted. Nothing is created.
};

/// The source of the objects in an observation.
enum class Freshness {
  kCached,  ///< The watch cache; it contains at least the key's own last writes.
  kLive,    ///< Consistent reads made for this observation.
};

/// Everything that a plan depends on. Equal observations result in equal plans.
struct Observation {
  Envelope envelope;
  Phase phase = Phase::kDerive;
  absl::Time now = absl::InfinitePast();  ///< InfinitePast means that the plan contains no times.
  ObjectBytes parent;                     ///< Never null.
  /// One group for each declared kind. A missing group means that the watcher did not read the
  /// kind.
  std::vector<ObjectGroup> children;
  std::vector<ObjectGroup> related;
  /// The latest outcome of each operation, sorted by operation id.
  std::vector<Outcome> last_outcomes;
  Freshness freshness = Freshness::kCached;
  Capabilities capabilities;    ///< The optional features that the sender supports.
  bool without_status = false;  ///< The parent's CRD does not declare the status subresource.
  /// Children that this parent must delete first, if it deletes them, to break a cycle of parents
  /// that wait for each other's names. Empty if this parent must break no cycle.
  std::vector<ObjectRef> release;
  ObjectBytes declaration;  ///< The object that declares the controller; null for built-in kinds.
  std::vector<ResourceType> declared_resources;  ///< Resources that it names and that are served.
  std::vector<HookAnswer> hook_answers;          ///< To Plan::hook_requests of this observation.
  /// Set if the parent is itself a declaration.
  std::optional<DeclarationFacts> declaration_facts;
  std::optional<ObjectGroup> events;  ///< Requested by Plan::event_reads of this observation.
};

/// Compares the contents of the objects, not their addresses.
bool operator==(const Observation& a, const Observation& b);

}  // namespace xebec
