// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::testing {

/// A cluster small enough for unit tests: objects, and the planner's context (what watcher and
/// applier do with a plan) in their simplest form. A value: deterministic, copyable, no clock. It
/// has no controllers: a test plays the Deployment controller with Edit. Reads and writes follow
/// the API server where plans depend on it (uids, resourceVersions, generations, preconditions,
/// finalizers, garbage collection, apply by one manager); nothing is validated.
class FakeWorld {
 public:
  /// Puts an object there, as a user or another controller would: uid, resourceVersion and
  /// generation are made up where absent.
  ObjectRef Put(const ResourceType& type, Json object);
  /// The object as it is; null when absent.
  const Json* Get(const ObjectRef& ref) const;
  std::vector<ObjectRef> List(std::string_view kind) const;
  /// Changes an object in place; does nothing when it is absent. Changes beside metadata and status
  /// raise the generation.
  void Edit(const ObjectRef& ref, const std::function<void(Json&)>& change);
  /// As `kubectl delete`: with finalizers (or `linger`) it gets a deletionTimestamp, else it goes,
  /// and what it owned with it.
  void Delete(const ObjectRef& ref);
  /// Takes away what Delete left terminating: finalizers and all.
  void Finish(const ObjectRef& ref);

  /// Returns the observation of a watcher: only objects of the parent, projected as declared, with
  /// the outcomes retained.
  Observation Observe(const ObjectRef& parent, const KindDescription& kind,
                      bool live = false) const;
  /// Carries out the plan as an applier does. The outcomes are retained for the next observation.
  Report Carry(const Plan& plan);

  /// All published events: "Normal Created Created deployment "iris"".
  std::vector<std::string> events;
  /// The Warning Events of other components, which a planner can request.
  std::vector<Json> warnings;
  /// Writes that Carry made: "apply deployments.apps default/iris", "status"; those that changed
  /// nothing included.
  std::vector<std::string> writes;
  absl::Time now = absl::FromUnixSeconds(1767225600);  // 2026-01-01
  /// Deleted children linger with a deletionTimestamp until Finish.
  bool linger = false;
  /// Called with every applied object before it is stored: a mutating webhook.
  std::function<void(const ObjectRef&, Json&)> webhook;
  /// Answers of the API server that a test wants instead of success, by operation id.
  std::map<std::string, OutcomeCode> refusals;
  std::string refusal_text = "refused";  ///< The messages of refusals begin with it.

 private:
  Outcome CarryOne(const Operation& operation, const std::string& manager,
                   const std::string& parent_uid);
  void CarryApply(const Operation& operation, const std::string& manager,
                  const std::string& parent_uid, Outcome* out);
  void CarryDelete(const Operation& operation, Outcome* out);
  void CarryFinalizer(const Operation& operation, Outcome* out);
  void CarryStatus(const Plan& plan, const std::vector<Outcome>& outcomes);
  void Publish(const std::vector<EventFact>& facts, OutcomeCode code);
  bool Store(const ObjectRef& ref, Json object);
  void CollectGarbage();
  void Retain(const std::string& parent_uid, const std::vector<Outcome>& outcomes);
  bool Holds(const Precondition& precondition, const ObjectRef& ref) const;

  std::map<ObjectRef, Json> objects_;
  std::map<std::pair<std::string, std::string>, Json> applied_;  // (uid, manager) -> last apply
  std::map<std::string, std::map<std::string, Outcome>> retained_;
  uint64_t next_version_ = 1000;
  uint64_t next_uid_ = 1;
};

}  // namespace xebec::testing
