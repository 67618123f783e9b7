// SPDX-License-Identifier: Apache-2.0
// EngineCore: from the queue to the plan at the applier.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/digest.h"
#include "common/base/strings.h"
#include "common/kube/resource_version.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

constexpr size_t kMinPlansWaiting = 8;
constexpr size_t kPassIdDigits = 16;
constexpr absl::Duration kAnswerGrace = absl::Seconds(10);  // for a shell that owes an answer
constexpr uint32_t kMaxSuperseded = 3;
constexpr size_t kMostShown = 300;  // of a planner's words

}  // namespace

bool EngineCore::MaySend(KeyId key) const {
  return leadership.Leads(BucketOfKey(key), now.monotonic) && !stopping;
}

std::string EngineCore::PassId(uint64_t sequence) const {
  return ShortDigest(absl::StrCat(identity, "/", sequence), kPassIdDigits);
}

std::optional<KeyId> EngineCore::TakeInFlight(uint64_t sequence) {
  const auto found = in_flight.find(sequence);
  if (found == in_flight.end()) return std::nullopt;
  const KeyId key = found->second;
  in_flight.erase(found);
  return key;
}

void EngineCore::Dispatch() {
  const size_t may_wait = std::max<size_t>(kMinPlansWaiting, capacity.applier);
  while (leadership.LeadsAny(now.monotonic) && !stopping && planning < capacity.planner &&
         waiting.size() < may_wait) {
    Controller* best = nullptr;
    absl::Duration best_rank = absl::InfiniteDuration();
    for (ControllerId id = 0; id < controllers.size(); ++id) {
      const absl::Duration rank = controllers[id].queue.NextRank();
      if (rank >= best_rank || !cache.ControllerReady(id)) continue;
      best = &controllers[id];
      best_rank = rank;
    }
    if (best == nullptr) return;
    StartPass(*best->queue.Take(now.monotonic));
  }
}

void EngineCore::StartPass(TakenKey taken) {
  const KeyId key = taken.key;
  Controller& controller = ControllerOfKey(key);
  if (ParentOf(key) == nullptr) return Forget(key);
  if (!MaySend(key)) {  // another bucket's turn; that this one is led wakes it
    shelved.insert(key);
    return controller.queue.Done(key, now.monotonic);
  }
  // That it can be read again wakes it.
  if (!cache.Ready(ParentWatch(key))) return controller.queue.Done(key, now.monotonic);
  controller.figures.queue_seconds.Add(now.monotonic - taken.ready);
  Pass pass;
  pass.triggered = taken.added;
  pass.started = now.monotonic;
  passes.emplace(key, std::move(pass));
  Ask(key, std::move(taken.reasons));
}

void EngineCore::Ask(KeyId key, std::vector<std::string> reasons) {
  Pass& pass = passes.at(key);
  const StoredObject& parent = pass.live_parent ? *pass.live_parent : *ParentOf(key);
  if (parent.uid != pass.parent.uid) pass.shown.clear();
  pass.parent = StampOf(parent);
  pass.world = World(key);
  Observation observation = Observe(key, &pass, parent, &pass.shown);
  const uint64_t sequence = ++last_sequence;
  observation.envelope.sequence = sequence;
  observation.envelope.reconcile_id = PassId(sequence);
  observation.envelope.reasons = std::move(reasons);
  pass.envelope = observation.envelope;
  pass.state = Planning{sequence};
  in_flight[sequence] = key;
  ++planning;
  SetTimer(key, now.monotonic + options.plan_timeout + kAnswerGrace);
  out.push_back(SendObservation{sequence, std::move(observation), options.plan_timeout});
}

void EngineCore::OnPlan(KeyId key, Plan plan) {
  Pass& pass = passes.at(key);
  const std::string& revision = pass.envelope.planner_revision;
  if (!plan.planner_revision.empty() && plan.planner_revision != revision) {
    CacheContext context = Context();
    cache.OnForeignPlan(plan.planner_revision, context);
    TakeChanges();
    return FailPlan(
        key,
        absl::StrCat("made by planner revision ", plan.planner_revision, ", not by ", revision),
        NoPlan::kUnusable);
  }
  cache.OnOwnPlan();
  const Envelope& echo = plan.envelope;
  if (echo.sequence != pass.envelope.sequence || echo.parent.uid != pass.envelope.parent.uid) {
    return FailPlan(key, "the plan is for another observation", NoPlan::kUnusable);
  }
  if (!MaySend(key)) return Abandon(key, "this watcher does not lead");
  if (pass.world != World(key)) return Abandon(key, "leadership or planner changed meanwhile");
  if (Superseded(key)) return Supersede(key, "the parent changed while it was planned");
  if (plan.live_lists.empty()) return Accept(key, std::move(plan));
  std::vector<ObjectRef> lists = ListsOf(key, &plan.live_lists);
  if (lists.empty() || pass.asked_live) {
    return FailPlan(key, "the planner asks for live lists that it has or that it does not declare",
                    NoPlan::kUnusable);
  }
  ++ControllerOfKey(key).figures.plans["live_lists"];
  pass.asked_live = true;
  StartReads(key, ReadPurpose::kLists, std::move(lists));
}

// A user's change makes a plan worthless; another writer's makes its status write fail for certain.
// Neither may keep the key from ever being written.
bool EngineCore::Superseded(KeyId key) const {
  const Pass& pass = passes.at(key);
  const StoredObject* parent = ParentOf(key);
  if (parent == nullptr) return true;
  const std::string& seen = pass.envelope.parent.resource_version;
  if (parent->resource_version == seen) return false;
  const auto order = kube::CompareVersions(parent->resource_version, seen);
  if (order.has_value() && *order < 0)
    return false;  // planned from a live read, newer than the cache
  if (parent->uid != pass.parent.uid || parent->deleting != pass.parent.deleting) return true;
  return keys.at(key).superseded < kMaxSuperseded;
}

void EngineCore::Supersede(KeyId key, const std::string& why) {
  ++keys.at(key).superseded;
  Abandon(key, why);
}

// Made of what has changed since, longer ago than a plan may live: appliers were away.
bool EngineCore::Outdated(KeyId key) const {
  const auto* waits = std::get_if<AwaitingApplier>(&passes.at(key).state);
  return waits != nullptr && now.monotonic - waits->since > options.plan_life &&
         ControllerOfKey(key).queue.Dirty(key);
}

void EngineCore::Abandon(KeyId key, const std::string& why) {
  Pass& pass = passes.at(key);
  ++ControllerOfKey(key).figures.plans["superseded"];
  pass.ending.next = Next::kAgain;
  pass.ending.superseded = true;
  pass.ending.reason = why;
  pass.ending.text = why;
  Conclude(key);
}

void EngineCore::FailPlan(KeyId key, const std::string& why, NoPlan reason) {
  static constexpr const char* kReasons[] = {"no_plan", "unreadable", "stranger"};
  Controller& controller = ControllerOfKey(key);
  ++controller.figures.plans["failed"];
  ++controller.figures.refused[kReasons[static_cast<size_t>(reason)]];
  const bool may_pass = reason == NoPlan::kUnusable;
  if (may_pass) ++controller.figures.timeouts;
  Tell(may_pass ? Note::Level::kWarning : Note::Level::kError, "Plan failed", why, key);
  Ending& ending = passes.at(key).ending;
  ending.next = Next::kRetry;
  ending.reason = "no plan: " + why;
  ending.text = ending.reason;
  Conclude(key);
}

void EngineCore::Accept(KeyId key, Plan plan) {
  Pass& pass = passes.at(key);
  if (const Operation* operation = TouchesAStranger(key, plan)) {
    return FailPlan(key,
                    absl::StrCat(Ellipsize(operation->id, kMostShown), " is for uid ",
                                 Ellipsize(operation->precondition.uid, kMostShown), " of ",
                                 Ellipsize(Describe(operation->target), kMostShown),
                                 ", which is no child that the planner was shown"),
                    NoPlan::kStranger);
  }
  plan.envelope = pass.envelope;
  JudgePlan(plan, &pass.ending);
  HoldBackWhatMust(key, &plan);
  const bool nothing = HasNothingToWrite(plan) || (pass.ending.held_until && pass.ending.news);
  ++ControllerOfKey(key).figures.plans[nothing ? "nothing" : "writes"];
  if (nothing) {
    if (!pass.ending.held_until) SetWanted(key, {});
    return Conclude(key);
  }
  pass.state = AwaitingApplier{std::move(plan), now.monotonic};
  SetTimer(key, absl::InfiniteDuration());
  waiting.push_back(key);
}

void EngineCore::HoldBackWhatMust(KeyId key, Plan* plan) {
  const absl::Duration quarantine_end = leadership.QuarantineEnd(plan->envelope.bucket);
  if (now.monotonic >= quarantine_end) return HoldBackDeletions(key, plan);
  if (Held(*plan, Hold::kDestructive).empty()) return;
  HoldBack(plan, Hold::kDestructive);
  Ending& ending = passes.at(key).ending;
  ending.held_until = quarantine_end;
  ending.text = "deletions wait until no plan of the predecessor can be under way";
}

void EngineCore::HoldBackDeletions(KeyId key, Plan* plan) {
  const std::vector<const Operation*> deletions = Held(*plan, Hold::kDeletions);
  Controller& controller = ControllerOfKey(key);
  if (deletions.empty() || controller.budget.Allows(key, now.monotonic)) return;
  const std::string message = controller.budget.Message(CachedOf(key).kind.controller);
  std::vector<Outcome> outcomes;
  outcomes.reserve(deletions.size());
  for (const Operation* operation : deletions) outcomes.push_back(HeldOutcome(*operation, message));
  Ending& ending = passes.at(key).ending;
  ending.news =
      keys.at(key).outcomes.Take(*plan, outcomes, passes.at(key).parent.generation, now.wall);
  ending.held_until = controller.budget.AllowedAt(key, now.monotonic);
  ending.text = message;
  if (ending.news) Tell(Note::Level::kWarning, "Deletions held", message, key);
  ++controller.figures.plans["held"];
  controller.figures.deletions_held += deletions.size();
  HoldBack(plan, Hold::kDeletions);
  ShowHeld(plan, message);
}

void EngineCore::PumpPlans() {
  while (!waiting.empty() && applying < capacity.applier) {
    const KeyId key = waiting.front();
    waiting.pop_front();
    if (Superseded(key)) {
      Supersede(key, "the parent changed while its plan waited");
    } else if (const char* why = Vain(key)) {
      Abandon(key, why);
    } else {
      Send(key);
    }
  }
}

// Why a plan must not be sent although its parent is as it was; null when it may be.
const char* EngineCore::Vain(KeyId key) const {
  const Pass& pass = passes.at(key);
  const Plan& plan = std::get<AwaitingApplier>(pass.state).plan;
  if (Outdated(key)) return "something changed while its plan waited for long";
  if (pass.overtaken && RemovesFinalizer(plan)) {
    return "a child came while it was looked whether any is left";
  }
  const bool deletes = !Held(plan, Hold::kDeletions).empty();
  if (deletes && !ControllerOfKey(key).budget.Allows(key, now.monotonic)) {
    return "the deletion budget was used up while its plan waited";
  }
  return nullptr;
}

void EngineCore::Send(KeyId key) {
  Pass& pass = passes.at(key);
  Plan plan = std::move(std::get<AwaitingApplier>(pass.state).plan);
  keys.at(key).superseded = 0;
  const uint64_t sequence = ++last_sequence;
  plan.envelope.sequence = sequence;
  plan.envelope.epoch = leadership.Epoch(plan.envelope.bucket);
  plan.envelope.not_after = now.wall + options.plan_life;
  ControllerOfKey(key).budget.Charge(key, Held(plan, Hold::kDeletions).size(), now.monotonic);
  const absl::Duration timeout = options.plan_life + kClockSkew + options.request_timeout;
  pass.state = Applying{sequence, now.monotonic, plan};
  in_flight[sequence] = key;
  ++applying;
  SetTimer(key, now.monotonic + timeout + kAnswerGrace);
  out.push_back(SendPlan{sequence, std::move(plan), timeout});
}

}  // namespace xebec::watcher
