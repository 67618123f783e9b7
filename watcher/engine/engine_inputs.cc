// SPDX-License-Identifier: Apache-2.0
// EngineCore: one handler for each input, and the timers.
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {

template <typename Event>
void EngineCore::Take(Event input) {
  CacheContext context = Context();
  cache.On(std::move(input), context);
  TakeChanges();
}

void EngineCore::On(const DescriptionArrived& input) { Take(input); }
void EngineCore::On(Discovered input) { Take(std::move(input)); }
void EngineCore::On(DiscoveryFailed input) { Take(std::move(input)); }
void EngineCore::On(ListArrived input) { Take(std::move(input)); }
void EngineCore::On(ListFailed input) { Take(std::move(input)); }
void EngineCore::On(EventsArrived input) { Take(std::move(input)); }
void EngineCore::On(WatchEnded input) { Take(std::move(input)); }
void EngineCore::On(WatchCorrupt input) { Take(std::move(input)); }

void EngineCore::On(CapacityChanged input) { capacity = input; }

void EngineCore::On(PlanArrived input) {
  const std::optional<KeyId> key = TakeInFlight(input.sequence);
  if (!key) return;  // of a pass that is over
  --planning;
  OnPlan(*key, std::move(input.plan));
}

void EngineCore::On(const PlanFailed& input) {
  const std::optional<KeyId> key = TakeInFlight(input.sequence);
  if (!key) return;
  --planning;
  FailPlan(*key, input.message, input.unreadable ? NoPlan::kUnreadable : NoPlan::kUnusable);
}

void EngineCore::On(const ReportArrived& input) {
  const std::optional<KeyId> key = TakeInFlight(input.sequence);
  if (!key) return;
  --applying;
  OnReport(*key, input.report);
}

void EngineCore::On(const PlanUnreadable& input) {
  const std::optional<KeyId> key = TakeInFlight(input.sequence);
  if (!key) return;
  --applying;
  Tell(Note::Level::kError, "Plan unreadable", input.message, *key);
  OnUnreadable(*key, input.message);
}

void EngineCore::On(ReportLost input) {
  const std::optional<KeyId> key = TakeInFlight(input.sequence);
  if (!key) return;
  --applying;
  Tell(Note::Level::kWarning, "Report lost", "", *key);
  OnReport(*key, UnknownReport(std::get<Applying>(passes.at(*key).state).plan));
}

void EngineCore::On(const LiveArrived& input) {
  KeyId key = 0;
  LiveRead* read = TakeRead(input.read, &key);
  if (read == nullptr) return;
  for (const kube::DecodedObject& object : input.objects) {
    if (object.json == nullptr) continue;  // somebody else's
    read->found.emplace_back(ObjectKey{object.header.ns, object.header.name}, ToStored(object));
  }
  read->done = true;
  FinishReads(key);
}

void EngineCore::On(const LiveFailed& input) {
  KeyId key = 0;
  LiveRead* read = TakeRead(input.read, &key);
  if (read == nullptr) return;
  constexpr int kNotFound = 404;
  if (input.failure.http_status == kNotFound) {  // neither the object nor, perhaps, its kind
    read->done = true;
    return FinishReads(key);
  }
  read->failed = true;
  Tell(Note::Level::kWarning, "Live read failed", Describe(input.failure), key);
  Pass& pass = passes.at(key);
  const Backoff backoff{options.list_backoff_min, options.list_backoff_max};
  SetTimer(key, now.monotonic + BackoffDelay(backoff, pass.read_failures++, Seed(identity, key)));
}

void EngineCore::On(const LeaseSeen& input) { leadership.OnSeen(input, now.monotonic, &out); }

void EngineCore::On(const LeaseReadFailed& input) { leadership.OnReadFailed(input, &out); }

void EngineCore::On(const LeaseWriteFailed& input) {
  leadership.OnWriteFailed(input, now.monotonic, &out);
}

void EngineCore::On(Tick) {}

void EngineCore::On(Stop) {
  stopping = true;
  AbandonWaiting("the watcher stops");
}

void EngineCore::RunTimers() {
  leadership.OnTick(now.monotonic, &out);
  OnLeadership();
  CacheContext context = Context();
  cache.OnTick(context);
  TakeChanges();
  while (!timers.empty() && timers.begin()->first <= now.monotonic) {
    const KeyId key = timers.begin()->second;
    SetTimer(key, absl::InfiniteDuration());
    OnPassTimer(key);
  }
  for (Controller& controller : controllers) controller.queue.Tick(now.monotonic);
  PumpPlans();
  Dispatch();
  MaybeDrain();
}

void EngineCore::Tell(Note::Level level, std::string what, std::string detail,
                      std::optional<KeyId> key) {
  Note note;
  note.level = level;
  note.what = std::move(what);
  note.detail = std::move(detail);
  if (key) {
    note.ref = RefOf(*key);
    const auto pass = passes.find(*key);
    if (pass != passes.end()) note.reconcile_id = pass->second.envelope.reconcile_id;
  }
  out.push_back(std::move(note));
}

}  // namespace xebec::watcher
