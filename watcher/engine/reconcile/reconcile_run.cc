// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/reconcile_run.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "watcher/engine/backoff.h"
#include "watcher/engine/reconcile/deferral.h"
#include "watcher/engine/reconcile/observe.h"
#include "watcher/engine/reconcile/plan_delivery.h"
#include "watcher/engine/reconcile/requirements.h"
#include "watcher/engine/reconcile/run_record.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kAnswerGrace = absl::Seconds(10);  // for a host that does not answer
constexpr absl::Duration kIdleGateCheck = absl::Minutes(1);
constexpr absl::Duration kLeadershipCheck = absl::Milliseconds(250);

}  // namespace

Effects ReconcileRun::Start(std::vector<std::string> reasons, const RunContext& context) {
  Turn turn(context, envelope_);
  Request(std::move(reasons), &turn);
  return turn.Close();
}

void ReconcileRun::Request(std::vector<std::string> reasons, Turn* turn) {
  const RunContext& context = turn->context;
  const StoredObject& parent = live_.parent ? *live_.parent : *context.key.parent();
  basis_.Observe(parent, context);
  Observation observation = Observe(context.key, parent, live_, basis_.shown());
  const uint64_t number = context.sequences.last_message + 1;
  observation.envelope.reconcile_id = ReconcileId(context.key.identity, number);
  observation.envelope.reasons = std::move(reasons);
  Submit(std::move(observation), turn);
}

void ReconcileRun::Submit(Observation observation, Turn* turn) {
  const RunContext& context = turn->context;
  const uint64_t sequence = observation.envelope.sequence = ++context.sequences.last_message;
  envelope_ = observation.envelope;
  state_ = Planning{sequence};
  hooks_.Begin(observation);
  const absl::Duration timeout = context.key.options.plan_timeout;
  timer_ = turn->now() + timeout + kAnswerGrace;
  turn->effects.out.push_back(SendObservation{sequence, std::move(observation), timeout});
}

Effects ReconcileRun::On(PlanArrived input, const RunContext& context) {
  return In<Planning>(context, [&](Planning&, Turn* turn) {
    const std::string& maker = input.plan.planner_revision;
    const std::string& revision = envelope_.planner_revision;
    turn->effects.own_plan = maker.empty() || maker == revision;
    if (turn->effects.own_plan) return TakeOwnPlan(std::move(input.plan), turn);
    turn->effects.foreign_plan = maker;
    FailPlan(absl::StrCat("made by planner revision ", maker, ", not by ", revision),
             NoPlan::kUnusable, turn);
  });
}

Effects ReconcileRun::On(const PlanFailed& input, const RunContext& context) {
  return In<Planning>(context, [&](Planning&, Turn* turn) {
    FailPlan(input.message, input.unreadable ? NoPlan::kUnreadable : NoPlan::kUnusable, turn);
  });
}

void ReconcileRun::TakeOwnPlan(Plan plan, Turn* turn) {
  const RunContext& context = turn->context;
  const Envelope& echo = plan.envelope;
  if (echo.sequence != envelope_.sequence || echo.parent.uid != envelope_.parent.uid) {
    return FailPlan("the plan is for another observation", NoPlan::kUnusable, turn);
  }
  if (!basis_.InTerm(context))
    return End(Next::kAgain, "leadership or planner changed meanwhile", turn);
  if (basis_.Stale(context))
    return End(Next::kAgain, "the parent changed while it was planned", turn);
  RecordDecision(plan, hooks_.AnswersToLast(), turn);
  if (!plan.hook_requests.empty()) return Ask(plan.hook_requests.front(), {}, turn);
  std::optional<LiveReads> reads = RequestedReads(plan, context.key);
  if (!reads) return Accept(std::move(plan), turn);
  if (reads->reads().empty() || !read_for_planner_.insert(reads->purpose()).second) {
    return FailPlan("the planner requests lists that it has or that it does not declare",
                    NoPlan::kUnusable, turn);
  }
  ++context.count.plans[plan.event_reads.empty() ? "live_lists" : "event_reads"];
  state_ = *std::move(reads);
  timer_ = absl::InfiniteDuration();
  // A list may contain objects of many parents, so only a few runs may read lists at once.
  wants_turn_ = true;
}

void ReconcileRun::Ask(HookRequest request, std::optional<std::string> first, Turn* turn) {
  const std::string why = hooks_.WhyNot(request, turn->context.key.options.hooks);
  if (!why.empty()) return FailPlan(why, NoPlan::kUnusable, turn);
  request.call.again = first.has_value();
  const uint64_t sequence = ++turn->context.sequences.last_message;
  timer_ = turn->now() + request.call.timeout + kAnswerGrace;
  turn->effects.out.push_back(CallHook{sequence, request.call});
  state_ = Asking{sequence, std::move(request), turn->now(), std::move(first)};
}

// A first failure may pass. The planner shows the second one.
Effects ReconcileRun::On(HookAnswered input, const RunContext& context) {
  return In<Asking>(context, [&](const Asking& asking, Turn* turn) {
    HookAnswer answer = TakeAnswer(asking.request, &input.reply);
    const bool cached = input.reply.cached;
    turn->effects.hook = std::move(input.reply);
    turn->effects.hook_begun = asking.since;
    if (RecordHookAnswer(answer, turn->now() - asking.since, turn)) {
      const auto& failure = std::get<HookFailure>(answer.result);
      result_.retry_after = failure.retry_after;
      return End(Next::kRetry, absl::StrCat("hook: ", failure.message), turn);
    }
    if (!basis_.InTerm(context)) {
      return End(Next::kAgain, "leadership, planner or declaration changed meanwhile", turn);
    }
    const auto* body = std::get_if<std::string>(&answer.result);
    if (body && !asking.first && context.record.hook_doubt.OnAnswer(cached, turn->now())) {
      return Ask(asking.request, *body, turn);
    }
    Submit(hooks_.Answered(std::move(answer), asking.first), turn);
  });
}

void ReconcileRun::Accept(Plan plan, Turn* turn) {
  const RunContext& context = turn->context;
  if (const std::string why = basis_.WhyNotOwned(plan); !why.empty()) {
    return FailPlan(why, NoPlan::kNotOwned, turn);
  }
  plan.envelope = envelope_;
  TakePlan(plan, &result_);
  DeferOperations(&plan, turn, &result_);
  const bool waits = DelayProgress(plan, *turn, &result_);
  const bool nothing = waits || HasNothingToWrite(plan) || (result_.deferred_until && result_.news);
  ++context.count.plans[waits ? "progress" : nothing ? "nothing" : "writes"];
  if (nothing) {
    if (!result_.deferred_until) turn->effects.wanted.emplace();
    return Conclude(turn);
  }
  state_ = AwaitingApplier{std::move(plan), turn->now()};
  timer_ = absl::InfiniteDuration();
}

void ReconcileRun::FailPlan(const std::string& why, NoPlan reason, Turn* turn) {
  RecordNoPlan(reason, why, turn);
  End(Next::kRetry, "no plan: " + why, turn);
}

void ReconcileRun::End(Next next, const std::string& why, Turn* turn) {
  if (next == Next::kAgain) ++turn->context.count.plans["stale"];
  result_.next = next;
  result_.reason = result_.text = why;
  Conclude(turn);
}

Effects ReconcileRun::Cancel(const std::string& why, const RunContext& context) {
  Turn turn(context, envelope_);
  if (IsUnsent(status())) {
    wants_turn_ = false;
    End(Next::kAgain, why, &turn);
  }
  return turn.Close();
}

Effects ReconcileRun::OnCredit(const RunContext& context) {
  return In<AwaitingApplier>(context, [&](const AwaitingApplier& waiting, Turn* turn) {
    if (basis_.Stale(context))
      return End(Next::kAgain, "the parent changed while its plan waited", turn);
    const char* why = basis_.Futile(waiting.plan, waiting.since, context);
    if (why != nullptr) return End(Next::kAgain, why, turn);
    Send(turn);
  });
}

// The run and the host share the plan.
void ReconcileRun::Send(Turn* turn) {
  SendPlan send = Deliver(std::move(std::get<AwaitingApplier>(state_).plan), turn->context);
  turn->context.record.stale_plans = 0;
  turn->effects.charged = Find(*send.plan, Deferred::kDeletions).size();
  state_ = Applying{send.sequence, turn->now(), send.plan};
  timer_ = turn->now() + send.timeout + kAnswerGrace;
  turn->effects.out.push_back(std::move(send));
}

Effects ReconcileRun::On(const ReportArrived& input, const RunContext& context) {
  return In<Applying>(context, [&](auto&, Turn* turn) { Complete(input.report, turn); });
}

Effects ReconcileRun::On(const ReportLost&, const RunContext& context) {
  return In<Applying>(context, [&](const Applying& applying, Turn* turn) {
    turn->AddNote(Note::Level::kWarning, "Report lost", "");
    Complete(LostReport(*applying.plan, turn), turn);
  });
}

// The applier started nothing, and it could not decode the same plan next time either.
Effects ReconcileRun::On(const PlanUnreadable& input, const RunContext& context) {
  return In<Applying>(context, [&](const Applying& applying, Turn* turn) {
    turn->AddNote(Note::Level::kError, "Plan unreadable", input.message);
    ++context.count.refused["unreadable"];
    child_writes_.TakeUncovered(gate_, &turn->effects.requeues);
    turn->effects.refunded = Find(*applying.plan, Deferred::kDeletions).size();
    End(Next::kRetry, "the applier could not read the plan: " + input.message, turn);
  });
}

void ReconcileRun::Complete(const Report& report, Turn* turn) {
  const RunContext& context = turn->context;
  const Applying applying = std::move(std::get<Applying>(state_));
  const Completion completion = watcher::Complete(*applying.plan, report);
  turn->effects.known_epoch = report.highest_epoch;
  turn->effects.refunded = completion.not_deleted.size();
  context.count.reconcile_seconds.Add(turn->now() - started_);
  context.count.end_to_end_seconds.Add(turn->now() - queued_);
  RememberReport(*applying.plan, report, completion, turn, &result_);
  for (const Outcome& own : completion.outcomes) {
    if (own.target == envelope_.parent.ref) std::erase(parent_versions_, own.resource_version);
  }
  RequireWrites(context.key, *applying.plan, completion.outcomes, &gate_);
  child_writes_.TakeUncovered(gate_, &turn->effects.requeues);
  if (completion.unknown.empty()) return Conclude(turn);
  state_ = InDoubt{WatchedTargets(context.key, completion.unknown)};
  timer_ = EndOfDoubt(completion, applying.sent, turn->now(), context.key.options);
}

bool ReconcileRun::OnChildChange(const ObjectVersion& child, const std::string& reason) {
  basis_.OnChildChange();
  const auto* applying = std::get_if<Applying>(&state_);
  return child_writes_.Take(child, reason, applying ? applying->plan.get() : nullptr, gate_);
}

void ReconcileRun::Conclude(Turn* turn) {
  if (gate_.Check(turn->gate_view(), &turn->findings)) {
    const auto* waiting = std::get_if<WaitingForCache>(&state_);
    if (waiting) turn->context.count.gate_seconds.Add(turn->now() - waiting->since);
    timer_ = absl::InfiniteDuration();
    turn->effects.finished = true;
    return;
  }
  if (!std::holds_alternative<WaitingForCache>(state_)) {
    ++turn->context.count.gate_waits;
    state_ = WaitingForCache{turn->now()};
    timer_ = turn->now() + turn->context.key.options.gate_timeout;
  }
  turn->effects.waits = true;
}

// The reads will show earlier changes, but not those that arrive during the reads. Lists that are
// older than the reads may even lack earlier changes.
void ReconcileRun::SendReads(Turn* turn) {
  const RunContext& context = turn->context;
  auto& reads = std::get<LiveReads>(state_);
  if (!reads.sent()) {
    turn->effects.covers_changes = reads.purpose() == ReadPurpose::kAll ||
                                   (reads.purpose() == ReadPurpose::kLists && live_.empty());
    basis_.Read(context);
  }
  timer_ = absl::InfiniteDuration();
  reads.Send(context.key.cache, context.key.options.list_page, &context.sequences,
             &turn->effects.out);
  FinishReads(turn);  // there may be none
}

Effects ReconcileRun::On(const LiveArrived& input, const RunContext& context) {
  return In<LiveReads>(context, [&](LiveReads& reads, Turn* turn) {
    if (reads.Take(input)) FinishReads(turn);
  });
}

Effects ReconcileRun::On(const LiveFailed& input, const RunContext& context) {
  return In<LiveReads>(context, [&](LiveReads& reads, Turn* turn) {
    const LiveReads::Failure failed = reads.Fail(input);
    if (failed == LiveReads::Failure::kFailed || failed == LiveReads::Failure::kUnanswered) {
      turn->AddNote(Note::Level::kWarning, "Live read failed", Describe(input.failure));
    }
    if (failed != LiveReads::Failure::kFailed) return FinishReads(turn);
    const Options& options = context.key.options;
    timer_ = turn->now() + reads.RetryDelay({options.list_backoff_min, options.list_backoff_max},
                                            Seed(context.key.identity, context.id));
  });
}

// Writes in doubt are read until there is an answer. A run that waits to repeat other reads does
// not keep the turn of others.
void ReconcileRun::ContinueReads(bool has_turn, Turn* turn) {
  const RunContext& context = turn->context;
  auto& reads = std::get<LiveReads>(state_);
  if (reads.purpose() == ReadPurpose::kInDoubt) {
    reads.AdaptToFailures(context.key.cache);
    return SendReads(turn);
  }
  const bool enough = !has_turn && reads.exhausted();
  if (enough || !basis_.ParentExists(context) || !basis_.InTerm(context)) {
    return End(Next::kAgain, "the live reads failed or are not needed any more", turn);
  }
  if (has_turn) return SendReads(turn);
  wants_turn_ = true;
}

void ReconcileRun::FinishReads(Turn* turn) {
  const RunContext& context = turn->context;
  if (!std::get<LiveReads>(state_).done()) return;
  const LiveReads reads = std::move(std::get<LiveReads>(state_));
  timer_ = absl::InfiniteDuration();
  if (reads.purpose() == ReadPurpose::kInDoubt) {
    RequireInDoubt(context.key, reads, &gate_);
    return Conclude(turn);
  }
  if (context.key.parent() == nullptr || !basis_.InTerm(context) || !context.key.caches_ready()) {
    return End(Next::kAgain, "the parent, the leadership or the planner changed meanwhile", turn);
  }
  if (!TakeLive(context.key, reads, &live_, basis_.shown(), &gate_)) {  // the cache will show this
    for (const std::string& reason : reads.reasons) turn->effects.requeues.push_back(reason);
    state_ = WaitingForCache{turn->now()};
    timer_ = turn->now() + context.key.options.gate_timeout;
    return;
  }
  if (reads.purpose() == ReadPurpose::kAll) {
    result_ = {};
    parent_versions_.clear();
    read_for_planner_.clear();
  }
  Request(reads.reasons.empty() ? envelope_.reasons : reads.reasons, turn);
}

Effects ReconcileRun::OnCacheProgress(const RunContext& context) {
  return In<WaitingForCache>(context, [&](auto&, Turn* turn) { Conclude(turn); });
}

Effects ReconcileRun::OnTurn(const RunContext& context) {
  Turn turn(context, envelope_);
  wants_turn_ = false;
  if (std::holds_alternative<WaitingForCache>(state_)) {
    OnGateTimeout(/*has_turn=*/true, &turn);
  } else if (std::holds_alternative<LiveReads>(state_)) {
    ContinueReads(/*has_turn=*/true, &turn);
  }
  return turn.Close();
}

// A gate without waiting changes is only checked occasionally.
void ReconcileRun::OnGateTimeout(bool has_turn, Turn* turn) {
  const RunContext& context = turn->context;
  const CacheGate::View view = turn->gate_view();
  wants_turn_ = false;
  if (gate_.Check(view, &turn->findings) || gate_.DoubtDeletions(view, &turn->findings)) {
    return Conclude(turn);
  }
  const bool other_version = ParentWrittenBeside(context.record.status_version);
  const bool wanted = context.dirty || !turn->findings.vanished.empty() ||
                      result_.next == Next::kAgain || result_.news || other_version;
  if (!wanted) {
    const bool long_closed =
        turn->now() - std::get<WaitingForCache>(state_).since >= kIdleGateCheck;
    if (long_closed) gate_.DoubtAll(view, &turn->findings);
    timer_ = turn->now() + kIdleGateCheck;
    return;
  }
  wants_turn_ = context.may_send && !has_turn;
  if (!context.may_send || !has_turn) {
    timer_ = turn->now() + (wants_turn_ ? kIdleGateCheck : kLeadershipCheck);
    return;
  }
  ++context.count.gate_timeouts;
  turn->AddNote(Note::Level::kInfo, "Cache sync timed out", "the cache lags; reading live");
  state_ = LiveReads(ReadPurpose::kAll, LaggingObjects(context.key, gate_));
  SendReads(turn);
}

Effects ReconcileRun::OnTimer(const RunContext& context) {
  Turn turn(context, envelope_);
  timer_ = absl::InfiniteDuration();
  if (std::holds_alternative<Planning>(state_)) {
    FailPlan("no answer", NoPlan::kUnanswered, &turn);
  } else if (const auto* asking = std::get_if<Asking>(&state_)) {
    const HookFailure failure{HookFailureCode::kTimeout, "the gateway did not answer", {}};
    return On(HookAnswered{asking->sequence, {failure, "", false}}, context);
  } else if (const auto* applying = std::get_if<Applying>(&state_)) {
    ++context.count.timeouts;
    Complete(LostReport(*applying->plan, &turn), &turn);
  } else if (auto* doubt = std::get_if<InDoubt>(&state_)) {
    state_ = LiveReads(ReadPurpose::kInDoubt, std::move(doubt->objects));
    SendReads(&turn);
  } else if (std::holds_alternative<LiveReads>(state_)) {
    ContinueReads(/*has_turn=*/false, &turn);
  } else if (std::holds_alternative<WaitingForCache>(state_)) {
    OnGateTimeout(/*has_turn=*/false, &turn);
  }
  return turn.Close();
}

void ReconcileRun::OnQueued(const Options& options, absl::Duration now) {
  const auto* waiting = std::get_if<WaitingForCache>(&state_);
  if (waiting == nullptr || wants_turn_) return;
  timer_ = std::min(timer_, std::max(now, waiting->since + options.gate_timeout));
}

}  // namespace xebec::watcher
