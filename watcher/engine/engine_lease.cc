// SPDX-License-Identifier: Apache-2.0
// EngineCore: leadership and the end.
#include <algorithm>

#include "watcher/engine/engine_core.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {
bool EngineCore::Leads() const {
  return leases.empty() || std::all_of(leases.begin(), leases.end(), [this](const auto& each) {
           return each.second.Leads(now.monotonic);
         });
}

uint64_t EngineCore::Epoch() const {
  return leases.empty() ? epoch_without_election : leases.begin()->second.epoch();
}

void EngineCore::OnLeadership() {
  uint64_t acquired = 0;
  for (const auto& [bucket, lease] : leases) acquired += lease.acquisitions();
  if (acquired == acquisitions) return;
  acquisitions = acquired;
  Acquired();
}

// Caches must have been listed since the predecessor could write last; what it left behind is
// planned again. After a crash its last plans may still be under way.
void EngineCore::Acquired() {
  const LeaseElector& lease = leases.begin()->second;
  first_epoch = lease.epoch();
  fresh_since = lease.fresh_since();
  quarantine_end = lease.clean_handover()
                       ? -absl::InfiniteDuration()
                       : now.monotonic + options.plan_life + kClockSkew + options.request_timeout;
  for (WatchId id = 0; id < watches.size(); ++id) {
    if (watches[id].active && !watches[id].reflector.ListsSince(fresh_since)) {
      RelistWatch(id, "acquired");
    }
  }
  // What became of plans under an earlier leadership says nothing any more: others have led since.
  // (Reports that are still to come: JudgeReport.)
  for (const KeyId key : keys.All()) keys.at(key).outcomes = OutcomeMemory();
  RequeueAll("leadership acquired");
}

void EngineCore::MaybeDrain() {
  if (!stopping || drained || applying > 0) return;
  const bool unknown = std::any_of(passes.begin(), passes.end(), [](const auto& each) {
    const auto* reading = std::get_if<Reading>(&each.second.state);
    return std::holds_alternative<AwaitingFate>(each.second.state) ||
           (reading != nullptr && reading->purpose == ReadPurpose::kFate);
  });
  bool released = true;
  for (auto& [bucket, lease] : leases) {
    // The next one must wait for what our predecessor may still do as long as we would have.
    lease.Release(!unknown && now.monotonic >= quarantine_end, now.monotonic, &out);
    released &= lease.Released();
  }
  if (!released) return;
  drained = true;
  out.push_back(Drained{});
}

}  // namespace xebec::watcher
