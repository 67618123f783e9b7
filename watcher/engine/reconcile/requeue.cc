// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/requeue.h"

#include <algorithm>

namespace xebec::watcher {
namespace {

constexpr uint32_t kMaxAgain = 3;
// The minimum interval between reconciles that events of a failing key cause.
constexpr absl::Duration kEventPause = absl::Seconds(1);
// The same for a key whose status waits: a plan that writes nothing ends at once, so without a
// pause each event of many children would cause a plan of all of them.
constexpr absl::Duration kProgressPause = absl::Milliseconds(50);
constexpr Backoff kQuiet{absl::Seconds(30), absl::Minutes(5)};

}  // namespace

void Requeue::Apply(const RunResult& result) const {
  switch (result.next) {
    case Next::kIdle:
      return Idle(result);
    case Next::kAgain:
      return Again(result);
    case Next::kRetry:
      return Retry(result);
    case Next::kWanted:
      return Wanted(result);
    case Next::kQuiet:
      return Quiet(result);
  }
}

void Requeue::Idle(const RunResult& result) const {
  if (result.news) return Again(result);
  record.again = 0;
  record.stale_plans = 0;
  record.quiet = 0;
  record.wanted_delay = absl::ZeroDuration();
  queue.Forget(key);
  if (result.resync_after) {
    queue.AddAt(key, Priority::kController, "resync",
                now + std::max(*result.resync_after, options.retry_min));
  }
  if (result.deferred_until) {
    const absl::Duration until = result.over_budget ? DeletionSlot() : *result.deferred_until;
    queue.AddAt(key, Priority::kController, "deferred deletions", until);
  }
  if (result.status_due) {
    queue.AddAt(key, Priority::kController, "progress", *result.status_due);
    queue.Hold(key, {std::min(*result.status_due, now + kProgressPause), /*hard=*/false});
  }
}

// A key that is planned again before its turn keeps the turn.
absl::Duration Requeue::DeletionSlot() const {
  if (record.deletion_slot <= now) record.deletion_slot = budget.Reserve(now);
  return record.deletion_slot;
}

void Requeue::Again(const RunResult& result) const {
  const std::string reason = result.reason.empty() ? "outcomes changed" : result.reason;
  if (++record.again <= kMaxAgain) {
    return queue.Add(key, Priority::kController, reason, now, /*urgent=*/true);
  }
  queue.Retry(key, reason, now, absl::ZeroDuration());
}

void Requeue::Retry(const RunResult& result) const {
  if (result.hook_retry) {
    record.again = 0;
    return queue.RetryAt(key, result.reason, now + std::max(*result.hook_retry, kEventPause));
  }
  const bool at_once = result.news && !result.retry_after;
  if (at_once && record.again < kMaxAgain) return Again(result);
  record.again = 0;
  const absl::Duration pause = result.retry_after.value_or(absl::ZeroDuration());
  if (result.retry_after) queue.Hold(key, {now + pause, /*hard=*/true});
  queue.Retry(key, result.reason, now, pause);
  queue.Hold(key, {std::min(queue.DueAt(key), now + kEventPause), /*hard=*/false});
}

void Requeue::Wanted(const RunResult& result) const {
  if (result.news && record.again < kMaxAgain) return Again(result);
  record.again = 0;
  record.wanted_delay = record.wanted_delay == absl::ZeroDuration()
                            ? options.wanted_name_min
                            : std::min(2 * record.wanted_delay, options.wanted_name_max);
  queue.AddAt(key, Priority::kController, "retry after a name conflict", now + record.wanted_delay);
  queue.Hold(key, {now + std::min(kEventPause, record.wanted_delay), /*hard=*/false});
}

// The namespace is terminating: the next relevant event is the deletion of the parent, which
// ignores a soft hold.
void Requeue::Quiet(const RunResult& result) const {
  const absl::Duration until = now + BackoffDelay(kQuiet, record.quiet++, Seed(identity, key));
  queue.Hold(key, {until, /*hard=*/false});
  queue.AddAt(key, Priority::kBackground, result.reason, until);
}

}  // namespace xebec::watcher
