// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/time/time.h"
#include "watcher/engine/backoff.h"

namespace xebec::watcher {

/// Identifies a parent within one engine: an index of its key table.
using KeyId = uint32_t;

/// The priority of a queued key. Ageing prevents starvation: a key that has waited long enough is
/// taken before newer keys of any priority.
enum class Priority {
  kBackground,  ///< Initial lists, resync.
  kController,  ///< Changes of children, own writes, retries.
  kUser,        ///< Changes that a user made.
};
inline constexpr size_t kPriorities = 3;

/// The time before which a key is not taken.
struct NotBefore {
  absl::Duration until = -absl::InfiniteDuration();
  bool hard = false;  ///< Also delays changes of a user.

  bool operator==(const NotBefore&) const = default;
};

/// A key that was taken from the queue, and how it waited.
struct TakenKey {
  KeyId key = 0;
  Priority priority = Priority::kBackground;
  std::vector<std::string> reasons;
  absl::Duration added;  ///< When the key was first added.
  absl::Duration ready;  ///< When the key became ready.
};

/// The keys that must be reconciled, each once, in order of priority and age. A key that was taken
/// is not taken again before Done; adding it meanwhile marks it dirty. Delayed keys become ready at
/// their time. Times are monotonic. A value.
class WorkQueue {
 public:
  explicit WorkQueue(Backoff retry) : retry_(retry) {}

  /// Adds the key. A key that is already waiting keeps the higher priority and the earlier start of
  /// its wait. Until the time that Hold has set, the key is delayed, unless the hold is soft and
  /// the priority is kUser or the key is `urgent`.
  void Add(KeyId key, Priority priority, std::string reason, absl::Duration now,
           bool urgent = false);
  /// Adds the key, to be ready at `when`. The earliest of several times applies.
  void AddAt(KeyId key, Priority priority, std::string reason, absl::Duration when);
  /// Counts a failure and adds the key after its back-off, which doubles with each consecutive
  /// failure, or after `at_least` if that is longer.
  void Retry(KeyId key, std::string reason, absl::Duration now, absl::Duration at_least);
  /// Counts a failure and adds the key, to be ready at `when`.
  void RetryAt(KeyId key, std::string reason, absl::Duration when);
  /// Resets the failures of the key.
  void Forget(KeyId key);
  /// Delays the key until limit.until. Soft and hard holds are independent; the later hold of each
  /// kind applies.
  void Hold(KeyId key, NotBefore limit);
  /// Ends the holds of the key.
  void Release(KeyId key);

  /// Takes the next ready key; nullopt if none is ready.
  std::optional<TakenKey> Take(absl::Duration now);
  /// Removes a taken key's dirty mark or delay, because the current reconcile covers it. Returns
  /// its reasons.
  std::vector<std::string> TakeDirty(KeyId key);
  /// Ends the reconcile of a taken key. A dirty key is added again.
  void Done(KeyId key, absl::Duration now);
  /// Removes the key and its state.
  void Remove(KeyId key);

  /// Makes due keys ready.
  void Tick(absl::Duration now);
  /// Returns when Tick is due.
  absl::Duration NextDeadline() const;
  /// Returns the rank of the key that Take would return: lower ranks are more urgent.
  /// InfiniteDuration if no key is ready.
  absl::Duration NextRank() const;

  bool Dirty(KeyId key) const;
  bool Ready(KeyId key) const;
  uint32_t Failures(KeyId key) const;
  /// Returns when a delayed key becomes ready; InfiniteDuration for other keys.
  absl::Duration DueAt(KeyId key) const;
  std::vector<std::string> Reasons(KeyId key) const;
  /// Ready keys by priority.
  const std::array<uint64_t, kPriorities>& Depth() const { return depth_; }
  uint64_t adds() const { return adds_; }
  uint64_t retries() const { return retries_; }

  bool operator==(const WorkQueue&) const = default;

 private:
  static constexpr absl::Duration kNoLimit = -absl::InfiniteDuration();
  enum class Place : uint8_t { kNowhere, kReady, kDelayed };
  struct Entry {
    Place place = Place::kNowhere;
    bool taken = false;
    bool dirty = false;
    bool urgent = false;
    Priority priority = Priority::kBackground;
    Priority counted = Priority::kBackground;  // in depth_, while ready
    uint32_t failures = 0;
    absl::Duration added;  // the first time since the last Take
    absl::Duration ready;
    absl::Duration at;  // rank when ready, due time when delayed
    absl::Duration soft_not_before = kNoLimit;
    absl::Duration hard_not_before = kNoLimit;
    std::vector<std::string> reasons;

    bool operator==(const Entry&) const = default;
  };

  void AddReason(Entry* entry, std::string reason);
  void MakeReady(KeyId key, Entry* entry, absl::Duration now);
  void Delay(KeyId key, Entry* entry, absl::Duration when);
  void QueueNotBefore(KeyId key, Entry* entry, bool passes_soft, absl::Duration now);
  void Unplace(KeyId key, Entry* entry);
  void Tidy(KeyId key);
  const Entry* Find(KeyId key) const;

  Backoff retry_;
  std::map<KeyId, Entry> entries_;
  absl::btree_set<std::pair<absl::Duration, KeyId>> ready_;    // by rank
  absl::btree_set<std::pair<absl::Duration, KeyId>> delayed_;  // by due time
  std::array<uint64_t, kPriorities> depth_ = {};
  uint64_t adds_ = 0;
  uint64_t retries_ = 0;
};

}  // namespace xebec::watcher
