// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/dispatcher.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "applier/engine/refusal.h"
#include "applier/engine/request_builder.h"
#include "common/base/strings.h"
#include "common/kube/api_status.h"
#include "common/kube/lease.h"
#include "common/model/well_known.h"

namespace xebec::applier {
namespace {

constexpr size_t kWritesPerTurn = 8;
constexpr size_t kEventShare = 4;  // events take at most this part of the write budget

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
      deletions_(options_.policy.max_process_deletions, options_.policy.deletion_interval),
      budget_(options_.budget),
      events_(options_.events),
      credits_(options_.credits_per_stream, options_.credits_total) {}

size_t Dispatcher::plans() const {
  size_t count = runs_.size();
  for (const auto& [uid, queue] : waiting_) count += queue.size();
  for (const auto& [bucket, plans] : fenced_) count += plans.size();
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
  std::vector<std::string_view> verbs = Verbs(plan);
  Pending pending{stream, ticket, std::move(plan), std::move(random), now.monotonic, verbs};
  const Envelope& envelope = pending.plan.envelope;
  if (draining_) {
    Refuse(pending, OutcomeCode::kNotStarted, "Draining", "this applier is being stopped", now);
  } else if (const auto late = fence_.CheckSequence(stream, envelope)) {
    Refuse(pending, OutcomeCode::kFenced, late->reason, late->message, now);
  } else if (const auto refusal = Admit(pending.plan, options_.policy)) {
    Refuse(pending, OutcomeCode::kRefused, refusal->reason, refusal->message, now);
  } else {
    const std::string parent = envelope.parent.uid;
    const auto [queue, first] = waiting_.try_emplace(parent);
    queue->second.push_back(std::move(pending));
    if (first) Turn(parent, now);
  }
  return Flush(now);
}

void Dispatcher::Refuse(const Pending& pending, OutcomeCode code, std::string_view reason,
                        std::string_view message, const Instant& now) {
  const uint64_t highest = fence_.HighestEpoch(pending.plan.envelope.bucket);
  out_.push_back(PlanEnded{pending.stream, pending.ticket,
                           RefuseAll(pending.plan, code, reason, message, highest), pending.verbs,
                           now.monotonic - pending.arrived});
}

/// The next plan of a parent of which nothing runs.
void Dispatcher::Turn(const std::string& parent, const Instant& now) {
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
    case FenceAnswer::Verdict::kAdmit: {
      const uint32_t bucket = envelope.bucket;
      StartRun(std::move(pending), now);
      if (fence_.WorthRenewing(bucket, now)) ReadLease(bucket, now);
      return;
    }
    case FenceAnswer::Verdict::kRefuse: {
      const std::string parent = envelope.parent.uid;
      Refuse(pending, OutcomeCode::kFenced, answer.reason, answer.message, now);
      return Turn(parent, now);
    }
    case FenceAnswer::Verdict::kReadLeaseFirst: {
      const uint32_t bucket = envelope.bucket;
      if (!pending.fenced_since) pending.fenced_since = now.monotonic;
      fenced_[bucket].push_back(std::move(pending));
      return ReadLease(bucket, now);
    }
  }
}

void Dispatcher::ReadLease(uint32_t bucket, const Instant& now) {
  const bool reading = std::any_of(flights_.begin(), flights_.end(), [&](const auto& flight) {
    const auto* lease = std::get_if<LeaseFlight>(&flight.second);
    return lease != nullptr && lease->bucket == bucket;
  });
  if (reading) return;
  const ObjectRef ref{kube::LeaseType(), options_.lease_namespace,
                      absl::StrCat(options_.lease_prefix, bucket)};
  Send(LeaseFlight{bucket, now.monotonic}, GetRequest(ref));
}

void Dispatcher::OnLease(const LeaseFlight& flight, const kube::ApiResponse& response,
                         const Instant& now) {
  std::string failure;
  if (response.error != kube::TransportError::kNone) {
    failure = response.error_message;
  } else if (response.status == 404) {
    fence_.OnLease(flight.bucket, {false, 0}, flight.asked);
  } else if (response.status != 200) {
    failure =
        absl::StrCat("HTTP ", response.status, " ", kube::ParseApiStatus(response.body).message);
  } else if (const auto lease = kube::DecodeLease(response.body); lease.ok()) {
    fence_.OnLease(flight.bucket, {true, lease->transitions}, flight.asked);
  } else {
    failure = std::string(ToStd(lease.status().message()));
  }
  for (Pending& pending : std::exchange(fenced_[flight.bucket], {})) {
    if (failure.empty()) {
      Begin(std::move(pending), now);
      continue;
    }
    const std::string parent = pending.plan.envelope.parent.uid;
    Refuse(pending, OutcomeCode::kNotStarted, "LeaseUnreadable",
           absl::StrCat("the Lease ", options_.lease_namespace, "/", options_.lease_prefix,
                        flight.bucket,
                        " that tells which watcher is in charge could not be read: ", failure),
           now);
    Turn(parent, now);
  }
}

void Dispatcher::StartRun(Pending pending, const Instant& now) {
  const std::optional<Refusal> too_many = AdmitDeletions(pending.plan, options_.policy);
  const size_t deletions = too_many ? 0 : CountDeletions(pending.plan);
  const bool room = deletions_.Reserve(deletions, now.monotonic);
  Running running{pending.stream, pending.ticket,
                  PlanRun(std::move(pending.plan), options_.policy, std::move(pending.random)),
                  pending.arrived, std::move(pending.verbs)};
  if (too_many) running.run.DeferDeletions(*too_many);
  if (!room) {
    running.run.DeferDeletions(
        {std::string(kDeletionDeferred),
         absl::StrCat("this applier has deleted ", deletions_.used(now.monotonic), " of ",
                      options_.policy.max_process_deletions, " objects within ",
                      absl::FormatDuration(options_.policy.deletion_interval),
                      " (maxProcessDeletions); the deletion is tried again later")});
  }
  running.reserved_deletions = room ? deletions : 0;
  const uint64_t id = next_id_++;
  runs_.emplace(id, std::move(running));
  MakeReady(id);
}

void Dispatcher::MakeReady(uint64_t id) {
  const auto run = runs_.find(id);
  if (run == runs_.end() || run->second.ready) return;
  run->second.ready = true;
  ready_.push_back(id);
}

void Dispatcher::Step(uint64_t id, size_t max_writes, const Instant& now) {
  const auto found = runs_.find(id);
  if (found == runs_.end()) return;
  size_t writes = 0;
  for (RunRequest& request : found->second.run.Next(now, max_writes)) {
    if (request.is_write) {
      budget_.OnSent();
      ++writes;
    }
    Send(RunFlight{id, request.id, request.is_write}, std::move(request.request));
  }
  if (writes > 0 && writes == max_writes) MakeReady(id);  // it may have more
  EndIfDone(id, now);
}

void Dispatcher::EndIfDone(uint64_t id, const Instant& now) {
  const auto found = runs_.find(id);
  if (found == runs_.end() || !found->second.run.Done()) return;
  Running running = std::move(found->second);
  runs_.erase(found);
  deletions_.Return(running.reserved_deletions -
                    std::min(running.reserved_deletions, running.run.deletions()));
  const Envelope& envelope = running.run.envelope();
  if (options_.policy.events) {
    events_.Add(envelope, running.run.Events(), now);
  }
  const std::string parent = envelope.parent.uid;
  Report report = running.run.TakeReport();
  report.highest_epoch = fence_.HighestEpoch(report.envelope.bucket);
  out_.push_back(PlanEnded{running.stream, running.ticket, std::move(report),
                           std::move(running.verbs), now.monotonic - running.arrived});
  Turn(parent, now);
}

void Dispatcher::Pump(const Instant& now) {
  while (!ready_.empty() && budget_.Available() > 0) {
    const uint64_t id = ready_.front();
    ready_.pop_front();
    if (const auto run = runs_.find(id); run != runs_.end()) run->second.ready = false;
    Step(id, std::min(budget_.Available(), kWritesPerTurn), now);
  }
  PumpEvents();
}

void Dispatcher::PumpEvents() {
  if (aborted_) return events_.Drop();
  const size_t share = std::max<size_t>(1, budget_.allowed() / kEventShare);
  while (ready_.empty() && budget_.Available() > 0 && events_in_flight_ < share) {
    std::optional<EventRequest> event = events_.Pop();
    if (!event) return;
    budget_.OnSent();
    ++events_in_flight_;
    Send(EventFlight{std::move(event->name)}, std::move(event->request));
  }
}

DispatcherOutputs Dispatcher::OnAnswer(uint64_t id, const kube::ApiResponse& response,
                                       absl::Duration latency, const Instant& now) {
  const auto found = flights_.find(id);
  if (found == flights_.end()) return {};
  const Flight flight = std::move(found->second);
  flights_.erase(found);
  if (const auto* run = std::get_if<RunFlight>(&flight)) {
    OnRunAnswer(*run, response, latency, now);
  } else if (const auto* lease = std::get_if<LeaseFlight>(&flight)) {
    OnLease(*lease, response, now);
  } else {
    budget_.OnResponse(latency, response.status, now.monotonic);
    --events_in_flight_;
    events_.OnAnswer(std::get<EventFlight>(flight).name, response);
  }
  return Flush(now);
}

void Dispatcher::OnRunAnswer(const RunFlight& flight, const kube::ApiResponse& response,
                             absl::Duration latency, const Instant& now) {
  if (flight.is_write) budget_.OnResponse(latency, response.status, now.monotonic);
  const auto run = runs_.find(flight.run);
  if (run == runs_.end()) return;
  run->second.run.On(flight.request, response, now);
  MakeReady(flight.run);
}

DispatcherOutputs Dispatcher::Tick(const Instant& now) {
  for (const uint64_t id : std::deque<uint64_t>(ready_)) Step(id, 0, now);  // ends what expired
  events_.Tick(now);
  return Flush(now);
}

void Dispatcher::DropWaiting(StreamKey stream, const uint64_t* ticket, const Instant& now) {
  const auto matches = [&](const Pending& p) {
    return p.stream == stream && (ticket == nullptr || p.ticket == *ticket);
  };
  const auto drop = [&](const Pending& p) {
    const bool drops = matches(p);
    if (drops) {
      Refuse(p, OutcomeCode::kNotStarted, "StreamEnded", "the plan's stream ended", now);
    }
    return drops;
  };
  for (auto& [uid, queue] : waiting_) std::erase_if(queue, drop);
  std::vector<std::string> released;
  for (auto& [bucket, plans] : fenced_) {
    for (const Pending& p : plans) {
      if (matches(p)) released.push_back(p.plan.envelope.parent.uid);
    }
    std::erase_if(plans, drop);
  }
  for (const std::string& parent : released) Turn(parent, now);
}

DispatcherOutputs Dispatcher::Close(StreamKey stream, const Instant& now) {
  fence_.ForgetStream(stream);
  for (const auto& [key, count] : credits_.Close(stream)) out_.push_back(GrantCredits{key, count});
  DropWaiting(stream, nullptr, now);
  for (auto& [id, running] : runs_) {
    if (running.stream != stream) continue;
    running.run.Abort();
    MakeReady(id);
  }
  return Tick(now);
}

DispatcherOutputs Dispatcher::Cancel(StreamKey stream, uint64_t ticket, const Instant& now) {
  DropWaiting(stream, &ticket, now);
  for (auto& [id, running] : runs_) {
    if (running.stream != stream || running.ticket != ticket) continue;
    running.run.Abort();
    MakeReady(id);
  }
  return Tick(now);
}

DispatcherOutputs Dispatcher::AbortAll(const Instant& now) {
  Drain();
  aborted_ = true;
  for (auto& [uid, queue] : waiting_) {
    for (const Pending& pending : std::exchange(queue, {})) {
      Refuse(pending, OutcomeCode::kNotStarted, "Draining", "this applier is being stopped", now);
    }
  }
  for (const auto& [bucket, plans] : std::exchange(fenced_, {})) {
    for (const Pending& pending : plans) {
      Refuse(pending, OutcomeCode::kNotStarted, "Draining", "this applier is being stopped", now);
      Turn(pending.plan.envelope.parent.uid, now);
    }
  }
  for (auto& [id, running] : runs_) {
    running.run.Abort("this applier is being stopped");
    MakeReady(id);
  }
  return Tick(now);
}

}  // namespace xebec::applier
