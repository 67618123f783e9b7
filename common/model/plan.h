// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "common/model/envelope.h"
#include "common/model/object.h"

namespace xebec {

/// What should become of a child. Being absent from a plan never means deletion (design §3.8).
enum class Intent { kEnsure, kKeep, kOrphan, kDelete };

struct ChildIntent {
  ObjectRef ref;
  Intent intent = Intent::kKeep;
  std::string reason;  ///< A few words for people; may be empty.

  bool operator==(const ChildIntent&) const = default;
};

/// What must hold of the target for an operation to be carried out (docs: api facts in
/// docs/outcomes.md).
struct Precondition {
  bool absent = false;           ///< No object of that name exists. Excludes the others.
  std::string uid;               ///< The object still has this uid; empty = not asked.
  std::string resource_version;  ///< With uid: and this resourceVersion; empty = not asked.

  bool operator==(const Precondition&) const = default;
};

/// Asks for the version too, where a uid is asked for: of an object without one (in a request made
/// by hand) a version says nothing.
void RequireVersion(const std::string& resource_version, Precondition* precondition);

/// Server-side apply, forced, by the controller's field manager, of exactly the desired fields.
struct Apply {
  ObjectBytes object;
};
bool operator==(const Apply& a, const Apply& b);

enum class Propagation { kBackground, kForeground, kOrphan };

/// Deletion; needs a uid precondition.
struct Delete {
  Propagation propagation = Propagation::kBackground;
  bool operator==(const Delete&) const = default;
};

/// Adds a finalizer to the parent. The precondition carries uid and resourceVersion.
struct AddFinalizer {
  std::string finalizer;
  bool operator==(const AddFinalizer&) const = default;
};

/// Removes a finalizer from the parent; others' finalizers stay.
struct RemoveFinalizer {
  std::string finalizer;
  bool operator==(const RemoveFinalizer&) const = default;
};

/// Creates a Secret with random values unless it exists; never changes one, never reveals its
/// values.
struct EnsureSecret {
  std::vector<std::string>
      generated_keys;  ///< The applier makes 32 characters of [a-zA-Z0-9] for each.
  std::map<std::string, std::string> labels;
  bool operator==(const EnsureSecret&) const = default;
};

/// What really has to happen for an event to be published.
enum class EarnedBy { kAnyChange, kCreated, kChanged, kDeleted };

/// An event on the parent that the success of an operation earns.
struct EventFact {
  EarnedBy earned_by = EarnedBy::kAnyChange;
  bool warning = false;
  std::string reason;  ///< UpperCamelCase, 1–128 characters.
  std::string action;  ///< UpperCamelCase, 1–128 characters.
  std::string note;    ///< At most 1 kB.

  bool operator==(const EventFact&) const = default;
};

using Action = std::variant<Apply, Delete, AddFinalizer, RemoveFinalizer, EnsureSecret>;

/// One write.
struct Operation {
  std::string id;  ///< Unique within the plan, stable from plan to plan: OperationId(verb, target).
  ObjectRef target;
  Precondition precondition;
  Action action;
  std::vector<EventFact> events;
  /// resourceVersion of the target that the plan was made from; no precondition: by it a write that
  /// changed nothing is told. Empty when the target was absent.
  std::string observed_version = {};
  /// The kind's own note to its next plan: comes back in Outcome::memo. May be empty.
  std::string memo = {};

  bool operator==(const Operation&) const = default;
};

/// "apply deployments.apps default/web": the stable id of an operation. The verbs: apply, delete,
/// add-finalizer, remove-finalizer, ensure-secret.
std::string OperationId(const Action& action, const ObjectRef& target);

/// Operations that may run at the same time; starts when the stage before it has wholly succeeded.
struct Stage {
  std::string name;
  std::vector<Operation> operations;

  bool operator==(const Stage&) const = default;
};

/// A condition as Kubernetes knows it, less its time.
struct ConditionValue {
  std::string status;  ///< "True", "False" or "Unknown".
  std::string reason;
  std::string message;

  bool operator==(const ConditionValue&) const = default;
};

/// The status that the parent should show (design §3.15).
struct StatusIntent {
  /// apiVersion, kind, metadata.name and .namespace, and the whole status but for the condition
  /// Applied.
  ObjectBytes object;
  /// False: the parent shows it already; it is written only if the condition Applied changes.
  bool changed = false;
  std::optional<ConditionValue> observed_applied;  ///< What the parent shows now.
  std::string observed_applied_since;              ///< RFC 3339; empty when it shows none.
  std::optional<ConditionValue>
      blocked;                    ///< Applied is False with this although no operation failed.
  std::vector<EventFact> events;  ///< Published if the status is written.
  std::string now;                ///< RFC 3339 time of the observation; empty when unknown.
};
bool operator==(const StatusIntent& a, const StatusIntent& b);

/// The planner's summary.
enum class Verdict {
  kOk,
  kRetry,    ///< Plan again with back-off.
  kInvalid,  ///< Nothing can be done until the user changes the parent.
};

/// What should be written so that the cluster is as the parent says.
struct Plan {
  Envelope envelope;      ///< The observation's.
  bool complete = false;  ///< False: children that are not named are left alone.
  std::vector<ChildIntent> children;
  std::vector<Stage> stages;
  std::optional<StatusIntent> status;
  std::optional<absl::Duration> resync_after;  ///< When to look again without a change.
  Verdict verdict = Verdict::kOk;
  std::vector<std::string> notes;
  std::vector<ResourceType> live_lists;  ///< Needed as live lists before the planner can go on.
  std::string planner_revision;
  /// Published with the plan: of a parent whose CRD serves no status.
  std::vector<EventFact> events;

  bool operator==(const Plan&) const = default;
};

/// True when carrying the plan out writes nothing: no operation, no event of its own, and no status
/// to change.
bool WritesNothing(const Plan& plan);

/// The number of operations of all stages.
size_t CountOperations(const Plan& plan);

}  // namespace xebec
