// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/declare/declaration.h"
#include "common/model/object.h"
#include "watcher/engine/cache/revisions/declared_kind.h"
#include "watcher/engine/declarations/hook_watch.h"
#include "watcher/engine/declarations/resolver.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// What is known about the parents of a declared controller.
struct ParentFacts {
  uint64_t parents = 0;
  uint64_t problems = 0;  ///< Parents whose last reconcile failed.
  std::string failure;    ///< As DeclarationFacts::failure.
  bool operator==(const ParentFacts&) const = default;
};

/// The number of declarations that a watcher runs, the oldest first. Each watcher tells the others
/// about all of them in an annotation of its Lease, and Kubernetes limits the annotations of an
/// object to 256 KiB.
inline constexpr size_t kMaxDeclared = 500;
/// The number of younger declarations that a watcher runs as well because they are being deleted:
/// they may have run before, so their finalizers are removed from the parents.
inline constexpr size_t kMaxLeaving = 50;

/// One declared controller.
struct Declared {
  Declaration declaration;
  ObjectBytes object;   ///< For observations.
  std::string created;  ///< Its creationTimestamp.
  bool excess = false;  ///< It does not run now because enough others do; see kMaxDeclared.
  bool guarded = true;  ///< It has the finalizer that it needs; see Declarations::Read.
  std::string problem;  ///< Why it cannot be compiled although it is valid; empty if it can.
  std::optional<KindDescription> kind;
  HookWatch hook;
  std::string told_revision;  ///< The hook's revision that its parents were planned with.
  bool released = false;      ///< See SetFree.
  absl::Duration free_since = absl::InfiniteDuration();
  ParentFacts parents;  ///< See SetParents.
  bool counted = false;
  std::map<ResourceType, std::string> unreadable;  ///< See SetUnreadable.

  friend bool operator==(const Declared& a, const Declared& b) {
    return a.declaration == b.declaration && SameBytes(a.object, b.object) &&
           a.created == b.created && a.excess == b.excess && a.guarded == b.guarded &&
           a.problem == b.problem && a.kind == b.kind && a.hook == b.hook &&
           a.told_revision == b.told_revision && a.released == b.released &&
           a.parents == b.parents && a.counted == b.counted && a.unreadable == b.unreadable &&
           a.free_since == b.free_since;
  }
};

/// Returns what identifies the state of a declaration. Opaque; another one for every change.
std::string VersionOf(const Declaration& declaration);

/// The controllers that users declare: reads the declarations, finds out about their resources and
/// hooks, and compiles them. It does not know caches, keys and plans. A value.
class Declarations {
 public:
  /// A declaration came, changed or went. The host reads all of them soon; see Due.
  void Touch(absl::Duration now);
  /// They cannot be read now. The host reads them soon after OnReadable.
  void Postpone();
  /// More can be read than before, perhaps the declarations.
  void OnReadable(absl::Duration now);
  /// Returns true if Read or Postpone must be called.
  bool Due(absl::Duration now) const { return now >= read_at_; }
  /// Takes all objects that declare controllers, in any order.
  /// `guard` is the finalizer with which a declaration stays until its parents have been released;
  /// empty: none is needed.
  void Read(const std::vector<ObjectBytes>& objects, absl::Duration now,
            const std::string& guard = "");

  void On(const Resolved& input, absl::Duration now);
  void On(const ResolveFailed& input, absl::Duration now);
  /// The API server may serve a resource no longer, or otherwise than before.
  void Doubt(const ResourceType& type, absl::Duration now) { resolver_.Doubt(type, now); }
  /// Takes the answer to a Describe call. Returns false if the call is not known.
  bool On(const HookAnswered& input, absl::Duration now);
  /// Runs the timers that are due. `credits` is the number of calls that the gateways accept.
  void OnTick(absl::Duration now, uint32_t credits, uint64_t* sequence, Outputs* out);
  absl::Duration NextDeadline() const;

  /// The compiled controllers, the oldest declaration first, if they may have changed since the
  /// last call. One that sets a finalizer on its parents is paused until its declaration is
  /// guarded.
  std::optional<std::vector<DeclaredKind>> TakeKinds();
  /// The declarations about which something is new since the last call: resources or hook.
  std::set<std::string> TakeNews() { return std::exchange(news_, {}); }
  /// The controllers whose hook runs another program since the last call.
  std::set<std::string> TakeNewPrograms() { return std::exchange(new_programs_, {}); }
  /// The controllers whose hook has become available again since the last call.
  std::set<std::string> TakeAvailable() { return std::exchange(available_, {}); }

  /// Returns the declaration of a controller; null if it is not declared or not valid.
  const Declared* Find(std::string_view controller) const;
  /// Records whether all watchers know that the declaration is being deleted, run no reconcile of
  /// the controller, and see no parent with its finalizer. Counts once it was so for `at_least`.
  void SetFree(std::string_view controller, bool free, absl::Duration at_least, absl::Duration now);
  /// Records what is known about a controller's parents.
  void SetParents(std::string_view controller, const ParentFacts& parents);
  /// Records which of the served resources cannot be read, and why, for users.
  void SetUnreadable(std::string_view controller, std::map<ResourceType, std::string> unreadable);
  /// Returns true if the watcher has just started and does not know yet what the status of the
  /// declaration may show already. If it was planned now, its status would lose that for a moment.
  bool Awaits(std::string_view controller, absl::Duration now) const;
  /// Returns true if it is known of each resource whether it can be read.
  bool ResourcesKnown(const Declared& declared) const;
  /// Returns what is known, without the refusal of the caches.
  DeclarationFacts FactsOf(std::string_view controller) const;
  /// Returns false if the API server serves the parents in no version, so that there are none.
  bool MayHaveParents(const Declaration& declaration) const {
    return resolver_.MayBeServed(declaration.parent) ||
           resolver_.MayBeServed(AnyVersionOfParent(declaration).value_or(declaration.parent));
  }
  /// The resources that a declaration names and that are served, or were served before. A
  /// declaration that is being deleted needs nothing but its parents, in a version that is served.
  std::vector<ResourceType> ServedFor(const Declared& declared) const;
  const std::map<std::string, Declared, std::less<>>& all() const { return all_; }

  bool operator==(const Declarations&) const = default;

 private:
  void MarkExcess();
  void Compile();
  void CompileOne(Declared* declared);
  void Notice(const std::string& name) { news_.insert(name); }

  std::map<std::string, Declared, std::less<>> all_;  // the valid ones, by name
  Resolver resolver_;
  absl::Duration read_at_ = absl::InfiniteDuration();
  bool postponed_ = false;
  absl::Duration begun_ = absl::InfiniteDuration();  // with the first Touch
  bool compiled_ = false;                            // and not taken yet
  std::set<std::string> news_, new_programs_, available_;
};

}  // namespace xebec::watcher
