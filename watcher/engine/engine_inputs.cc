// SPDX-License-Identifier: Apache-2.0
// EngineCore: one handler for each input, and the timers.
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {

void EngineCore::On(const DescriptionArrived& input) {
  if (revisions.OnDescription(input.description)) Reconcile();
}

// The answer to one watch of a resource is the answer to all that have asked.
void EngineCore::On(Discovered input) {
  for (const auto& [ns, watch] : WatchesOf(input.type).all()) {
    if (!watches[watch].reflector.discovering()) continue;
    OnWatch(watch, [&](Reflector& r, ReflectorContext& c) { r.OnDiscovered(input, c); });
    if (input.served) LookAtSubresources(watch);
  }
}

void EngineCore::On(DiscoveryFailed input) {
  for (const auto& [ns, watch] : WatchesOf(input.type).all()) {
    OnWatch(watch,
            [&](Reflector& r, ReflectorContext& c) { r.OnDiscoveryFailed(input.failure, c); });
  }
}

template <typename Handler>
void EngineCore::OnStream(StreamId stream, const Handler& handler) {
  for (WatchId id = 0; id < watches.size(); ++id) {
    if (stream != 0 && watches[id].reflector.stream() == stream) return OnWatch(id, handler);
  }
}

void EngineCore::On(ListArrived input) {
  OnStream(input.stream, [&](Reflector& r, ReflectorContext& c) { r.OnList(input, c); });
}

void EngineCore::On(ListFailed input) {
  OnStream(input.stream, [&](Reflector& r, ReflectorContext& c) { r.OnListFailed(input, c); });
}

void EngineCore::On(EventsArrived input) {
  OnStream(input.stream,
           [&](Reflector& r, ReflectorContext& c) { r.OnEvents(std::move(input), c); });
}

void EngineCore::On(WatchEnded input) {
  OnStream(input.stream, [&](Reflector& r, ReflectorContext& c) { r.OnWatchEnded(input, c); });
}

void EngineCore::On(WatchCorrupt input) {
  OnStream(input.stream, [&](Reflector& r, ReflectorContext& c) { r.OnCorrupt(input, c); });
}

// Changes nothing in the cache, so that it may be called in the middle of a handler.
void EngineCore::RelistWatch(WatchId watch, std::string_view reason) {
  StoreChanges none;
  ReflectorContext context{
      .now = now.monotonic, .last_stream = &last_stream, .changes = &none, .out = &out};
  watches[watch].reflector.Relist(reason, context);
}

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
  for (WatchId id = 0; id < watches.size(); ++id) {
    if (watches[id].reflector.NextDeadline() > now.monotonic) continue;
    OnWatch(id, [](Reflector& r, ReflectorContext& c) { r.OnTick(c); });
  }
  while (!timers.empty() && timers.begin()->first <= now.monotonic) {
    const KeyId key = timers.begin()->second;
    SetTimer(key, absl::InfiniteDuration());
    OnPassTimer(key);
  }
  for (Controller& controller : controllers) controller.queue.Tick(now.monotonic);
  MaybeMoveOver();
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
