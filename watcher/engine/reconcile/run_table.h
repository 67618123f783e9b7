// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/reconcile/reconcile_run.h"

namespace xebec::watcher {

/// A queue of keys in the order of their arrival, each once. A value.
class KeyLine {
 public:
  void Add(KeyId key) {
    if (tickets_.try_emplace(key, next_).second) line_[next_++] = key;
  }
  void Remove(KeyId key) {
    const auto found = tickets_.find(key);
    if (found == tickets_.end()) return;
    line_.erase(found->second);
    tickets_.erase(found);
  }
  /// Returns the oldest key; nullopt if there is none.
  std::optional<KeyId> First() const {
    return line_.empty() ? std::nullopt : std::optional(line_.begin()->second);
  }

  bool operator==(const KeyLine&) const = default;

 private:
  std::map<uint64_t, KeyId> line_;
  std::map<KeyId, uint64_t> tickets_;
  uint64_t next_ = 0;
};

/// The numbers of runs of one controller.
struct RunCounts {
  std::array<uint64_t, kRunStates> by_state = {};
  std::set<std::pair<absl::Duration, KeyId>> started;
  absl::Duration sum_started;

  bool operator==(const RunCounts&) const = default;
};

/// The numbers of runs in one bucket that are not complete.
struct BusyBucket {
  uint32_t runs = 0;
  uint32_t in_doubt = 0;  ///< Those with an in-doubt write.

  bool operator==(const BusyBucket&) const = default;
};

/// The reconciles in progress, with indices. Every lookup costs at most the logarithm of the number
/// of runs. A value.
class RunTable {
 public:
  /// Adds a run of `key`, which must not have one.
  void Add(KeyId key, uint32_t controller, ReconcileRun run);
  /// Removes and returns the run of `key`, which must have one.
  ReconcileRun Take(KeyId key);
  /// Returns the run of `key`, or null if it has none.
  const ReconcileRun* Find(KeyId key) const;
  /// Calls `change(run)`, updates the indices and returns the result of `change`. Runs are changed
  /// only here. `key` must have a run.
  template <typename Change>
  auto Edit(KeyId key, const Change& change) {
    Entry& entry = entries_.at(key);
    const Reindexing after(this, key, &entry);
    return change(entry.run);
  }

  /// Returns the key whose unanswered observation or plan has this sequence.
  std::optional<KeyId> BySequence(uint64_t sequence) const;
  /// Returns the key that waits for this live read.
  std::optional<KeyId> ByRead(ReadId read) const;
  /// Returns the key whose timer is due first; nullopt if none is due at `now`.
  std::optional<KeyId> Due(absl::Duration now) const;
  absl::Duration NextDeadline() const;
  /// Returns the key whose plan has waited longest for an applier.
  std::optional<KeyId> FirstAwaitingApplier() const { return awaiting_applier_.First(); }
  /// Returns the key that has waited longest for its turn to read live.
  std::optional<KeyId> FirstWantingTurn() const { return wanting_turn_.First(); }

  uint32_t Count(RunState state) const { return count_[static_cast<size_t>(state)]; }
  /// The number of runs that read parent and children, or lists of them, live.
  uint32_t reading_many() const { return reading_many_; }
  /// The buckets with a reconcile that is not complete. A reconcile that only waits for the cache
  /// is complete.
  const std::map<uint32_t, BusyBucket>& busy() const { return busy_; }
  /// The keys whose reconcile is not complete although no plan of it may be in progress.
  const std::set<KeyId>& unsent() const { return unsent_; }
  /// The gates of the runs in these buckets. The cost grows with the number of runs.
  std::vector<const CacheGate*> GatesIn(const BucketSet& buckets) const;
  /// Returns the counts of one controller.
  const RunCounts& CountsOf(uint32_t controller) const;

  bool operator==(const RunTable&) const = default;

 private:
  struct Entry {
    ReconcileRun run;
    uint32_t controller = 0;
    RunStatus status;
    uint32_t bucket = 0;
    std::vector<ReadId> reads;
    bool operator==(const Entry&) const = default;
  };
  /// Updates the indices at the end of a change.
  struct Reindexing {
    RunTable* table;
    KeyId key;
    Entry* entry;
    Reindexing(RunTable* of, KeyId its_key, Entry* its) : table(of), key(its_key), entry(its) {}
    Reindexing(const Reindexing&) = delete;
    Reindexing& operator=(const Reindexing&) = delete;
    ~Reindexing() { table->Reindex(key, entry); }
  };

  void Reindex(KeyId key, Entry* entry);
  void Unindex(KeyId key, const Entry& entry);
  void Index(KeyId key, const Entry& entry);
  void AddBusy(const Entry& entry);
  void RemoveBusy(const Entry& entry);

  std::map<KeyId, Entry> entries_;
  std::map<uint64_t, KeyId> by_sequence_;
  std::map<ReadId, KeyId> by_read_;
  std::set<std::pair<absl::Duration, KeyId>> timers_;
  KeyLine awaiting_applier_;
  KeyLine wanting_turn_;
  std::array<uint32_t, kRunStates> count_ = {};
  uint32_t reading_many_ = 0;
  std::map<uint32_t, BusyBucket> busy_;
  std::set<KeyId> unsent_;
  std::map<uint32_t, RunCounts> by_controller_;
};

}  // namespace xebec::watcher
