// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/engine.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "common/base/overloaded.h"
#include "watcher/engine/reconcile/requeue.h"

namespace xebec::watcher {
namespace {

constexpr size_t kMinPlansWaiting = 8;
constexpr uint32_t kMaxReadingMany = 4;
// A watcher that leaves may have to stop at any time, and then has only a few seconds for its
// plans.
constexpr uint32_t kMaxApplyingOfLeaver = 8;
constexpr size_t kSweepStep = 2000;  // keys during one input
// How long a parent has the first turn to create its child again.
constexpr absl::Duration kOwnersTurn = absl::Milliseconds(500);

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
          [this](AnswersMessage auto& answer) { Route(runs_.BySequence(answer.sequence), answer); },
          [this](AnswersRead auto& answer) { Route(runs_.ByRead(answer.read), answer); },
          [this, now](HookAnswered& answer) {
            const std::optional<KeyId> key = runs_.BySequence(answer.sequence);
            if (key) return Route(key, answer);
            declared_.On(answer, now);
          },
          [this, now](Resolved& resolved) { declared_.On(resolved, now); },
          [this, now](ResolveFailed& failed) { declared_.On(failed, now); },
          [this, now](LeasesSeen& leases) { leadership_.OnSeen(leases, now, &out_); },
          [this](LeasesReadFailed& failed) { leadership_.OnReadFailed(failed, &out_); },
          [this, now](LeaseWriteFailed& failed) { leadership_.OnWriteFailed(failed, now, &out_); },
          [this](Join&) { membership_.OnJoin(); }, [](Tick&) {},
          [this](Stop&) { leadership_.Leave(now_.monotonic, &out_); },
          [this](auto& of_cache) {
            CacheContext context = ForCache();
            cache_.On(std::move(of_cache), context);
          }},
      input);
}

void Engine::RunTimers(absl::Duration heard) {
  leadership_.OnTick(now_.monotonic, &out_);
  RunDeclarations();
  if (membership_.OnTick(ForMembership())) CancelWaiting();
  CacheContext context = ForCache();
  cache_.OnTick(context);
  TakeChanges();
  while (const std::optional<KeyId> key = runs_.Due(heard)) {
    Drive(*key, [](ReconcileRun& run, const RunContext& at) { return run.OnTimer(at); });
  }
  queues_.Tick(now_.monotonic);
}

void Engine::RunDeclarations() {
  if (!options_.hooks) return;
  const absl::Duration now = now_.monotonic;
  CacheContext context = ForCache();
  if (std::optional<std::vector<DeclaredKind>> kinds =
          declared_.OnTick(cache_, now, credits_.hooks, &sequences_.last_message, &out_)) {
    cache_.Declare(std::move(*kinds), context);
    Places().Add();
  }
  DeclaredEffects effects =
      declared_.Review({now, cache_, queues_.keys(), queues_.swept(), leadership_,
                        [this](ControllerId id) { return !runs_.CountsOf(id).started.empty(); }});
  if (effects.shares) leadership_.Tell(std::move(*effects.shares));
  for (KeysOfController& keys : effects.sweeps) queues_.Sweep(std::move(keys));
  for (const KeyChange& change : effects.changes) Apply(change);
}

// Moves on what can move: keys that wait for a turn, for an applier, or for a planner.
void Engine::Advance() {
  while (runs_.reading_many() < kMaxReadingMany) {
    const std::optional<KeyId> key = runs_.FirstWantingTurn();
    if (!key) break;
    Drive(*key, [](ReconcileRun& run, const RunContext& at) { return run.OnTurn(at); });
  }
  const uint32_t limit = leadership_.leaving() ? kMaxApplyingOfLeaver : credits_.applier;
  while (runs_.Count(RunState::kApplying) < std::min(limit, credits_.applier)) {
    const std::optional<KeyId> key = runs_.FirstAwaitingApplier();
    if (!key) break;
    Drive(*key, [](ReconcileRun& run, const RunContext& at) { return run.OnCredit(at); });
  }
  Dispatch();
  Yield();
  if (runs_.Count(RunState::kApplying) == 0) membership_.OnIdle(ForMembership());
}

void Engine::Dispatch() {
  const size_t may_wait = std::max<size_t>(kMinPlansWaiting, credits_.applier);
  while (leadership_.LeadsAny(now_.monotonic) && !membership_.stopping() &&
         runs_.Count(RunState::kPlanning) < credits_.planner &&
         runs_.Count(RunState::kAwaitingApplier) < may_wait) {
    std::optional<TakenKey> taken = queues_.Take(
        [this](ControllerId id) { return cache_.ControllerReady(id) && State().HookAllows(id); },
        now_.monotonic);
    if (!taken) return;
    StartRun(std::move(*taken));
  }
}

void Engine::StartRun(TakenKey taken) {
  const KeyId key = taken.key;
  const absl::Duration now = now_.monotonic;
  KeyRecord& record = queues_.at(key);
  if (cache_.Parent(record.controller, record.name, record.uid, &record.slot) == nullptr) {
    return Forget(key);
  }
  if (options_.hooks && declared_.AwaitsFacts(record, cache_, now)) {
    declared_.Park(key);
    return queues_.Done(key, now);
  }
  if (!State().MayStart(key)) return queues_.Park(taken, now);
  // Once the resource can be read again, its keys are queued.
  if (!cache_.Ready(cache_.ParentWatch(record.controller, record.name.ns))) {
    return queues_.Done(key, now);
  }
  const uint64_t term = leadership_.term(record.Bucket(leadership_.buckets())).acquisitions;
  if (std::exchange(record.outcomes_of, term) != term) record.outcomes = OutcomeMemory();
  queues_.Of(key).figures.queue_seconds.Add(now - taken.ready);
  runs_.Add(key, record.controller, ReconcileRun(taken.added, now));
  Drive(key, [&taken](ReconcileRun& run, const RunContext& at) {
    return run.Start(std::move(taken.reasons), at);
  });
}

void Engine::RunSweeps() {
  for (const KeyChange& each : queues_.SweepSome(kSweepStep, leadership_.buckets(), cache_)) {
    if (queues_.keys().Has(each.key)) Apply(each);  // two sweeps may find the same key gone
  }
  const auto may_start = [this](KeyId key) { return State().MayStart(key); };
  for (const auto& [key, priority] : queues_.Unpark(kSweepStep, may_start)) {
    Queue(key, priority, "its bucket is assigned to this watcher again");
  }
  Places().Free();
}

void Engine::CancelWaiting() {
  const char* why = membership_.stopping() ? "the watcher stops" : "this watcher does not lead";
  CancelUnsent([this](KeyId key) { return !State().MaySend(key); }, why);
}

// Ends reconciles that have sent no plan: the next holder of the bucket need not wait for a planner
// or a hook.
template <typename Predicate>
void Engine::CancelUnsent(const Predicate& of, const char* why) {
  const std::set<KeyId> unsent = runs_.unsent();
  for (const KeyId key : unsent) {
    if (!of(key)) continue;
    Drive(key, [why](ReconcileRun& run, const RunContext& at) { return run.Cancel(why, at); });
  }
}

// Offers the buckets that other watchers should hold, once their reconciles are complete.
void Engine::Yield() {
  if (leadership_.yielding().empty()) return;
  const BucketSet yielding = leadership_.yielding();
  CancelUnsent([&](KeyId key) { return yielding.Contains(runs_.Find(key)->envelope().bucket); },
               "its bucket moves to another watcher");
  const EngineState::YieldedBuckets yielded = State().Yielding();
  leadership_.Yield(
      yielded.idle, yielded.in_doubt, [&] { return State().SeenIn(yielded.idle); }, now_.monotonic,
      &out_);
}

void Engine::TakeChanges() {
  Places().Add();
  std::set<KeyId> to_check;
  for (const Changed& change : cache_.TakeChanges()) {
    declared_.On(change, now_.monotonic);
    if (std::holds_alternative<BucketsReady>(change)) {
      queues_.CheckParked();
      membership_.OnCachesReady();
    }
    if (const auto* progressed = std::get_if<Progressed>(&change)) {
      const std::string& watermark = cache_.store(progressed->watch).watermark();
      for (const KeyId key : waits_.Passed(progressed->watch, watermark)) to_check.insert(key);
      continue;
    }
    for (const KeyChange& each : queues_.Map(change, cache_)) {
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
  KeyRecord& record = queues_.at(key);
  if (change.new_incarnation) queues_.Restart(key);
  if (change.user_change) record.again = 0;
  // The event of an own status write needs no plan. One that arrives before its report is judged
  // with the report.
  if (!change.parent_version.empty() && change.parent_version != record.status_version) {
    const bool judged = runs && runs_.Edit(key, [&change](ReconcileRun& run) {
      return run.OnParentWritten(change.parent_version);
    });
    if (!judged) Queue(key, Priority::kController, "parent changed");
  }
  // Nor does the event of an own write of a child, if the plan covers its writes.
  const bool covered = change.child_changed && runs && runs_.Edit(key, [&](ReconcileRun& run) {
    return run.OnChildChange(change.child, change.reason);
  });
  if (covered) return;
  if (change.yields) queues_.Yield(key, now_.monotonic + kOwnersTurn);
  if (!change.reason.empty()) Queue(key, change.priority, change.reason, change.urgent);
}

// Passes an answer to the run that waits for it. Late answers have none.
template <typename Answer>
void Engine::Route(std::optional<KeyId> key, Answer& answer) {
  if (!key) return;
  Drive(*key, [&answer](ReconcileRun& run, const RunContext& at) {
    return run.On(std::move(answer), at);
  });
}

template <typename Call>
void Engine::Drive(KeyId key, const Call& call) {
  const EngineState state = State();
  ControllerKeys& its = queues_.Of(key);
  const RunContext context{
      state.ContextOf(key), key,        queues_.at(key),    its.figures,
      sequences_,           its.budget, state.MaySend(key), its.queue.Dirty(key)};
  Apply(key, runs_.Edit(key, [&](ReconcileRun& run) { return call(run, context); }));
}

void Engine::Apply(KeyId key, Effects effects) {
  ControllerKeys& mine = queues_.Of(key);
  const absl::Duration now = now_.monotonic;
  std::move(effects.out.begin(), effects.out.end(), std::back_inserter(out_));
  for (std::string& reason : effects.requeues) Queue(key, Priority::kController, std::move(reason));
  if (effects.charged > 0) mine.budget.Charge(key, effects.charged, now);
  if (effects.refunded > 0) mine.budget.Refund(key, effects.refunded);
  if (effects.wanted) {
    const std::optional<KeyId> other = queues_.Want(key, std::move(*effects.wanted), cache_);
    if (other) Queue(*other, Priority::kController, "parents wait for each other's names");
  }
  if (effects.known_epoch) {
    const uint32_t bucket = runs_.Find(key)->envelope().bucket;
    leadership_.OnHigherEpoch(bucket, *effects.known_epoch, now, &out_);
  }
  CacheContext context = ForCache();
  if (effects.hook) TakeReply(key, *effects.hook, effects.hook_begun);
  if (effects.own_plan) cache_.OnOwnPlan();
  if (effects.foreign_plan) cache_.OnForeignPlan(*effects.foreign_plan, context);
  for (const WatchId watch : effects.doubted) cache_.Doubt(watch, context);
  if (effects.covers_changes) {
    runs_.Edit(key, [&](ReconcileRun& run) { return run.Cover(mine.queue.TakeDirty(key)); });
  }
  if (effects.finished) return Finish(key);
  if (effects.waits) waits_.Add(runs_.Find(key)->gate(), key);
}

void Engine::TakeReply(KeyId key, const HookReply& reply, absl::Duration begun) {
  const ControllerId id = queues_.at(key).controller;
  const std::optional<absl::Duration> again =
      declared_.OnReply(id, cache_.controllers()[id].kind.controller, reply, begun, now_.monotonic);
  if (!again) return;
  queues_.Of(key).queue.AddAt(key, Priority::kBackground, "hook revision", *again);
}

void Engine::Finish(KeyId key) {
  const ReconcileRun run = runs_.Take(key);
  const RunResult& result = run.result();
  ControllerKeys& mine = queues_.Of(key);
  const absl::Duration now = now_.monotonic;
  mine.figures.work_seconds.Add(now - run.started());
  CountResult(result, &mine.figures);
  KeyRecord& record = queues_.at(key);
  if (State().ContextOf(key).parent() == nullptr) return Forget(key);
  record.reasons = run.envelope().reasons;
  record.ended = result.text;
  queues_.SetProblem(key, result.Failed());
  result.Failed() ? declared_.OnFailure(record.controller, key, record.name, result.Failure())
                  : declared_.OnSuccess(record.controller, key);
  // A parent is deleted in spite of its terminating namespace: its children wake it again.
  if (result.next == Next::kIdle && record.quiet > 0) mine.queue.Release(key);
  if (queues_.Pay(key, result.writes, now)) {
    out_.push_back(WriteLoop(State().ContextOf(key).ref()));
  }
  if (run.ParentWrittenBeside(record.status_version)) {
    Queue(key, Priority::kController, "parent changed");
  }
  Requeue{options_, identity_, now, key, record, mine.queue, mine.budget}.Apply(result);
  mine.queue.Done(key, now);
}

void Engine::Queue(KeyId key, Priority priority, std::string reason, bool urgent) {
  queues_.Add(key, priority, std::move(reason), now_.monotonic, urgent);
  if (runs_.Find(key) == nullptr) return;
  const absl::Duration now = now_.monotonic;
  runs_.Edit(key, [&](ReconcileRun& run) { return run.OnQueued(options_, now); });
}

void Engine::Forget(KeyId key) {
  if (runs_.Find(key) != nullptr) return;  // Finish comes back to it
  declared_.Forget(queues_.at(key).controller, key);
  queues_.Remove(key);
}

absl::Duration Engine::NextDeadline() const {
  if (queues_.busy()) return now_.monotonic;
  return std::min({leadership_.NextDeadline(), cache_.NextDeadline(), runs_.NextDeadline(),
                   declared_.NextDeadline(cache_, now_.monotonic), queues_.NextDeadline(),
                   membership_.NextDeadline()});
}

bool Engine::operator==(const Engine& other) const {
  const auto fields = [](const Engine& e) {
    return std::tie(e.options_, e.identity_, e.now_, e.cache_, e.declared_, e.queues_, e.runs_,
                    e.waits_, e.leadership_, e.membership_, e.sequences_, e.credits_.planner,
                    e.credits_.applier, e.credits_.hooks);
  };
  return fields(*this) == fields(other);
}

}  // namespace xebec::watcher
