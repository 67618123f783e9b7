// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/dispatcher.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/model/well_known.h"

namespace xebec::applier {
namespace {

constexpr size_t kRequestsPerTurn = 8;
constexpr size_t kEventShare = 4;  // events use at most this part of the budget
const RequestClass kEvents{"events.events.k8s.io", "create"};
const Refused kDraining{OutcomeCode::kNotStarted, "Draining", "this applier is stopping"};
const Refused kStreamEnded{OutcomeCode::kNotStarted, "StreamEnded", "the plan's stream ended"};

std::vector<std::string_view> Verbs(const Plan& plan) {
  constexpr std::string_view kNames[] = {"apply", "delete", "add_finalizer", "remove_finalizer",
                                         "ensure_secret"};
  std::vector<std::string_view> verbs;
  for (const Stage& stage : plan.stages) {
    for (const Operation& op : stage.operations) verbs.push_back(kNames[op.action.index()]);
  }
  verbs.push_back(kStatusOperation);
  return verbs;
}

}  // namespace

Dispatcher::Dispatcher(DispatcherOptions options)
    : options_(std::move(options)),
      assignment_(absl::StrCat(options_.lease_prefix, "assignment")),
      fence_(absl::StrCat(options_.lease_namespace, "/", assignment_)),
      deletions_(options_.policy.max_process_deletions, options_.policy.deletion_interval),
      leases_(options_.lease_namespace, assignment_),
      budget_(options_.budget),
      events_(options_.events),
      credits_(options_.credits_per_stream, options_.credits_total) {}

size_t Dispatcher::plans() const {
  size_t count = runs_.size() + fenced_.size();
  for (const auto& [uid, queue] : waiting_) count += queue.size();
  return count;
}

DispatcherOutputs Dispatcher::Flush(const Instant& now) {
  Pump(now);
  return std::exchange(out_, {});
}

uint64_t Dispatcher::Send(Flight flight, kube::ApiRequest request) {
  const uint64_t id = next_id_++;
  flights_.emplace(id, std::move(flight));
  out_.push_back(SendRequest{id, std::move(request)});
  return id;
}

DispatcherOutputs Dispatcher::Open(StreamKey stream) {
  DispatcherOutputs out;
  for (const auto& [key, count] : credits_.Open(stream)) out.push_back(GrantCredits{key, count});
  return out;
}

DispatcherOutputs Dispatcher::Submit(StreamKey stream, uint64_t ticket, Plan plan,
                                     std::string random, const Instant& now) {
  if (!draining_) {
    for (const auto& [key, count] : credits_.Use(stream)) out_.push_back(GrantCredits{key, count});
  }
  std::vector<std::string_view> verbs = Verbs(plan);
  Pending pending{stream,        ticket,          std::move(plan), std::move(random),
                  now.monotonic, std::move(verbs)};
  const Envelope& envelope = pending.plan.envelope;
  if (draining_) {
    Refuse(pending, kDraining, now);
  } else if (!credits_.IsOpen(stream)) {
    Refuse(pending, kStreamEnded, now);
  } else if (const auto late = fence_.CheckSequence(stream, envelope)) {
    Refuse(pending, {OutcomeCode::kFenced, late->reason, late->message}, now);
  } else if (const auto refusal = Admit(pending.plan, options_.policy)) {
    Refuse(pending, {OutcomeCode::kRefused, refusal->reason, refusal->message}, now);
  } else {
    const std::string parent = envelope.parent.uid;
    const auto [queue, first] = waiting_.try_emplace(parent);
    queue->second.push_back(std::move(pending));
    if (first) StartNext(parent, now);
  }
  return Flush(now);
}

void Dispatcher::Refuse(const Pending& pending, const Refused& refused, const Instant& now) {
  const uint64_t highest = fence_.HighestEpoch(pending.plan.envelope);
  EndPlan({pending.stream, pending.ticket, RefuseAll(pending.plan, refused, highest), pending.verbs,
           now.monotonic - pending.arrived});
}

void Dispatcher::EndPlan(PlanEnded ended) {
  StreamCredits::Ended credit = credits_.End(ended.stream);
  ended.returns_credit = credit.returned;
  out_.push_back(std::move(ended));
  if (draining_) return;
  for (const auto& [key, count] : credit.grants) out_.push_back(GrantCredits{key, count});
}

/// Starts the next plan of a parent of which no plan runs.
void Dispatcher::StartNext(const std::string& parent, const Instant& now) {
  const auto queue = waiting_.find(parent);
  if (queue == waiting_.end()) return;
  if (queue->second.empty()) {
    waiting_.erase(queue);
    return;
  }
  Pending next = std::move(queue->second.front());
  queue->second.pop_front();
  Begin(std::move(next), now);
}

void Dispatcher::Begin(Pending pending, const Instant& now) {
  const Envelope& envelope = pending.plan.envelope;
  const FenceAnswer answer = fence_.Check(envelope, now, pending.fenced_since);
  switch (answer.verdict) {
    case FenceAnswer::Verdict::kAdmit:
      StartRun(std::move(pending), now);
      if (fence_.WorthRenewing(now)) ReadLease(now);
      return;
    case FenceAnswer::Verdict::kRefuse: {
      const std::string parent = envelope.parent.uid;
      RefuseFenced(pending, answer, now);
      return StartNext(parent, now);
    }
    case FenceAnswer::Verdict::kReadLeaseFirst:
      if (!pending.fenced_since) pending.fenced_since = now.monotonic;
      fenced_.push_back(std::move(pending));
      return ReadLease(now);
  }
}

/// A plan that expired because the clock of this applier is wrong is not the watcher's fault.
void Dispatcher::RefuseFenced(const Pending& pending, const FenceAnswer& answer,
                              const Instant& now) {
  const bool expired = Expired(pending.plan.envelope, now);
  const std::optional<std::string> clock = expired ? health_.OnExpiredPlan(now) : std::nullopt;
  if (clock) return Refuse(pending, {OutcomeCode::kUnavailable, "ClockSkew", *clock}, now);
  Refuse(pending, {OutcomeCode::kFenced, answer.reason, answer.message}, now);
}

void Dispatcher::ReadLease(const Instant& now) {
  std::optional<kube::ApiRequest> request = leases_.Read(now.monotonic);
  if (request) Send(LeaseFlight{}, *std::move(request));
}

void Dispatcher::OnLease(const kube::ApiResponse& response, const Instant& now) {
  budget_.OnUncounted(response, now.monotonic);
  const LeaseReads::Verdict verdict = leases_.OnAnswer(response, now.monotonic, &fence_);
  switch (verdict.next) {
    case LeaseReads::Verdict::Next::kCheckAgain:
      health_.OnLease("");
      for (Pending& pending : std::exchange(fenced_, {})) Begin(std::move(pending), now);
      return;
    case LeaseReads::Verdict::Next::kWait:
      return;
    case LeaseReads::Verdict::Next::kFail:
      return FailWaiting(verdict.failure, now);
  }
}

void Dispatcher::FailWaiting(const LeaseFailure& failure, const Instant& now) {
  // An API server that is overloaded, or does not answer, says nothing about the assignment.
  if (failure.code == OutcomeCode::kUnavailable && failure.reason == kLeaseUnreadable &&
      !failure.retry_after) {
    health_.OnLease(failure.message);
  }
  for (const Pending& pending : std::exchange(fenced_, {})) {
    Refuse(pending, {failure.code, failure.reason, failure.message, failure.retry_after}, now);
    StartNext(pending.plan.envelope.parent.uid, now);
  }
}

void Dispatcher::StartRun(Pending pending, const Instant& now) {
  const std::optional<Refusal> too_many = AdmitDeletions(pending.plan, options_.policy);
  const size_t deletions = too_many ? 0 : CountDeletions(pending.plan);
  const auto reservation = deletions_.Reserve(deletions, now.monotonic);
  Running running{
      pending.stream, pending.ticket,
      PlanRun(std::move(pending.plan), options_.policy, std::move(pending.random), pending.arrived),
      pending.arrived, std::move(pending.verbs)};
  if (too_many) running.run.DeferDeletions(*too_many);
  if (!reservation) {
    running.run.DeferDeletions(
        {std::string(kDeletionDeferred),
         absl::StrCat("this applier has deleted ", deletions_.used(now.monotonic), " of ",
                      options_.policy.max_process_deletions, " objects within ",
                      absl::FormatDuration(options_.policy.deletion_interval),
                      " (maxProcessDeletions); the deletion is retried later")});
  }
  running.reservation = reservation.value_or(0);
  const uint64_t id = next_id_++;
  runs_.emplace(id, std::move(running));
  ready_.Push(id);
}

/// Sends the requests of one run, at most kRequestsPerTurn at a time so that large plans do not
/// delay small ones.
void Dispatcher::Step(uint64_t id, const Instant& now) {
  const auto found = runs_.find(id);
  if (found == runs_.end()) return;
  size_t left = kRequestsPerTurn;
  bool more = false;
  const auto take = [&](const RequestClass& name) {
    if (left == 0 || budget_.full()) {
      more = true;
      return false;
    }
    if (!budget_.TryTake(name)) {
      ready_.Block(id, name);
      return false;
    }
    --left;
    return true;
  };
  for (RunRequest& request : found->second.run.Next(now, take)) {
    Send(RunFlight{id, request.id, std::move(request.name)}, std::move(request.request));
  }
  if (more) ready_.Push(id);
  EndIfDone(id, now);
}

/// Ends the operations that can no longer be started, also of runs that wait for the budget.
void Dispatcher::ExpireRuns(const Instant& now) {
  std::vector<uint64_t> ids;
  for (auto& [id, running] : runs_) {
    running.run.Next(now, [](const RequestClass&) { return false; });
    ids.push_back(id);
  }
  for (const uint64_t id : ids) EndIfDone(id, now);
}

void Dispatcher::EndIfDone(uint64_t id, const Instant& now) {
  const auto found = runs_.find(id);
  if (found == runs_.end() || !found->second.run.Done()) return;
  Running running = std::move(found->second);
  runs_.erase(found);
  deletions_.Return(running.reservation, running.run.CountNotDeleted());
  const Envelope& envelope = running.run.envelope();
  if (options_.policy.events) {
    events_.Add(envelope, running.run.Events(), now);
  }
  const std::string parent = envelope.parent.uid;
  Report report = running.run.TakeReport();
  report.highest_epoch = fence_.HighestEpoch(report.envelope);
  EndPlan({running.stream, running.ticket, std::move(report), std::move(running.verbs),
           now.monotonic - running.arrived});
  StartNext(parent, now);
}

void Dispatcher::Pump(const Instant& now) {
  while (!budget_.full()) {
    const std::optional<uint64_t> id = ready_.Pop(budget_);
    if (!id) break;
    Step(*id, now);
  }
  PumpEvents(now);
}

size_t Dispatcher::EventsAllowed(const Instant& now) const {
  const size_t share = std::max<size_t>(1, budget_.allowed() / kEventShare);
  if (runs_.empty()) return share;
  switch (events_.UrgencyAt(now)) {
    case EventQueue::Urgency::kCanWait:
      return 0;
    case EventQueue::Urgency::kOverdue:
      return 1;
    case EventQueue::Urgency::kCrowded:
      break;
  }
  return share;
}

void Dispatcher::PumpEvents(const Instant& now) {
  if (aborted_) return events_.Drop();
  while (events_.HasNext() && events_in_flight_ < EventsAllowed(now) && budget_.TryTake(kEvents)) {
    EventRequest event = *events_.Pop();
    ++events_in_flight_;
    kube::ApiRequest request = event.request;
    Send(EventFlight{std::move(event)}, std::move(request));
  }
}

DispatcherOutputs Dispatcher::OnAnswer(uint64_t id, const kube::ApiResponse& response,
                                       absl::Duration latency, const Instant& now) {
  const auto found = flights_.find(id);
  if (found == flights_.end()) return {};
  const Flight flight = std::move(found->second);
  flights_.erase(found);
  health_.OnAnswer(response, latency, now);
  if (response.error != kube::TransportError::kNone) fence_.OnNoAnswer(now.monotonic);
  if (const auto* run = std::get_if<RunFlight>(&flight)) {
    OnRunAnswer(*run, response, latency, now);
  } else if (std::holds_alternative<LeaseFlight>(flight)) {
    OnLease(response, now);
  } else {
    budget_.OnAnswer(kEvents, response, latency, now.monotonic);
    --events_in_flight_;
    events_.OnAnswer(std::get<EventFlight>(flight).event, response, now);
  }
  return Flush(now);
}

void Dispatcher::OnRunAnswer(const RunFlight& flight, const kube::ApiResponse& response,
                             absl::Duration latency, const Instant& now) {
  budget_.OnAnswer(flight.name, response, latency, now.monotonic);
  const auto run = runs_.find(flight.run);
  if (run == runs_.end()) return;
  run->second.run.On(flight.request, response, now);
  ready_.Push(flight.run);
}

DispatcherOutputs Dispatcher::Tick(const Instant& now) {
  ExpireRuns(now);
  if (leases_.Due(now.monotonic) || (!draining_ && health_.NeedsProbe(now))) ReadLease(now);
  events_.Tick(now);
  return Flush(now);
}

void Dispatcher::DropWaiting(StreamKey stream, const Instant& now) {
  const auto drop = [&](const Pending& p) {
    const bool drops = p.stream == stream;
    if (drops) Refuse(p, kStreamEnded, now);
    return drops;
  };
  for (auto& [uid, queue] : waiting_) std::erase_if(queue, drop);
  std::vector<std::string> released;
  for (const Pending& p : fenced_) {
    if (p.stream == stream) released.push_back(p.plan.envelope.parent.uid);
  }
  std::erase_if(fenced_, drop);
  for (const std::string& parent : released) StartNext(parent, now);
}

DispatcherOutputs Dispatcher::Close(StreamKey stream, const Instant& now) {
  fence_.ForgetStream(stream);
  for (const auto& [key, count] : credits_.Close(stream)) out_.push_back(GrantCredits{key, count});
  DropWaiting(stream, now);
  for (auto& [id, running] : runs_) {
    if (running.stream != stream) continue;
    running.run.Abort();
    ready_.Push(id);
  }
  return Tick(now);
}

DispatcherOutputs Dispatcher::AbortAll(const Instant& now) {
  Drain();
  aborted_ = true;
  for (auto& [uid, queue] : waiting_) {
    for (const Pending& pending : std::exchange(queue, {})) {
      Refuse(pending, kDraining, now);
    }
  }
  for (const Pending& pending : std::exchange(fenced_, {})) {
    Refuse(pending, kDraining, now);
    StartNext(pending.plan.envelope.parent.uid, now);
  }
  for (auto& [id, running] : runs_) {
    running.run.Abort("this applier is stopping");
    ready_.Push(id);
  }
  return Tick(now);
}

}  // namespace xebec::applier
