// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "common/base/json.h"
#include "common/model/kind_description.h"
#include "common/model/observation.h"
#include "common/model/plan.h"

/// The interface of a built-in kind.
namespace xebec::planner {

/// A child as the cluster has it. A View has only children that belong to the parent.
struct Child {
  ResourceType type;
  Json object;
  std::string name, uid, resource_version;
  bool deleting = false;
};

/// What a kind decides from: a parent and the objects around it, parsed. Valid during one call.
/// Children of indirectly owned kinds (ChildRule::parent_label) are those with the label: whether
/// they are the parent's is for the kind to prove.
struct View {
  const Json& parent;
  const KindDescription& kind;
  std::string ns, name, uid;
  int64_t generation = 0;
  absl::Time now;               ///< InfinitePast when unknown.
  std::vector<Child> children;  ///< All kinds, sorted by type, then name.
  std::vector<Child> related;
  std::vector<Outcome> last_outcomes;
  bool finalizing = false;  ///< The parent is being deleted.
  /// The parent's CRD serves no status subresource: nothing that a kind records is kept.
  bool without_status = false;
  Json configuration;  ///< Object; empty when there is none.

  /// The child of that kind and name, or null.
  const Child* Find(std::string_view child_kind, std::string_view child_name) const;
  /// The children of one kind, by name.
  std::vector<const Child*> OfKind(std::string_view child_kind) const;
  /// The latest outcome of an operation by its id, or null.
  const Outcome* LastOutcome(std::string_view operation_id) const;
};

/// One child as it should be. The core adds namespace, owner reference and digest and decides
/// whether anything has to be written.
struct DesiredChild {
  ResourceType type;
  Json object;  ///< apiVersion and kind may be left out. metadata.name is required.
  /// Operations of a stage (children, secrets and deletions) start after all operations of the
  /// lower stages have succeeded. Operations of one stage run at the same time. A child that has to
  /// wait (terminating) delays the higher stages too.
  int stage = 0;
  bool owned = true;  ///< False: no owner reference (it outlives the parent).
  /// An existing object is changed only if it still has the resourceVersion that the view shows.
  bool by_version = false;
  /// The kind shows failures of this child in a condition of its own: they do not count for Ready.
  bool kind_reports = false;
  std::vector<EventFact> on_created;
  std::vector<EventFact> on_changed;  ///< Published only if the apply changed something.
  std::string memo = {};              ///< Comes back in Outcome::memo of its apply.
};

/// A child to delete. The core adds uid (and for stateful kinds the resourceVersion). Absent
/// or already terminating: nothing. ToDelete and desired at once means replacement: deleted now,
/// created once it is gone.
struct ChildToDelete {
  ResourceType type;
  std::string name;
  int stage = 0;
  Propagation propagation = Propagation::kBackground;
  std::vector<EventFact> on_deleted;
  std::string reason;
};

/// One condition as it should be; the core keeps or sets lastTransitionTime and observedGeneration.
/// An empty status says that the condition is the kind's and must not be shown now (a condition
/// that comes and goes is always mentioned).
struct Condition {
  std::string type;
  std::string status;  ///< "True", "False", "Unknown".
  std::string reason;  ///< UpperCamelCase, never empty.
  std::string message;
};

/// A Secret to ensure (create-only, by the applier).
struct DesiredSecret {
  std::string name;
  std::vector<std::string> generated_keys;
  std::map<std::string, std::string> labels;
  int stage = 0;
};

/// The desired state of one parent. Existing children that it does not mention are kept. While
/// finalizing, `children` and `secrets` are ignored and all directly owned children go:
/// in the order of the stages of `to_delete`, those not mentioned there first; a stage begins when
/// the objects of the one before are gone. Indirectly owned ones go if they are to_delete.
struct DesiredState {
  std::vector<DesiredChild> children;
  std::vector<ChildToDelete> to_delete;
  std::vector<DesiredSecret> secrets;
  /// Without conditions and observedGeneration. A null member says that the field is the kind's and
  /// must not be shown now.
  Json status = Json::object();
  /// Kind's own, among them "Ready"; the core adds Stalled (unless the kind has), Reconciling,
  /// Paused, FieldManagerConflict, Rewritten.
  std::vector<Condition> conditions;
  /// Published with the status, if it differs from what the parent shows. An event whose reason is
  /// that of one of the conditions is published only when that condition takes that reason.
  std::vector<EventFact> events;
  std::optional<absl::Duration> resync_after;
  /// Set when the spec cannot be planned: no child is written, Ready=False/InvalidSpec with this
  /// message, Stalled, one Warning.
  std::optional<std::string> invalid;
};

/// A built-in kind: its registration and one pure, total function.
struct Kind {
  KindDescription description;
  DesiredState (*desired)(const View& view);
};

/// The kinds that a planner knows, in registration order.
class KindRegistry {
 public:
  /// False (and not added) when a controller of that name, or one for the same parent resource, is
  /// there already.
  bool Register(Kind kind);
  /// By the parent's group and kind (any version); null when unknown.
  const Kind* Find(std::string_view group, std::string_view kind) const;
  const std::vector<Kind>& kinds() const { return kinds_; }

 private:
  std::vector<Kind> kinds_;
};

}  // namespace xebec::planner
