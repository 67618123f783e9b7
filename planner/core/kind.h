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

/// A child in the cluster. A View contains only children of the parent.
struct Child {
  ResourceType type;
  Json object;
  std::string ns, name, uid, resource_version;
  bool deleting = false;
};

/// The input of a kind: a parent and the objects around it, parsed. Valid during one call. Children
/// of indirectly owned kinds (ChildRule::parent_label) are those with the label; the kind must
/// verify that they belong to the parent.
struct View {
  const Json& parent;
  const KindDescription& kind;
  std::string ns, name, uid;
  int64_t generation = 0;
  absl::Time now;               ///< InfinitePast when unknown.
  std::vector<Child> children;  ///< All kinds, sorted by type, name and namespace.
  std::vector<Child> related;
  /// The Warning Events that the kind requested (DesiredState::event_reads); absent if they were
  /// not read. They may concern other objects too.
  std::optional<std::vector<Json>> events;
  std::vector<Outcome> last_outcomes;  ///< Sorted by operation.
  bool finalizing = false;             ///< True if the parent is being deleted.
  /// True if the parent's CRD serves no status subresource, so that a kind cannot record anything.
  bool without_status = false;
  std::vector<ObjectRef> release;  ///< Observation::release.
  /// Observation::declaration_facts; null if absent.
  const DeclarationFacts* facts = nullptr;

  /// Returns the child with this kind and name, or null. For namespaced parents.
  const Child* Find(std::string_view child_kind, std::string_view child_name) const;
  /// Returns the child, or null. `child_ns` as ChildNamespace returns it.
  const Child* Find(const ResourceType& type, std::string_view child_ns,
                    std::string_view child_name) const;
  /// Returns the children of one kind, sorted by name.
  std::vector<const Child*> OfKind(std::string_view child_kind) const;
  /// Returns the latest outcome of an operation by its id, or null.
  const Outcome* LastOutcome(std::string_view operation_id) const;
};

/// One desired child. The core adds namespace, owner reference and digest, and decides whether it
/// must be applied.
struct DesiredChild {
  ResourceType type;
  /// apiVersion and kind may be omitted. metadata.name is required, and metadata.namespace for
  /// namespaced children of a cluster-scoped parent.
  Json object;
  /// Operations of a stage (children, secrets and deletions) start after all operations of lower
  /// stages have succeeded. Operations of one stage run at the same time. A child that must wait,
  /// for example because it is terminating, also delays higher stages.
  int stage = 0;
  bool owned = true;  ///< False means no owner reference: the child outlives the parent.
  /// True if an existing object may be changed only at the resourceVersion in the view.
  bool by_version = false;
  /// True if the kind reports failures of this child in its own condition; they do not affect
  /// Ready.
  bool kind_reports = false;
  std::vector<EventFact> on_created;
  std::vector<EventFact> on_changed;  ///< Published only if the apply changed something.
  std::string memo = {};              ///< Returned in Outcome::memo of the apply.
};

/// A child to delete. The core adds the uid and, for stateful kinds, the resourceVersion. Has no
/// effect if the child is absent or terminating. A child that is both desired and to be deleted is
/// replaced: deleted now, created once it is gone. A child in View::release is deleted
/// before the first stage.
struct ChildToDelete {
  ResourceType type;
  std::string name;
  int stage = 0;
  Propagation propagation = Propagation::kBackground;
  std::vector<EventFact> on_deleted;
  std::string reason;
  std::string ns = {};  ///< For namespaced children of a cluster-scoped parent.
};

/// One desired condition. The core keeps or sets lastTransitionTime and observedGeneration. An
/// empty status removes the condition; a kind must mention each of its temporary conditions in
/// every plan.
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

/// The desired state of one parent. Existing children that it does not mention are kept. While the
/// parent is being finalized, the core ignores `children` and `secrets` and deletes all directly
/// owned children: first those that `to_delete` does not mention, then those of `to_delete` by
/// stage. A stage starts when the objects of the previous one are gone. Indirectly owned children
/// are deleted only if `to_delete` contains them.
struct DesiredState {
  std::vector<DesiredChild> children;
  std::vector<ChildToDelete> to_delete;
  std::vector<DesiredSecret> secrets;
  /// The status without conditions and observedGeneration. A null member removes a field of the
  /// kind.
  Json status = Json::object();
  /// The kind's conditions, including "Ready". The core adds Stalled (unless the kind sets it),
  /// Reconciling, Paused, FieldManagerConflict and Rewritten.
  std::vector<Condition> conditions;
  /// Published with the status if the status changes. An event whose reason is the reason of a
  /// condition is published only when that condition takes this reason.
  std::vector<EventFact> events;
  std::optional<absl::Duration> resync_after;
  /// Set if the spec is invalid. No child is written; the parent gets Ready=False/InvalidSpec with
  /// this message, Stalled and one Warning event.
  std::optional<std::string> invalid;
  /// False if this parent needs no finalizer. An existing one stays.
  bool needs_finalizer = true;
  /// The reason why the finalizer must stay although no child is left, for users; or empty.
  std::string keeps_finalizer;
  /// Children whose Warning Events the kind needs. If the watcher can read them, nothing is written
  /// until the kind has been called again with View::events; otherwise, this state counts.
  std::vector<ObjectRef> event_reads;
  /// The kind would return the same state if each desired child had the desired fields, and the
  /// status that it has in the view (none if it is absent): see Plan::covers_writes. A kind that
  /// compares a generation may count on a new one if it changes the spec.
  bool covers_writes = false;
};

/// Returns the namespace of a child of the view's parent. `wanted` is used for namespaced children
/// of a cluster-scoped parent.
std::string ChildNamespace(const View& view, const ResourceType& type, const std::string& wanted);

/// A kind: its description and a pure function that always returns a desired state.
struct Kind {
  KindDescription description;
  DesiredState (*desired)(const View& view);  ///< Null if a hook decides.
  /// All types of conditions that the kind may write, except those of the runtime. A condition of
  /// another type belongs to another writer and stays.
  std::vector<std::string_view> condition_types = {};
  bool writes_status = true;  ///< False if the status of the parents belongs to others.
};

struct HookCodec;

/// The kinds of a planner, in the order of registration.
class KindRegistry {
 public:
  /// Adds a kind. Returns false, without adding it, if a kind with the same controller name or
  /// parent resource exists.
  bool Register(Kind kind);
  /// Finds a kind by the parent's group and kind, in any version; null if unknown.
  const Kind* Find(std::string_view group, std::string_view kind) const;
  const std::vector<Kind>& kinds() const { return kinds_; }

  /// The codec of hooks; null if declared kinds cannot be planned. Must outlive the registry.
  void SetHookCodec(const HookCodec* codec) { hook_codec_ = codec; }
  const HookCodec* hook_codec() const { return hook_codec_; }

 private:
  std::vector<Kind> kinds_;
  const HookCodec* hook_codec_ = nullptr;
};

}  // namespace xebec::planner
