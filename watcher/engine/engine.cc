// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/engine.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/overloaded.h"
#include "watcher/engine/reconcile/observe.h"
#include "watcher/engine/reconcile/requeue.h"

namespace xebec::watcher {
namespace {

constexpr size_t kMinPlansWaiting = 8;
constexpr uint32_t kMaxReadingMany = 4;
constexpr size_t kSweepStep = 2000;  // keys during one input
constexpr absl::Duration kJoinTimeout = absl::Seconds(15);

std::string Describe(const ObjectKey& name, const std::string& failure) {
  return absl::StrCat(name.ns, name.ns.empty() ? "" : "/", name.name, ": ", failure);
}

}  // namespace

Engine::Engine(Options options, std::string identity)
    : options_(std::move(options)),
      identity_(std::move(identity)),
      cache_(options_, identity_),
      leadership_(options_, identity_) {
  if (options_.hooks) leadership_.Tell({});  // it may run declared controllers
}

Outputs Engine::Step(const Instant& now, Input input) {
  now_ = now;
  const auto* tick = std::get_if<Tick>(&input);
  const absl::Duration heard = tick != nullptr ? tick->heard : -absl::InfiniteDuration();
  Take(std::move(input));
  TakeChanges();
  RunTimers(std::min(heard, now_.monotonic));
  TakeChanges();
  RunSweeps();
  Advance();
  return std::exchange(out_, {});
}

void Engine::Take(Input input) {
  const absl::Duration now = now_.monotonic;
  std::visit(
      Overloaded{
          [this](CreditsChanged& credits) { credits_ = credits; },
          [this](PlanArrived& plan) {
            const std::optional<KeyId> key = runs_.BySequence(plan.sequence);
            Route(key, std::move(plan));
          },
          [this](PlanFailed& failed) { Route(runs_.BySequence(failed.sequence), failed); },
          [this](ReportArrived& report) { Route(runs_.BySequence(report.sequence), report); },
          [this](PlanUnreadable& plan) { Route(runs_.BySequence(plan.sequence), plan); },
          [this](ReportLost& report) { Route(runs_.BySequence(report.sequence), report); },
          [this, now](HookAnswered& answer) {
            if (const std::optional<KeyId> key = runs_.BySequence(answer.sequence)) {
              return Route(key, std::move(answer));
            }
            declarations_.On(answer, now);
          },
          [this, now](Resolved& resolved) { declarations_.On(resolved, now); },
          [this, now](ResolveFailed& failed) { declarations_.On(failed, now); },
          [this](LiveArrived& answer) {
            const std::optional<KeyId> key = runs_.ByRead(answer.read);
            Route(key, std::move(answer));
          },
          [this](LiveFailed& answer) { Route(runs_.ByRead(answer.read), answer); },
          [this, now](LeasesSeen& leases) { leadership_.OnSeen(leases, now, &out_); },
          [this](LeasesReadFailed& failed) { leadership_.OnReadFailed(failed, &out_); },
          [this, now](LeaseWriteFailed& failed) { leadership_.OnWriteFailed(failed, now, &out_); },
          [this, now](Join&) { join_by_ = now + kJoinTimeout; }, [](Tick&) {},
          [this](Stop&) {
            stopping_ = true;
            CancelWaiting("the watcher stops");
            leadership_.Leave(now_.monotonic, &out_);
          },
          [this](auto& of_cache) {
            CacheContext context = ForCache();
            cache_.On(std::move(of_cache), context);
          }},
      input);
}

void Engine::RunTimers(absl::Duration heard) {
  leadership_.OnTick(now_.monotonic, &out_);
  RunDeclarations();
  MaybeJoin();
  OnLeadership();
  CacheContext context = ForCache();
  cache_.OnTick(context);
  TakeChanges();
  while (const std::optional<KeyId> key = runs_.Due(heard)) {
    Drive(*key, [](ReconcileRun& run, const RunContext& at) { return run.OnTimer(at); });
  }
  for (ControllerKeys& each : controllers_) each.queue.Tick(now_.monotonic);
}

// Moves on what can move: keys that wait for a turn, for an applier, or for a planner.
void Engine::Advance() {
  while (runs_.reading_many() < kMaxReadingMany) {
    const std::optional<KeyId> key = runs_.FirstWantingTurn();
    if (!key) break;
    Drive(*key, [](ReconcileRun& run, const RunContext& at) { return run.OnTurn(at); });
  }
  while (runs_.Count(RunState::kApplying) < credits_.applier) {
    const std::optional<KeyId> key = runs_.FirstAwaitingApplier();
    if (!key) break;
    Drive(*key, [](ReconcileRun& run, const RunContext& at) { return run.OnCredit(at); });
  }
  Dispatch();
  Yield();
  MaybeDrain();
}

void Engine::Dispatch() {
  const size_t may_wait = std::max<size_t>(kMinPlansWaiting, credits_.applier);
  while (leadership_.LeadsAny(now_.monotonic) && !stopping_ &&
         runs_.Count(RunState::kPlanning) < credits_.planner &&
         runs_.Count(RunState::kAwaitingApplier) < may_wait) {
    ControllerKeys* best = nullptr;
    absl::Duration best_rank = absl::InfiniteDuration();
    for (ControllerId id = 0; id < controllers_.size(); ++id) {
      const absl::Duration rank = controllers_[id].queue.NextRank();
      if (rank >= best_rank || !cache_.ControllerReady(id) || !HookAllows(id)) continue;
      best = &controllers_[id];
      best_rank = rank;
    }
    if (best == nullptr) return;
    StartRun(*best->queue.Take(now_.monotonic));
  }
}

void Engine::StartRun(TakenKey taken) {
  const KeyId key = taken.key;
  KeyRecord& record = keys_.at(key);
  ControllerKeys& mine = Of(key);
  if (cache_.Parent(record.controller, record.name) == nullptr) return Forget(key);
  const absl::Duration now = now_.monotonic;
  if (AwaitsFacts(key)) {
    uninformed_.insert(key);
    return mine.queue.Done(key, now);
  }
  if (!MayStart(key)) {  // queued again once its bucket may be planned
    parked_.insert(key);
    return mine.queue.Done(key, now);
  }
  // Once the resource can be read again, its keys are queued.
  if (!cache_.Ready(cache_.ParentWatch(record.controller, record.name.ns))) {
    return mine.queue.Done(key, now);
  }
  const uint64_t term = leadership_.term(record.Bucket(leadership_.buckets())).acquisitions;
  if (std::exchange(record.outcomes_of, term) != term) record.outcomes = OutcomeMemory();
  mine.figures.queue_seconds.Add(now - taken.ready);
  runs_.Add(key, record.controller, ReconcileRun(taken.added, now));
  Drive(key, [&taken](ReconcileRun& run, const RunContext& at) {
    return run.Start(std::move(taken.reasons), at);
  });
}

void Engine::RunSweeps() {
  for (const KeyChange& each : sweeps_.Next(kSweepStep, leadership_.buckets(), cache_, &keys_)) {
    if (keys_.Has(each.key)) Apply(each);  // two sweeps may find the same key gone
  }
  if (unpark_) Unpark(kSweepStep);
}

void Engine::CancelWaiting(const char* why) {
  std::vector<KeyId> waiting = runs_.AllAwaitingApplier();
  for (const KeyId key : runs_.AllWantingTurn()) waiting.push_back(key);
  for (const KeyId key : waiting) {
    if (MaySend(key)) continue;
    Drive(key, [why](ReconcileRun& run, const RunContext& at) { return run.Cancel(why, at); });
  }
}

void Engine::AddControllers() {
  while (controllers_.size() < cache_.controllers().size()) {
    controllers_.push_back(
        {WorkQueue({options_.retry_min, options_.retry_max}),
         DeletionBudget(options_.deletion_budget, options_.deletion_interval, leadership_.Share()),
         {}});
  }
}

void Engine::TakeChanges() {
  AddControllers();
  std::set<KeyId> to_check;
  for (const Changed& change : cache_.TakeChanges()) {
    if (std::holds_alternative<BucketsReady>(change)) unpark_ = 0;
    if (std::holds_alternative<DeclarationsChanged>(change)) declarations_.Touch(now_.monotonic);
    if (const auto* progressed = std::get_if<Progressed>(&change)) {
      const std::string& watermark = cache_.store(progressed->watch).watermark();
      for (const KeyId key : waits_.Passed(progressed->watch, watermark)) to_check.insert(key);
      continue;
    }
    for (const KeyChange& each : MapToKeys(change, cache_, wanted_, &keys_, &sweeps_)) {
      if (each.check_gate) to_check.insert(each.key);
      Apply(each);
    }
  }
  for (const KeyId key : to_check) {
    if (runs_.Find(key) == nullptr) continue;
    Drive(key, [](ReconcileRun& run, const RunContext& at) { return run.OnCacheProgress(at); });
  }
}

void Engine::Apply(const KeyChange& change) {
  const KeyId key = change.key;
  const bool runs = runs_.Find(key) != nullptr;
  if (change.gone) {
    if (!runs) Forget(key);  // else when the run is finished
    return;
  }
  KeyRecord& record = keys_.at(key);
  if (change.new_incarnation) {
    wanted_.Set(key, {});
    Of(key).queue.Forget(key);
  }
  if (change.user_change) record.again = 0;
  // The event of an own status write needs no plan. One that arrives before its report is judged
  // with the report.
  if (!change.parent_version.empty() && change.parent_version != record.status_version) {
    const bool judged = runs && runs_.Edit(key, [&change](ReconcileRun& run) {
      return run.OnParentWritten(change.parent_version);
    });
    if (!judged) Queue(key, Priority::kController, "parent changed");
  }
  if (change.child_changed && runs) {
    runs_.Edit(key, [](ReconcileRun& run) { return run.OnChildChange(); });
  }
  if (!change.reason.empty()) Queue(key, change.priority, change.reason, change.urgent);
}

// Passes an answer to the run that waits for it. Late answers have none.
template <typename Answer>
void Engine::Route(std::optional<KeyId> key, Answer answer) {
  if (!key) return;
  Drive(*key, [&answer](ReconcileRun& run, const RunContext& at) {
    return run.On(std::move(answer), at);
  });
}

template <typename Call>
void Engine::Drive(KeyId key, const Call& call) {
  const RunContext context = RunContextOf(key);
  Apply(key, runs_.Edit(key, [&](ReconcileRun& run) { return call(run, context); }));
}

void Engine::Apply(KeyId key, Effects effects) {
  ControllerKeys& mine = Of(key);
  const absl::Duration now = now_.monotonic;
  std::move(effects.out.begin(), effects.out.end(), std::back_inserter(out_));
  for (std::string& reason : effects.requeues) Queue(key, Priority::kController, std::move(reason));
  if (effects.charged > 0) mine.budget.Charge(key, effects.charged, now);
  if (effects.refunded > 0) mine.budget.Refund(key, effects.refunded);
  if (effects.wanted) {
    SetWanted(key, std::move(*effects.wanted));
    WakeBreaker(key);
  }
  if (effects.known_epoch) {
    const uint32_t bucket = runs_.Find(key)->envelope().bucket;
    leadership_.OnHigherEpoch(bucket, *effects.known_epoch, now, &out_);
  }
  CacheContext context = ForCache();
  if (effects.hook) {
    const auto* failure = std::get_if<HookFailure>(&effects.hook->result);
    failure == nullptr ? mine.hooks.OnSuccess() : mine.hooks.OnFailure(*failure, now);
  }
  if (effects.own_plan) cache_.OnOwnPlan();
  if (effects.foreign_plan) cache_.OnForeignPlan(*effects.foreign_plan, context);
  for (const WatchId watch : effects.doubted) cache_.Doubt(watch, context);
  if (effects.covers_changes) {
    runs_.Edit(key, [&](ReconcileRun& run) { return run.Cover(mine.queue.TakeDirty(key)); });
  }
  if (effects.finished) return Finish(key);
  if (!effects.waits) return;
  for (const Requirement& each : runs_.Find(key)->gate().requirements()) {
    const std::string& version = each.version.empty() ? each.baseline : each.version;
    if (!version.empty()) waits_.Add(each.watch, version, key);
  }
}

void Engine::Finish(KeyId key) {
  const ReconcileRun run = runs_.Take(key);
  const RunResult& result = run.result();
  ControllerKeys& mine = Of(key);
  const absl::Duration now = now_.monotonic;
  mine.figures.work_seconds.Add(now - run.started());
  CountResult(result, &mine.figures);
  KeyRecord& record = keys_.at(key);
  if (cache_.Parent(record.controller, record.name) == nullptr) return Forget(key);
  record.reasons = run.envelope().reasons;
  record.ended = result.text;
  keys_.SetProblem(key, result.Failed());
  result.Failed() ? mine.failing.OnFailure(key, Describe(record.name, result.Failure()))
                  : mine.failing.OnSuccess(key);
  // A parent is deleted in spite of its terminating namespace: its children wake it again.
  if (result.next == Next::kIdle && record.quiet > 0) mine.queue.Release(key);
  if (!result.writes.empty()) Pay(key, result.writes);
  if (run.ParentWrittenBeside(record.status_version)) {
    Queue(key, Priority::kController, "parent changed");
  }
  Requeue{options_, identity_, now, key, record, mine.queue, mine.budget}.Apply(result);
  mine.queue.Done(key, now);
}

void Engine::Pay(KeyId key, const std::vector<uint64_t>& writes) {
  ControllerKeys& mine = Of(key);
  const WritePace::Toll toll = keys_.at(key).pace.Pay(writes, now_.monotonic);
  if (toll.wait == absl::ZeroDuration()) return;
  mine.queue.Hold(key, {now_.monotonic + toll.wait, /*hard=*/false});
  ++mine.figures.slowed_writes;
  if (!toll.begins) return;
  out_.push_back(Note{Note::Level::kWarning, "Write loop detected",
                      "the key writes the same again and again and is slowed down to one write a "
                      "second; another client, perhaps a second release, may write against it",
                      ContextOf(key).ref(), ""});
}

void Engine::Queue(KeyId key, Priority priority, std::string reason, bool urgent) {
  Of(key).queue.Add(key, priority, std::move(reason), now_.monotonic, urgent);
  if (runs_.Find(key) == nullptr) return;
  const absl::Duration now = now_.monotonic;
  runs_.Edit(key, [&](ReconcileRun& run) { return run.OnQueued(options_, now); });
}

void Engine::Forget(KeyId key) {
  if (runs_.Find(key) != nullptr) return;  // Finish comes back to it
  wanted_.Set(key, {});
  Of(key).queue.Remove(key);
  Of(key).failing.OnSuccess(key);
  parked_.erase(key);
  uninformed_.erase(key);
  keys_.Remove(key);
}

void Engine::SetWanted(KeyId key, std::vector<ObjectRef> names) {
  std::vector<WantedNames::Name> watched;
  for (const ObjectRef& ref : names) {
    const WatchId* watch = cache_.watches().Find(ref.type, ref.ns);
    if (watch != nullptr) watched.push_back({*watch, {ref.ns, ref.name}});
  }
  wanted_.Set(key, watched);
  keys_.at(key).wanted = std::move(names);
}

// If this key's conflict completes a cycle of waiting parents, another one may have to break it.
void Engine::WakeBreaker(KeyId key) {
  const std::optional<NameCycle> cycle = FindNameCycle(keys_, cache_, key);
  if (!cycle || cycle->breaker == key) return;
  Queue(cycle->breaker, Priority::kController, "parents wait for each other's names");
}

bool Engine::MaySend(KeyId key) const { return ContextOf(key).leads() && !stopping_; }

KeyContext Engine::ContextOf(KeyId key) const {
  return {options_, identity_, now_, cache_, leadership_, declarations_, keys_, keys_.at(key)};
}

RunContext Engine::RunContextOf(KeyId key) {
  ControllerKeys& mine = Of(key);
  return {ContextOf(key), key,         keys_.at(key), mine.figures,
          sequences_,     mine.budget, MaySend(key),  mine.queue.Dirty(key)};
}

absl::Duration Engine::NextDeadline() const {
  if (!sweeps_.empty() || unpark_) return now_.monotonic;
  absl::Duration next = std::min({leadership_.NextDeadline(), cache_.NextDeadline(),
                                  runs_.NextDeadline(), declarations_.NextDeadline(),
                                  NextHookChange(), join_by_.value_or(absl::InfiniteDuration())});
  for (const ControllerKeys& each : controllers_) {
    next = std::min(next, each.queue.NextDeadline());
  }
  return next;
}

bool Engine::operator==(const Engine& other) const {
  const auto fields = [](const Engine& e) {
    return std::tie(e.options_, e.identity_, e.now_, e.cache_, e.declarations_, e.keys_, e.wanted_,
                    e.controllers_, e.runs_, e.waits_, e.leadership_, e.sweeps_, e.parked_,
                    e.uninformed_, e.unpark_, e.sequences_, e.held_, e.join_by_, e.stopping_,
                    e.drained_, e.credits_.planner, e.credits_.applier, e.credits_.hooks,
                    e.review_at_);
  };
  return fields(*this) == fields(other);
}

}  // namespace xebec::watcher
