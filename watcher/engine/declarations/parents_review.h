// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/declarations/declarations.h"
#include "watcher/engine/declarations/finalizer_search.h"
#include "watcher/engine/declarations/hook_health.h"
#include "watcher/engine/leadership/leadership.h"
#include "watcher/engine/leadership/member.h"
#include "watcher/engine/queue/key_table.h"

namespace xebec::watcher {

/// What a review reads. Contains references that are valid during one call only.
struct ReviewContext {
  absl::Duration now;  ///< Monotonic.
  const CacheSet& cache;
  const KeyTable& keys;
  bool keys_complete = false;  ///< Every cached parent has its key, and no key is without a parent.
  const Leadership& leadership;
  /// Returns true if a reconcile of the controller is in progress.
  absl::FunctionRef<bool(ControllerId)> reconciles;
};

/// Returns the active controller of that name; nullopt if there is none.
std::optional<ControllerId> FindController(const CacheSet& cache, std::string_view name);

/// Reviews the parents of the declared controllers: their number and failures in the buckets of all
/// watchers, which resources cannot be read, and whether a declaration that is being deleted may
/// go. It examines a bounded number of parents at a time. A value.
class ParentsReview {
 public:
  /// The next review is due at once.
  void Hasten(absl::Duration now) { due_ = now; }
  /// When the next review is due.
  absl::Duration due() const { return due_; }
  /// A parent of the controller was added or changed.
  void OnParent(ControllerId controller, const ObjectKey& name);
  /// The controller has other parents than before.
  void OnOtherParents(ControllerId controller) { searches_.erase(controller); }
  /// Records in `declarations` what is known of the parents. Returns the shares of this watcher,
  /// for the others.
  DeclaredShares Run(const ReviewContext& context, const HookHealth& hooks,
                     Declarations* declarations);

  bool operator==(const ParentsReview&) const = default;

 private:
  DeclaredShare OwnShare(const Declared& declared, const Declarations& declarations,
                         const ReviewContext& context);
  bool MayHold(const Declared& declared, const Declarations& declarations,
               const ReviewContext& context);
  bool HoldsParents(ControllerId id, const std::string& finalizer, const ReviewContext& context);

  absl::Duration due_ = -absl::InfiniteDuration();
  std::map<ControllerId, FinalizerSearch> searches_;  // of declarations that are being deleted
  bool searching_ = false;                            // a search has parents to examine
};

}  // namespace xebec::watcher
