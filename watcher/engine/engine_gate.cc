// SPDX-License-Identifier: Apache-2.0
// EngineCore: waiting until the cache shows the key's own writes.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

constexpr size_t kMaxFullReads = 4;
constexpr absl::Duration kFullReadTurn = absl::Milliseconds(250);
constexpr absl::Duration kIdleGateCheck = absl::Minutes(1);

}  // namespace

void EngineCore::SetTimer(KeyId key, absl::Duration when) {
  Pass& pass = passes.at(key);
  if (pass.timer != absl::InfiniteDuration()) timers.erase({pass.timer, key});
  pass.timer = when;
  if (when != absl::InfiniteDuration()) timers.insert({when, key});
}

bool EngineCore::GateOpen(KeyId key) {
  auto& requirements = passes.at(key).requirements;
  std::erase_if(requirements, [&](Requirement& each) { return Meets(key, &each); });
  return requirements.empty();
}

bool EngineCore::Meets(KeyId key, Requirement* requirement) {
  if (!cache.Active(requirement->watch)) return true;
  switch (CheckGate(*requirement, cache.reflector(requirement->watch))) {
    case GateState::kOpen:
      return true;
    case GateState::kWaiting:
      return false;
    case GateState::kLost:
      return Suspect(key, requirement);
  }
  return false;
}

// The watermark has passed the write and the cache lacks it. Either it was never to be seen by this
// watch, or the watch has lost something, or the object came and went unseen: a list tells. True
// when the write is not waited for any more.
bool EngineCore::Suspect(KeyId key, Requirement* requirement) {
  const Reflector& reflector = cache.reflector(requirement->watch);
  const bool listed_since = reflector.availability() == Availability::kReady &&
                            reflector.list_number() > requirement->lists;
  if (listed_since) {
    Trigger(key, Priority::kOwn,
            cache.NameOf(requirement->watch, requirement->object) + " vanished unseen");
    return true;
  }
  const bool cached = reflector.store().Find(requirement->object) != nullptr;
  const bool deletion = requirement->version.empty();
  const bool expected = cached || deletion || requirement->listed ||
                        (requirement->desired != nullptr &&
                         BelongsInCache(*requirement->desired, reflector.spec(), keys.at(key).uid));
  if (!expected) return true;
  if (requirement->suspected || !cache.MayDoubt(requirement->watch, now.monotonic)) return false;
  requirement->suspected = true;
  ListAnewFor(key, *requirement);
  return false;
}

void EngineCore::ListAnewFor(KeyId key, const Requirement& requirement) {
  Tell(Note::Level::kWarning, "Own write not seen",
       absl::StrCat(cache.NameOf(requirement.watch, requirement.object), " at resourceVersion ",
                    requirement.version, "; listing anew"),
       key);
  CacheContext context = Context();
  cache.Doubt(requirement.watch, context);
}

// A watch that has not brought an own write for so long may be deaf: who waits for a time, a name
// or a back-off must not wait for that too.
void EngineCore::SuspectTheDeaf(KeyId key) {
  const Pass& pass = passes.at(key);
  if (now.monotonic - std::get<Gated>(pass.state).since < kIdleGateCheck) return;
  for (const Requirement& each : pass.requirements) {
    if (cache.MayDoubt(each.watch, now.monotonic)) ListAnewFor(key, each);
  }
}

void EngineCore::WaitAtGate(KeyId key) {
  Pass& pass = passes.at(key);
  if (!std::holds_alternative<Gated>(pass.state)) {
    ++ControllerOfKey(key).figures.gate_waits;
    pass.state = Gated{now.monotonic};
    SetTimer(key, now.monotonic + options.gate_timeout);
  }
  for (const Requirement& requirement : pass.requirements) {
    const std::string& version =
        requirement.version.empty() ? requirement.baseline : requirement.version;
    if (!version.empty()) cache_waits[requirement.watch].Add(version, key);
  }
}

void EngineCore::Recheck(KeyId key) {
  const auto pass = passes.find(key);
  if (pass == passes.end() || !std::holds_alternative<Gated>(pass->second.state)) return;
  const absl::Duration since = std::get<Gated>(pass->second.state).since;
  if (!GateOpen(key)) return WaitAtGate(key);
  ControllerOfKey(key).figures.gate_seconds.Add(now.monotonic - since);
  Finish(key);
}

bool EngineCore::Wants(KeyId key) const {
  const Pass& pass = passes.at(key);
  return ControllerOfKey(key).queue.Dirty(key) || pass.ending.next == Next::kAgain ||
         pass.ending.news ||
         (!pass.parent_version.empty() && pass.parent_version != keys.at(key).status_version);
}

// A gate that nobody waits at is looked at now and then; the first who waits starts the clock, or
// finds it expired.
void EngineCore::ArmGate(KeyId key) {
  const absl::Duration since = std::get<Gated>(passes.at(key).state).since;
  const absl::Duration due = std::max(now.monotonic, since + options.gate_timeout);
  if (due < passes.at(key).timer) SetTimer(key, due);
}

void EngineCore::OnPassTimer(KeyId key) {
  Pass& pass = passes.at(key);
  if (const auto* planning_state = std::get_if<Planning>(&pass.state)) {
    TakeInFlight(planning_state->sequence);
    --planning;
    FailPlan(key, "no answer", NoPlan::kUnusable);
  } else if (const auto* applying_state = std::get_if<Applying>(&pass.state)) {
    TakeInFlight(applying_state->sequence);
    --applying;
    const Report unknown = UnknownReport(applying_state->plan);
    OnReport(key, unknown);
  } else if (std::holds_alternative<AwaitingFate>(pass.state)) {
    StartReads(key, ReadPurpose::kFate, std::move(pass.fates));
  } else if (std::holds_alternative<Reading>(pass.state)) {
    RetryReads(key);
  } else if (std::holds_alternative<Gated>(pass.state)) {
    OnGateTimeout(key);
  }
}

void EngineCore::OnGateTimeout(KeyId key) {
  if (GateOpen(key)) return Finish(key);
  std::erase_if(passes.at(key).requirements, [&](Requirement& each) {
    return each.version.empty() && Suspect(key, &each);  // a deletion has no version to pass
  });
  if (passes.at(key).requirements.empty()) return Finish(key);
  if (!Wants(key)) {
    SuspectTheDeaf(key);
    return SetTimer(key, now.monotonic + kIdleGateCheck);
  }
  if (!MaySend(key) || FullReads() >= kMaxFullReads)
    return SetTimer(key, now.monotonic + kFullReadTurn);
  ++ControllerOfKey(key).figures.gate_timeouts;
  Tell(Note::Level::kInfo, "Gate timed out", absl::StrCat("the cache lags; reading live"), key);
  std::vector<ObjectRef> refs = ListsOf(key, nullptr);
  refs.push_back(RefOf(key));
  StartReads(key, ReadPurpose::kAll, std::move(refs));
}

size_t EngineCore::FullReads() const {
  return static_cast<size_t>(std::count_if(passes.begin(), passes.end(), [](const auto& each) {
    const auto* reading = std::get_if<Reading>(&each.second.state);
    return reading != nullptr && reading->purpose == ReadPurpose::kAll;
  }));
}

}  // namespace xebec::watcher
