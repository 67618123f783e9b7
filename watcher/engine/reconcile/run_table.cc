// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/run_table.h"

namespace xebec::watcher {
namespace {

template <typename Map, typename Key>
std::optional<KeyId> LookUp(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

bool IsBusy(const RunStatus& status) {
  return status.state != RunState::kWaitingForCache || status.in_doubt;
}

}  // namespace

void RunTable::Add(KeyId key, uint32_t controller, ReconcileRun run) {
  const absl::Duration started = run.started();
  Entry made{std::move(run), controller};
  made.status = made.run.status();
  made.bucket = made.run.envelope().bucket;
  Entry& entry = entries_.emplace(key, std::move(made)).first->second;
  RunCounts& counts = by_controller_[controller];
  counts.started.insert({started, key});
  counts.sum_started += started;
  Index(key, entry);
}

ReconcileRun RunTable::Take(KeyId key) {
  const auto found = entries_.find(key);
  Entry entry = std::move(found->second);
  entries_.erase(found);
  Unindex(key, entry);
  awaiting_applier_.Remove(key);
  wanting_turn_.Remove(key);
  RunCounts& counts = by_controller_[entry.controller];
  counts.started.erase({entry.run.started(), key});
  counts.sum_started -= entry.run.started();
  return std::move(entry.run);
}

const ReconcileRun* RunTable::Find(KeyId key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second.run;
}

void RunTable::Reindex(KeyId key, Entry* entry) {
  const RunStatus status = entry->run.status();
  std::vector<ReadId> reads = entry->run.reads();
  const uint32_t bucket = entry->run.envelope().bucket;
  if (status == entry->status && reads == entry->reads && bucket == entry->bucket) return;
  Unindex(key, *entry);
  // A run that stays in a queue keeps its position.
  if (status.state != RunState::kAwaitingApplier) awaiting_applier_.Remove(key);
  if (!status.wants_turn) wanting_turn_.Remove(key);
  entry->status = status;
  entry->bucket = bucket;
  entry->reads = std::move(reads);
  Index(key, *entry);
}

void RunTable::Unindex(KeyId key, const Entry& entry) {
  const RunStatus& status = entry.status;
  if (status.timer != absl::InfiniteDuration()) timers_.erase({status.timer, key});
  if (status.sequence != 0) by_sequence_.erase(status.sequence);
  for (const ReadId read : entry.reads) by_read_.erase(read);
  const auto state = static_cast<size_t>(status.state);
  --count_[state];
  --by_controller_[entry.controller].by_state[state];
  reading_many_ -= status.reads_many ? 1 : 0;
  RemoveBusy(entry);
  unsent_.erase(key);
}

void RunTable::Index(KeyId key, const Entry& entry) {
  const RunStatus& status = entry.status;
  if (status.timer != absl::InfiniteDuration()) timers_.insert({status.timer, key});
  if (status.sequence != 0) by_sequence_[status.sequence] = key;
  for (const ReadId read : entry.reads) by_read_[read] = key;
  const auto state = static_cast<size_t>(status.state);
  ++count_[state];
  ++by_controller_[entry.controller].by_state[state];
  reading_many_ += status.reads_many ? 1 : 0;
  AddBusy(entry);
  if (IsUnsent(status)) unsent_.insert(key);
  if (status.state == RunState::kAwaitingApplier) awaiting_applier_.Add(key);
  if (status.wants_turn) wanting_turn_.Add(key);
}

void RunTable::AddBusy(const Entry& entry) {
  if (!IsBusy(entry.status)) return;
  BusyBucket& bucket = busy_[entry.bucket];
  ++bucket.runs;
  bucket.in_doubt += entry.status.in_doubt ? 1 : 0;
}

void RunTable::RemoveBusy(const Entry& entry) {
  if (!IsBusy(entry.status)) return;
  const auto bucket = busy_.find(entry.bucket);
  bucket->second.in_doubt -= entry.status.in_doubt ? 1 : 0;
  if (--bucket->second.runs == 0) busy_.erase(bucket);
}

std::optional<KeyId> RunTable::BySequence(uint64_t sequence) const {
  return LookUp(by_sequence_, sequence);
}

std::optional<KeyId> RunTable::ByRead(ReadId read) const { return LookUp(by_read_, read); }

std::optional<KeyId> RunTable::Due(absl::Duration now) const {
  if (NextDeadline() > now) return std::nullopt;
  return timers_.begin()->second;
}

absl::Duration RunTable::NextDeadline() const {
  return timers_.empty() ? absl::InfiniteDuration() : timers_.begin()->first;
}

const RunCounts& RunTable::CountsOf(uint32_t controller) const {
  static const RunCounts none;
  const auto found = by_controller_.find(controller);
  return found == by_controller_.end() ? none : found->second;
}

std::vector<const CacheGate*> RunTable::GatesIn(const BucketSet& buckets) const {
  std::vector<const CacheGate*> gates;
  for (const auto& [key, entry] : entries_) {
    if (buckets.Contains(entry.bucket)) gates.push_back(&entry.run.gate());
  }
  return gates;
}

}  // namespace xebec::watcher
