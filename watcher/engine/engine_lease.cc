// SPDX-License-Identifier: Apache-2.0
// EngineCore: leadership and the end.
#include <algorithm>

#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
uint32_t EngineCore::BucketOfKey(KeyId key) const {
  return BucketOf(keys.at(key).uid, leadership.buckets());
}

void EngineCore::OnLeadership() {
  for (const uint32_t bucket : leadership.TakeAcquired(now.monotonic)) Acquired(bucket);
  const Leadership::Turn turn = leadership.TakeTurn(now.monotonic);
  if (turn.lost) AbandonWaiting("this watcher does not lead");
  if (turn.won) Unshelve();
}

void EngineCore::AbandonWaiting(const char* why) {
  std::erase_if(waiting, [this, why](KeyId key) {
    const bool lost = !MaySend(key);
    if (lost) Abandon(key, why);
    return lost;
  });
}

void EngineCore::Unshelve() {
  std::erase_if(shelved, [this](KeyId key) {
    const bool led = MaySend(key);
    if (led) Trigger(key, Priority::kBackground, "its Lease is held again");
    return led;
  });
}

// Caches must have been listed since the predecessor could write last; what it left behind is
// planned again. After a crash its last plans may still be under way.
void EngineCore::Acquired(uint32_t bucket) {
  CacheContext context = Context();
  cache.RequireFresh(leadership.FreshSince(), context);
  for (const KeyId key : keys.All()) {
    if (BucketOfKey(key) != bucket) continue;
    // What became of plans under an earlier leadership says nothing any more: others have led
    // since. (Reports that are still to come: JudgeReport.)
    keys.at(key).outcomes = OutcomeMemory();
    Trigger(key, Priority::kBackground, "leadership acquired");
  }
}

void EngineCore::MaybeDrain() {
  if (!stopping || drained || applying > 0) return;
  const bool unknown = std::any_of(passes.begin(), passes.end(), [](const auto& each) {
    const auto* reading = std::get_if<Reading>(&each.second.state);
    return std::holds_alternative<AwaitingFate>(each.second.state) ||
           (reading != nullptr && reading->purpose == ReadPurpose::kFate);
  });
  if (!leadership.Release(!unknown, now.monotonic, &out)) return;
  drained = true;
  out.push_back(Drained{});
}

}  // namespace xebec::watcher
