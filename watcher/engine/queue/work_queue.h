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

/// A parent within one engine: an index into its key table.
using KeyId = uint32_t;

/// What is taken first. A key that has waited long enough is not overtaken any more (ageing).
enum class Priority {
  kBackground,  ///< Initial lists, resync.
  kController,  ///< Changes of children, own writes, retries.
  kUser,        ///< Changes that a user made.
};
inline constexpr size_t kPriorities = 3;

/// The time before which a key is not taken.
struct NotBefore {
  absl::Duration until = -absl::InfiniteDuration();
  bool hard = false;  ///< A user's change waits, too.

  bool operator==(const NotBefore&) const = default;
};

/// A key that was taken, with what is known of its waiting.
struct TakenKey {
  KeyId key = 0;
  std::vector<std::string> reasons;
  absl::Duration added;  ///< When it was added first.
  absl::Duration ready;  ///< When it could be taken first.
};

/// Keys that must be reconciled: each once, in order of priority and age. A key that is taken is
/// not handed out again before Done; what is added meanwhile marks it dirty. Delayed keys become
/// ready when their time comes. Times are monotonic. A value.
class WorkQueue {
 public:
  explicit WorkQueue(Backoff retry) : retry_(retry) {}

  /// Adds the key. A key that waits keeps the higher priority and the longer wait. Before the time
  /// that Hold has set the key is delayed until then, unless that time is soft, and the priority is
  /// kUser or the key `urgent`.
  void Add(KeyId key, Priority priority, std::string reason, absl::Duration now,
           bool urgent = false);
  /// Adds the key for `when` at the latest; the earliest of several times counts.
  void AddAt(KeyId key, Priority priority, std::string reason, absl::Duration when);
  /// Counts a failure and adds the key after its back-off, which doubles with each failure in
  /// a row.
  void Retry(KeyId key, std::string reason, absl::Duration now, absl::Duration at_least);
  /// Forgets failures.
  void Forget(KeyId key);
  /// Keeps the key from being ready before limit.until. Soft and hard limits stand beside each
  /// other; of each kind the later one counts.
  void Hold(KeyId key, NotBefore limit);
  /// Lifts what Hold laid on the key.
  void Release(KeyId key);

  /// The next ready key, which is then taken; nullopt when none is ready.
  std::optional<TakenKey> Take(absl::Duration now);
  /// Removes a taken key's dirty mark or delay: the reconcile that runs covers it. Returns its
  /// reasons.
  std::vector<std::string> TakeDirty(KeyId key);
  /// The reconcile is over: a dirty key is added again.
  void Done(KeyId key, absl::Duration now);
  /// Forgets everything about the key.
  void Remove(KeyId key);

  /// Makes what is due ready.
  void Tick(absl::Duration now);
  /// When Tick is due.
  absl::Duration NextDeadline() const;
  /// The rank of the key that Take would return, lower is more urgent; InfiniteDuration when none
  /// is ready.
  absl::Duration NextRank() const;

  bool Dirty(KeyId key) const;
  bool Ready(KeyId key) const;
  uint32_t Failures(KeyId key) const;
  /// When a delayed key becomes ready; InfiniteDuration for others.
  absl::Duration DueAt(KeyId key) const;
  std::vector<std::string> Reasons(KeyId key) const;
  /// Ready keys by priority.
  const std::array<uint64_t, kPriorities>& Depth() const { return depth_; }
  uint64_t delayed() const { return delayed_.size(); }
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
