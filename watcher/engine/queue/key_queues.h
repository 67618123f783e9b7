// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/limit_share.h"
#include "watcher/engine/options.h"
#include "watcher/engine/queue/deletion_budget.h"
#include "watcher/engine/queue/key_change.h"
#include "watcher/engine/queue/key_sweeps.h"
#include "watcher/engine/queue/key_table.h"
#include "watcher/engine/queue/parked_keys.h"
#include "watcher/engine/queue/wanted_names.h"
#include "watcher/engine/queue/work_queue.h"

namespace xebec::watcher {

/// What all keys of one controller share.
struct ControllerKeys {
  WorkQueue queue;
  DeletionBudget budget;
  ControllerFigures figures = {};
  bool operator==(const ControllerKeys&) const = default;
};

/// The keys of all controllers: which of them must be planned, and in which order. It maps changes
/// of the caches to keys, and keeps keys that wait for a name, for a bucket or for a sweep. It does
/// not know reconciles. Times are monotonic. A value.
class KeyQueues {
 public:
  /// There are `count` controllers from now on; at least as many as before.
  void AddControllers(size_t count, const Options& options, const LimitShare& share);
  /// The controller is gone and has no keys. Another one gets its id.
  void Free(ControllerId controller, const Options& options, const LimitShare& share);
  /// From now on this is the watcher's share in the limits.
  void SetShare(const LimitShare& share);

  /// Returns what a change of the caches means to the keys; see MapToKeys.
  std::vector<KeyChange> Map(const Changed& change, const CacheSet& cache);
  /// The key must be planned again; see WorkQueue::Add.
  void Add(KeyId key, Priority priority, std::string reason, absl::Duration now,
           bool urgent = false);
  /// The key leaves its turn to another one: until this time, it is not taken unless its user
  /// changes it.
  void Yield(KeyId key, absl::Duration until) { Of(key).queue.Hold(key, {until, /*hard=*/false}); }
  /// The parent of the key was deleted and created again.
  void Restart(KeyId key);
  /// Removes the key and everything that is known about it.
  void Remove(KeyId key);

  /// Takes the most urgent ready key of the controllers for which `may_start` returns true; nullopt
  /// if there is none. Calls `may_start` only for controllers that have a ready key.
  std::optional<TakenKey> Take(absl::FunctionRef<bool(ControllerId)> may_start, absl::Duration now);
  /// The reconcile of a taken key is over, or did not begin.
  void Done(KeyId key, absl::Duration now) { Of(key).queue.Done(key, now); }
  /// The bucket of a taken key cannot be planned now.
  void Park(const TakenKey& taken, absl::Duration now);
  /// More buckets may be planned than before.
  void CheckParked() { parked_.Check(); }
  /// Removes and returns parked keys for which `may_start` returns true. Checks up to `limit`.
  std::vector<ParkedKeys::Key> Unpark(size_t limit, absl::FunctionRef<bool(KeyId)> may_start) {
    return parked_.TakeSome(limit, may_start);
  }

  /// Plans many keys again, in steps.
  void Sweep(KeysOfController keys) { sweeps_.Add(std::move(keys)); }
  /// Plans the keys of these buckets again, of all controllers.
  void SweepBuckets(const BucketSet& buckets, const std::string& reason);
  /// Returns true if no sweep is under way, so that every cached parent has its key.
  bool swept() const { return sweeps_.empty(); }
  /// Does the next part of the sweeps; see KeySweeps::Next.
  std::vector<KeyChange> SweepSome(size_t limit, uint32_t buckets, const CacheSet& cache) {
    return sweeps_.Next(limit, buckets, cache, &keys_);
  }

  /// The key waits for these names, and for no others. If this completes a cycle of waiting
  /// parents, returns the key that has to break it, unless that is this key.
  std::optional<KeyId> Want(KeyId key, std::vector<ObjectRef> names, const CacheSet& cache);
  /// Delays the next reconcile of a key that wrote, as its pace requires. Returns true if a write
  /// loop begins.
  bool Pay(KeyId key, const std::vector<uint64_t>& writes, absl::Duration now);

  /// Makes due keys ready.
  void Tick(absl::Duration now);
  /// When Tick is due.
  absl::Duration NextDeadline() const;
  /// Returns true if a sweep or a check of parked keys goes on.
  bool busy() const { return !sweeps_.empty() || parked_.checking(); }

  const KeyTable& keys() const { return keys_; }
  KeyRecord& at(KeyId key) { return keys_.at(key); }
  void SetProblem(KeyId key, bool problem) { keys_.SetProblem(key, problem); }
  const std::vector<ControllerKeys>& controllers() const { return controllers_; }
  ControllerKeys& Of(KeyId key) { return controllers_[keys_.at(key).controller]; }

  bool operator==(const KeyQueues&) const = default;

 private:
  KeyTable keys_;
  std::vector<ControllerKeys> controllers_;  // by ControllerId
  WantedNames wanted_;
  KeySweeps sweeps_;
  ParkedKeys parked_;
};

}  // namespace xebec::watcher
