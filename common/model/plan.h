// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/model/envelope.h"
#include "common/model/hook.h"
#include "common/model/object.h"

namespace xebec {

// A plan is a list of stages, and a stage is a list of operations:
//
// clang-format off
//   Plan                                   everything that one reconcile writes for one parent
//   ├── Stage "finalizer"                  stages run in order; each starts when all operations
//   │   └── Operation  add-finalizer       of the stage before it have succeeded
//   ├── Stage "children"
//   │   ├── Operation  apply   Deployment  the operations of a stage may run at the same time;
//   │   └── Operation  apply   Service     each has a target, a precondition and one action
//   ├── Stage "delete"
//   │   └── Operation  delete  Service
//   └── StatusIntent                       written last, even if operations failed
// clang-format on
//
// Each operation, and the status write, has one Outcome in the Report (report.h).

/// The planner's decision on a child. A child that a plan does not name is never deleted.
enum class Intent { kEnsure, kKeep, kDelete };

struct ChildIntent {
  ObjectRef ref;
  Intent intent = Intent::kKeep;
  std::string reason;  ///< The reason for the decision in a few words. May be empty.

  bool operator==(const ChildIntent&) const = default;
};

/// A condition that the target of an operation must meet. If the target does not meet it, the
/// operation changes nothing. docs/outcomes.md describes how each precondition is sent.
struct Precondition {
  bool absent = false;           ///< No object of that name exists. Excludes the other fields.
  std::string uid;               ///< The object still has this uid. Empty means any.
  std::string resource_version;  ///< The object also still has this version. Used only with uid.

  bool operator==(const Precondition&) const = default;
};

/// Adds `resource_version` to a precondition that has a uid. Does nothing without a uid: in
/// requests made by hand the object has neither.
void RequireVersion(const std::string& resource_version, Precondition* precondition);

/// Makes the object have exactly the desired fields, owned by the controller's field manager: POST
/// if the precondition is `absent`, else a JSON patch of `changed_fields`, else server-side apply
/// with force.
struct Apply {
  ObjectBytes object;
  /// The object has the set of fields that was applied last, so that no field has to disappear.
  bool same_fields = false;
  /// JSON pointers of the fields of `object` that have another value in the cluster, if a JSON
  /// patch of these has the same effect as an apply, else empty. They are no lists or objects.
  std::vector<std::string> changed_fields;
};
bool operator==(const Apply& a, const Apply& b);

/// The treatment of the dependents of a deleted object.
enum class Propagation { kBackground, kForeground, kOrphan };

/// Deletion of an object. Requires a uid precondition.
struct Delete {
  Propagation propagation = Propagation::kBackground;
  bool operator==(const Delete&) const = default;
};

/// Adds a finalizer to the parent. The precondition has a uid and a resourceVersion.
struct AddFinalizer {
  std::string finalizer;
  bool operator==(const AddFinalizer&) const = default;
};

/// Removes a finalizer from the parent. The finalizers of other controllers stay.
struct RemoveFinalizer {
  std::string finalizer;
  bool operator==(const RemoveFinalizer&) const = default;
};

/// Creates a Secret with random values unless it exists. An existing Secret is never changed, and
/// the values never leave the applier.
struct EnsureSecret {
  /// The keys for which the applier generates a value of 32 characters of [a-zA-Z0-9].
  std::vector<std::string> generated_keys;
  std::map<std::string, std::string> labels;
  bool operator==(const EnsureSecret&) const = default;
};

/// The result of an operation that an event requires.
enum class EventCondition { kAnyChange, kCreated, kChanged, kDeleted };

/// An event that the applier publishes on the parent when an operation has the required result.
struct EventFact {
  EventCondition condition = EventCondition::kAnyChange;
  bool warning = false;
  std::string reason;  ///< UpperCamelCase, 1–128 characters.
  std::string action;  ///< UpperCamelCase, 1–128 characters.
  std::string note;    ///< At most 1 kB.

  bool operator==(const EventFact&) const = default;
};

using Action = std::variant<Apply, Delete, AddFinalizer, RemoveFinalizer, EnsureSecret>;

/// One write.
struct Operation {
  std::string id;  ///< OperationId(action, target): unique in the plan, the same from plan to plan.
  ObjectRef target;
  Precondition precondition;
  Action action;
  std::vector<EventFact> events;
  /// resourceVersion of the target in the observation. Not a precondition: if the write returns the
  /// same version, the write changed nothing. Empty if the target did not exist.
  std::string observed_version = {};
  /// A note of the kind for its next plan, returned in Outcome::memo. May be empty.
  std::string memo = {};

  bool operator==(const Operation&) const = default;
};

/// Returns the stable id of an operation: "apply deployments.apps default/web". The verbs are
/// apply, delete, add-finalizer, remove-finalizer and ensure-secret.
std::string OperationId(const Action& action, const ObjectRef& target);

/// Operations that may run at the same time. A stage starts when all operations of the stage before
/// it have succeeded.
struct Stage {
  std::string name;
  std::vector<Operation> operations;

  bool operator==(const Stage&) const = default;
};

/// A Kubernetes condition without its times.
struct ConditionValue {
  std::string status;  ///< "True", "False" or "Unknown".
  std::string reason;
  std::string message;

  bool operator==(const ConditionValue&) const = default;
};

/// The status that the parent should have. The applier writes it while the parent exists, even if
/// an operation failed, and adds the condition Applied from the outcomes of the same plan.
struct StatusIntent {
  /// apiVersion, kind, metadata.name and metadata.namespace, and the whole status except the
  /// condition Applied.
  ObjectBytes object;
  /// False if the parent already has this status. The applier then writes it only if the condition
  /// Applied changes.
  bool changed = false;
  /// The parent is not ready, and only counts of replicas and messages of its conditions change:
  /// another change follows soon. The watcher may then wait with the write, so that one write shows
  /// several changes.
  bool progress_only = false;
  std::optional<ConditionValue> observed_applied;  ///< The condition Applied of the parent.
  std::string observed_applied_since;  ///< Its lastTransitionTime in RFC 3339; may be empty.
  /// If set, Applied gets this value when no operation failed.
  std::optional<ConditionValue> blocked;
  std::vector<EventFact> events;  ///< Published if the status changes.
  std::string now;                ///< Time of the observation in RFC 3339; empty when unknown.
  /// Null in each member of the status that must disappear; in `conditions` the conditions of other
  /// writers, which stay. May be null.
  ObjectBytes amendments;
  /// The status that the parent has, if `changed`; null if it has none. The write can then depend
  /// on it instead of the parent's resourceVersion.
  ObjectBytes observed;
};
bool operator==(const StatusIntent& a, const StatusIntent& b);

/// The planner's summary of a plan.
enum class Verdict {
  kOk,
  kRetry,    ///< Plan again after a back-off.
  kInvalid,  ///< Xebec can do nothing until a user changes the parent, or `resync_after` is over.
};

/// The writes that make the cluster match a parent.
struct Plan {
  Envelope envelope;      ///< The envelope of the observation.
  bool complete = false;  ///< False means that children that are not named stay unchanged.
  std::vector<ChildIntent> children;
  std::vector<Stage> stages;
  std::optional<StatusIntent> status;
  std::optional<absl::Duration> resync_after;  ///< Time until the next plan if nothing changes.
  Verdict verdict = Verdict::kOk;
  std::vector<std::string> notes;        ///< Remarks for users.
  std::vector<ResourceType> live_lists;  ///< Kinds that the planner needs as live lists.
  std::string planner_revision;
  /// Published whatever the outcomes are. Used for parents whose CRD has no status subresource.
  std::vector<EventFact> events;
  /// Calls whose answers the planner needs. A plan with hook requests contains no writes.
  std::vector<HookRequest> hook_requests;
  /// The reason of the condition HookFailed if the hook did not decide; empty if it did.
  std::string hook_failure;
  /// Children whose Warning events the planner needs. A plan with event reads contains no writes.
  std::vector<ObjectRef> event_reads;
  /// The planner would plan nothing new if the targets of all operations, which are applies, had
  /// the desired fields, and their status were unchanged.
  bool covers_writes = false;

  bool operator==(const Plan&) const = default;
};

/// Returns true if the plan has no operation, no event of its own and no status to change.
bool WritesNothing(const Plan& plan);

/// Returns the number of operations of all stages.
size_t CountOperations(const Plan& plan);

}  // namespace xebec
