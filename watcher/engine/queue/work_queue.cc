// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/work_queue.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {
namespace {

constexpr size_t kMaxReasons = 8;

// The delay of each priority behind a new key with the highest priority. Age compensates for it.
absl::Duration Handicap(Priority priority) {
  switch (priority) {
    case Priority::kUser:
      return absl::ZeroDuration();
    case Priority::kController:
      return absl::Seconds(2);
    case Priority::kBackground:
      return absl::Seconds(30);
  }
  return absl::ZeroDuration();
}

}  // namespace

const WorkQueue::Entry* WorkQueue::Find(KeyId key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? nullptr : &found->second;
}

void WorkQueue::AddReason(Entry* entry, std::string reason) {
  auto& reasons = entry->reasons;
  if (std::find(reasons.begin(), reasons.end(), reason) != reasons.end()) return;
  if (reasons.size() < kMaxReasons) return reasons.push_back(std::move(reason));
  // the first reasons show the cause, the last one shows the news
  reasons.back() = std::move(reason);
}

void WorkQueue::Unplace(KeyId key, Entry* entry) {
  if (entry->place == Place::kReady) {
    ready_.erase({entry->at, key});
    --depth_[static_cast<size_t>(entry->counted)];
  }
  if (entry->place == Place::kDelayed) delayed_.erase({entry->at, key});
  entry->place = Place::kNowhere;
}

void WorkQueue::MakeReady(KeyId key, Entry* entry, absl::Duration now) {
  const bool was_ready = entry->place == Place::kReady;
  const absl::Duration since = was_ready ? entry->ready : now;
  const absl::Duration rank = since + Handicap(entry->priority);
  Unplace(key, entry);
  entry->at = was_ready ? std::min(rank, entry->at) : rank;
  entry->ready = since;
  entry->place = Place::kReady;
  entry->counted = entry->priority;
  ++depth_[static_cast<size_t>(entry->counted)];
  ready_.insert({entry->at, key});
}

void WorkQueue::Delay(KeyId key, Entry* entry, absl::Duration when) {
  if (entry->place == Place::kReady) return;
  if (entry->place == Place::kDelayed && entry->at <= when) return;
  Unplace(key, entry);
  entry->at = when;
  entry->place = Place::kDelayed;
  delayed_.insert({when, key});
}

void WorkQueue::Add(KeyId key, Priority priority, std::string reason, absl::Duration now,
                    bool urgent) {
  Entry& entry = entries_[key];
  const bool waits = entry.place == Place::kReady || entry.dirty;
  if (!waits) {
    ++adds_;
    if (entry.place == Place::kNowhere) entry.reasons.clear();
    entry.priority = priority;
    entry.added = now;
  }
  AddReason(&entry, std::move(reason));
  entry.priority = std::max(entry.priority, priority);
  if (entry.taken) {
    entry.dirty = true;
    entry.urgent = entry.urgent || urgent;
    return;
  }
  QueueNotBefore(key, &entry, urgent || priority == Priority::kUser, now);
}

void WorkQueue::AddAt(KeyId key, Priority priority, std::string reason, absl::Duration when) {
  Entry& entry = entries_[key];
  if (entry.place == Place::kNowhere && !entry.dirty) {
    ++adds_;
    entry.reasons.clear();
    entry.priority = priority;
    entry.added = when;
  }
  AddReason(&entry, std::move(reason));
  entry.priority = std::max(entry.priority, priority);
  Delay(key, &entry, std::max(when, entry.hard_not_before));
}

void WorkQueue::Retry(KeyId key, std::string reason, absl::Duration now, absl::Duration at_least) {
  const absl::Duration delay =
      std::max(at_least, BackoffDelay(retry_, Failures(key), Seed("retry", key)));
  RetryAt(key, std::move(reason), now + delay);
}

void WorkQueue::RetryAt(KeyId key, std::string reason, absl::Duration when) {
  ++entries_[key].failures;
  ++retries_;
  AddAt(key, Priority::kController, std::move(reason), when);
}

void WorkQueue::Forget(KeyId key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  found->second.failures = 0;
  Tidy(key);
}

void WorkQueue::Hold(KeyId key, NotBefore limit) {
  Entry& entry = entries_[key];
  absl::Duration& its = limit.hard ? entry.hard_not_before : entry.soft_not_before;
  its = std::max(its, limit.until);
}

void WorkQueue::Release(KeyId key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  found->second.soft_not_before = found->second.hard_not_before = kNoLimit;
  Tidy(key);
}

void WorkQueue::QueueNotBefore(KeyId key, Entry* entry, bool passes_soft, absl::Duration now) {
  const absl::Duration limit = passes_soft
                                   ? entry->hard_not_before
                                   : std::max(entry->soft_not_before, entry->hard_not_before);
  if (limit <= now) return MakeReady(key, entry, now);
  Delay(key, entry, limit);
}

std::optional<TakenKey> WorkQueue::Take(absl::Duration now) {
  Tick(now);
  if (ready_.empty()) return std::nullopt;
  const KeyId key = ready_.begin()->second;
  Entry& entry = entries_[key];
  Unplace(key, &entry);
  entry.taken = true;
  return TakenKey{key, entry.priority, std::exchange(entry.reasons, {}),
                  std::min(entry.added, entry.ready), entry.ready};
}

std::vector<std::string> WorkQueue::TakeDirty(KeyId key) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.taken) return {};
  Entry& entry = found->second;
  Unplace(key, &entry);
  entry.dirty = false;
  entry.urgent = false;
  return std::exchange(entry.reasons, {});
}

void WorkQueue::Done(KeyId key, absl::Duration now) {
  const auto found = entries_.find(key);
  if (found == entries_.end() || !found->second.taken) return;
  Entry& entry = found->second;
  entry.taken = false;
  for (absl::Duration* limit : {&entry.soft_not_before, &entry.hard_not_before}) {
    if (*limit <= now) *limit = kNoLimit;
  }
  if (!entry.dirty) return Tidy(key);
  entry.dirty = false;
  const bool urgent = std::exchange(entry.urgent, false);
  QueueNotBefore(key, &entry, urgent || entry.priority == Priority::kUser, now);
}

void WorkQueue::Remove(KeyId key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  Unplace(key, &found->second);
  entries_.erase(found);
}

void WorkQueue::Tick(absl::Duration now) {
  while (!delayed_.empty() && delayed_.begin()->first <= now) {
    const KeyId key = delayed_.begin()->second;
    Entry& entry = entries_[key];
    if (entry.taken) {  // must not be taken twice
      Unplace(key, &entry);
      entry.dirty = true;
      continue;
    }
    MakeReady(key, &entry, now);
  }
}

void WorkQueue::Tidy(KeyId key) {
  const auto found = entries_.find(key);
  const Entry& entry = found->second;
  const bool idle = entry.place == Place::kNowhere && !entry.taken && !entry.dirty;
  const bool blank =
      entry.failures == 0 && entry.soft_not_before == kNoLimit && entry.hard_not_before == kNoLimit;
  if (idle && blank) entries_.erase(found);
}

absl::Duration WorkQueue::NextDeadline() const {
  return delayed_.empty() ? absl::InfiniteDuration() : delayed_.begin()->first;
}

absl::Duration WorkQueue::NextRank() const {
  return ready_.empty() ? absl::InfiniteDuration() : ready_.begin()->first;
}

bool WorkQueue::Dirty(KeyId key) const {
  const Entry* entry = Find(key);
  return entry != nullptr && entry->dirty;
}

bool WorkQueue::Ready(KeyId key) const {
  const Entry* entry = Find(key);
  return entry != nullptr && entry->place == Place::kReady;
}

uint32_t WorkQueue::Failures(KeyId key) const {
  const Entry* entry = Find(key);
  return entry == nullptr ? 0 : entry->failures;
}

absl::Duration WorkQueue::DueAt(KeyId key) const {
  const Entry* entry = Find(key);
  return entry != nullptr && entry->place == Place::kDelayed ? entry->at : absl::InfiniteDuration();
}

std::vector<std::string> WorkQueue::Reasons(KeyId key) const {
  const Entry* entry = Find(key);
  return entry == nullptr ? std::vector<std::string>{} : entry->reasons;
}

}  // namespace xebec::watcher
