// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/cache/changes.h"
#include "watcher/engine/declarations/declarations.h"
#include "watcher/engine/declarations/hook_health.h"
#include "watcher/engine/declarations/parents_review.h"
#include "watcher/engine/io.h"
#include "watcher/engine/queue/key_change.h"
#include "watcher/engine/queue/key_sweeps.h"

namespace xebec::watcher {

/// The effects of a call of DeclaredControllers. The caller must carry them out.
struct DeclaredEffects {
  std::optional<DeclaredShares> shares;  ///< For Leadership::Tell.
  std::vector<KeysOfController> sweeps;  ///< Keys to plan again.
  std::vector<KeyChange> changes;        ///< Of keys of objects that declare controllers.
};

/// All that the watcher decides about controllers that users declare: when their declarations are
/// read, when hooks may be called, and when objects that declare controllers are planned again
/// because something is new about the controllers. Times are monotonic. A value.
class DeclaredControllers {
 public:
  /// Takes a change of the caches.
  void On(const Changed& change, absl::Duration now);
  void On(const Resolved& input, absl::Duration now) { declarations_.On(input, now); }
  void On(const ResolveFailed& input, absl::Duration now) { declarations_.On(input, now); }
  /// Takes the answer to a Describe call. Returns false if the call is not known.
  bool On(const HookAnswered& input, absl::Duration now) { return declarations_.On(input, now); }
  /// A reconcile of the controller `id`, which is called `name`, got this answer of the hook to a
  /// call that began at `begun`. Returns when the parent must be planned once more: the answer is
  /// of another program than the one that the hook is known to run, as during a rollout. Else
  /// nullopt.
  std::optional<absl::Duration> OnReply(ControllerId id, std::string_view name,
                                        const HookReply& reply, absl::Duration begun,
                                        absl::Duration now);
  /// The last reconcile of the key, the parent `name`, failed.
  void OnFailure(ControllerId controller, KeyId key, const ObjectKey& name,
                 const std::string& failure);
  /// The last reconcile of the key succeeded.
  void OnSuccess(ControllerId controller, KeyId key) { hooks_.OnSuccess(controller, key); }
  /// The key is removed.
  void Forget(ControllerId controller, KeyId key);
  /// The controller is gone and has no keys. Another one gets its id.
  void Free(ControllerId controller) { hooks_.Free(controller); }

  /// Reads the declarations if they have changed, and runs the timers that are due. `credits`: see
  /// Declarations::OnTick. Returns the controllers for CacheSet::Declare if they may have changed.
  std::optional<std::vector<DeclaredKind>> OnTick(const CacheSet& cache, absl::Duration now,
                                                  uint32_t credits, uint64_t* sequence,
                                                  Outputs* out);
  /// Reviews what is new. Call it after OnTick, once the caches know the controllers.
  DeclaredEffects Review(const ReviewContext& context);
  /// When OnTick and Review are due, and when MayCall may change with the time.
  absl::Duration NextDeadline(const CacheSet& cache, absl::Duration now) const;

  /// Returns true if a reconcile of the controller may begin, whose hook has `calls` under way.
  /// Always true for built-in controllers. A declaration that is being deleted calls no hook.
  bool MayStart(const CachedController& controller, ControllerId id, uint64_t calls,
                uint32_t credits, absl::Duration now) const;
  /// Returns true if the key is of an object that declares a controller, was planned before, and is
  /// to be planned when more is known about the controller.
  bool AwaitsFacts(const KeyRecord& record, const CacheSet& cache, absl::Duration now) const;
  /// Review returns a change of this key once it does not await facts any more.
  void Park(KeyId key) { uninformed_.insert(key); }

  const Declarations& declarations() const { return declarations_; }
  const HookHealth& hooks() const { return hooks_; }

  bool operator==(const DeclaredControllers&) const = default;

 private:
  bool IsOfOtherProgram(std::string_view controller, const HookReply& reply) const;
  void Read(const CacheSet& cache, absl::Duration now);
  void ReviewDeclaring(ControllerId declaring, const ReviewContext& context,
                       DeclaredEffects* effects);

  Declarations declarations_;
  HookHealth hooks_;
  ParentsReview review_;
  std::set<KeyId> uninformed_;  // taken from the queue while they await facts
};

}  // namespace xebec::watcher
