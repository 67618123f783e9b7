// SPDX-License-Identifier: Apache-2.0
// EngineCore: the end of a pass and what comes next.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

constexpr uint32_t kMaxAgain = 3;
constexpr absl::Duration kEventPause =
    absl::Seconds(1);  // between passes that events of a failing key cause
constexpr Backoff kQuiet{absl::Seconds(30), absl::Minutes(5)};

}  // namespace

void EngineCore::Conclude(KeyId key) {
  if (GateOpen(key)) return Finish(key);
  WaitAtGate(key);
}

void EngineCore::Finish(KeyId key) {
  SetTimer(key, absl::InfiniteDuration());
  const auto found = passes.find(key);
  const Pass pass = std::move(found->second);
  passes.erase(found);
  CountPass(key, pass);
  if (ParentOf(key) == nullptr) return Forget(key);
  KeyRecord& record = keys.at(key);
  record.reasons = pass.envelope.reasons;
  record.ended = pass.ending.text;
  // The parent's own end goes on in spite of the namespace: from here on its children wake it
  // again.
  if (pass.ending.next == Next::kRest && record.quiet > 0) ControllerOfKey(key).queue.Release(key);
  if (!pass.ending.writes.empty()) PayForWrites(key, pass.ending.writes);
  if (!pass.parent_version.empty() && pass.parent_version != record.status_version) {
    Trigger(key, Priority::kOwn, "parent changed");
  }
  switch (pass.ending.next) {
    case Next::kRest:
      FinishRest(key, pass.ending);
      break;
    case Next::kAgain:
      FinishAgain(key, pass.ending);
      break;
    case Next::kRetry:
      FinishRetry(key, pass.ending);
      break;
    case Next::kWanted:
      FinishWanted(key, pass.ending);
      break;
    case Next::kQuiet:
      FinishQuiet(key, pass.ending);
      break;
  }
  ControllerOfKey(key).queue.Done(key, now.monotonic);
}

void EngineCore::FinishRest(KeyId key, const Ending& ending) {
  if (ending.news) return FinishAgain(key, ending);
  KeyRecord& record = keys.at(key);
  record.again = 0;
  record.quiet = 0;
  record.wanted_delay = absl::ZeroDuration();
  WorkQueue& queue = ControllerOfKey(key).queue;
  queue.Forget(key);
  if (ending.resync_after) {
    queue.AddAt(key, Priority::kOwn, "resync",
                now.monotonic + std::max(*ending.resync_after, options.retry_min));
  }
  if (ending.held_until) queue.AddAt(key, Priority::kOwn, "held deletions", *ending.held_until);
}

void EngineCore::FinishAgain(KeyId key, const Ending& ending) {
  KeyRecord& record = keys.at(key);
  const std::string reason = ending.reason.empty() ? "outcomes changed" : ending.reason;
  if (++record.again <= kMaxAgain) return Trigger(key, Priority::kOwn, reason, /*urgent=*/true);
  ControllerOfKey(key).queue.Retry(key, reason, now.monotonic, absl::ZeroDuration());
}

void EngineCore::FinishRetry(KeyId key, const Ending& ending) {
  WorkQueue& queue = ControllerOfKey(key).queue;
  if (ending.news && keys.at(key).again < kMaxAgain) return FinishAgain(key, ending);
  keys.at(key).again = 0;
  const absl::Duration pause = ending.retry_after.value_or(absl::ZeroDuration());
  if (ending.retry_after) queue.Hold(key, {now.monotonic + pause, /*hard=*/true});
  queue.Retry(key, ending.reason, now.monotonic, pause);
  queue.Hold(key, {std::min(queue.DueAt(key), now.monotonic + kEventPause), /*hard=*/false});
}

void EngineCore::FinishWanted(KeyId key, const Ending& ending) {
  KeyRecord& record = keys.at(key);
  if (ending.news && record.again < kMaxAgain) return FinishAgain(key, ending);
  record.again = 0;
  record.wanted_delay = record.wanted_delay == absl::ZeroDuration()
                            ? options.wanted_name_min
                            : std::min(2 * record.wanted_delay, options.wanted_name_max);
  WorkQueue& queue = ControllerOfKey(key).queue;
  queue.AddAt(key, Priority::kOwn, "a wanted name may be free",
              now.monotonic + record.wanted_delay);
  queue.Hold(key, {now.monotonic + std::min(kEventPause, record.wanted_delay), /*hard=*/false});
}

// The namespace is going: the next thing of interest is the parent's own deletion, which passes a
// soft floor.
void EngineCore::FinishQuiet(KeyId key, const Ending& ending) {
  KeyRecord& record = keys.at(key);
  const absl::Duration until =
      now.monotonic + BackoffDelay(kQuiet, record.quiet++, Seed(identity, key));
  WorkQueue& queue = ControllerOfKey(key).queue;
  queue.Hold(key, {until, /*hard=*/false});
  queue.AddAt(key, Priority::kBackground, ending.reason, until);
}

void EngineCore::PayForWrites(KeyId key, const std::vector<uint64_t>& writes) {
  const WritePace::Toll toll = keys.at(key).pace.Pay(writes, now.monotonic);
  if (toll.wait == absl::ZeroDuration()) return;
  Controller& controller = ControllerOfKey(key);
  controller.queue.Hold(key, {now.monotonic + toll.wait, /*hard=*/false});
  ++controller.figures.slowed_writes;
  if (!toll.begins) return;
  Tell(Note::Level::kWarning, "Written again and again",
       "the same each time, now once a second at most: does somebody else, maybe a second release, "
       "write against it?",
       key);
}

void EngineCore::CountPass(KeyId key, const Pass& pass) {
  ControllerFigures& figures = ControllerOfKey(key).figures;
  figures.work_seconds.Add(now.monotonic - pass.started);
  const Ending& ending = pass.ending;
  figures.invalid += ending.invalid ? 1 : 0;
  const bool error = ending.next == Next::kRetry || ending.next == Next::kWanted;
  const bool again = ending.next == Next::kAgain || ending.news;
  const bool later = ending.resync_after || ending.held_until || ending.next == Next::kQuiet;
  ++figures.passes[error ? "error" : again ? "requeue" : later ? "requeue_after" : "success"];
}

}  // namespace xebec::watcher
