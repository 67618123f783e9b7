// SPDX-License-Identifier: Apache-2.0
// ReconcileRun: the live reads.
#include <algorithm>

#include "watcher/engine/backoff.h"
#include "watcher/engine/reconcile/observe.h"
#include "watcher/engine/reconcile/reconcile_run.h"
#include "watcher/engine/reconcile/requirements.h"

namespace xebec::watcher {
namespace {

constexpr uint32_t kMaxReadFailures = 10;

}  // namespace

// The reads will show earlier changes, but not those that arrive during the reads. Lists that are
// older than the reads may even lack earlier changes.
void ReconcileRun::BeginReads(Turn* turn) {
  const ReadPurpose purpose = std::get<LiveReads>(state_).purpose();
  turn->effects.covers_changes =
      purpose == ReadPurpose::kAll || (purpose == ReadPurpose::kLists && live_.empty());
  basis_.Read(turn->context);
  SendReads(turn);
}

void ReconcileRun::StartReads(ReadPurpose purpose, std::vector<ObjectRef> refs, Turn* turn) {
  state_ = LiveReads(purpose, std::move(refs));
  BeginReads(turn);
}

// A run that waits to repeat failed reads does not keep the turn of others.
void ReconcileRun::OnReadTurn(Turn* turn) {
  const RunContext& context = turn->context;
  if (!basis_.ParentExists(context) || !basis_.InTerm(context)) return FailReads(turn);
  std::get<LiveReads>(state_).sent() ? SendReads(turn) : BeginReads(turn);
}

void ReconcileRun::FailReads(Turn* turn) {
  read_failures_ = 0;
  End(Next::kAgain, "the live reads failed or are not needed any more", turn);
}

void ReconcileRun::SendReads(Turn* turn) {
  const RunContext& context = turn->context;
  timer_ = absl::InfiniteDuration();
  // A response that breaks off may be too large or too slow.
  const uint32_t halvings = std::min(read_failures_, kMaxReadFailures);
  const uint32_t page = std::max(1u, context.key.options.list_page >> halvings);
  std::get<LiveReads>(state_).Send(context.key.cache, page, &context.sequences, &turn->effects.out);
  FinishReads(turn);  // there may be none
}

Effects ReconcileRun::On(const LiveArrived& input, const RunContext& context) {
  return In<LiveReads>(context, [&](LiveReads& reads, Turn* turn) {
    if (reads.Take(input)) FinishReads(turn);
  });
}

Effects ReconcileRun::On(const LiveFailed& input, const RunContext& context) {
  return In<LiveReads>(context, [&](LiveReads& reads, Turn* turn) {
    if (!reads.Fail(input)) return;
    if (input.failure.http_status == kHttpNotFound) return FinishReads(turn);
    turn->AddNote(Note::Level::kWarning, "Live read failed", Describe(input.failure));
    const Options& options = context.key.options;
    const Backoff backoff{options.list_backoff_min, options.list_backoff_max};
    timer_ = turn->now() +
             BackoffDelay(backoff, read_failures_++, Seed(context.key.identity, context.id));
  });
}

void ReconcileRun::RetryReads(Turn* turn) {
  const RunContext& context = turn->context;
  auto& reads = std::get<LiveReads>(state_);
  const bool enough = read_failures_ >= kMaxReadFailures;
  if (reads.purpose() == ReadPurpose::kInDoubt) {
    reads.SkipUnavailable(context.key.cache);
    if (enough) reads.UseLists();
    return SendReads(turn);
  }
  if (enough || !basis_.ParentExists(context) || !basis_.InTerm(context)) return FailReads(turn);
  wants_turn_ = true;
}

void ReconcileRun::FinishReads(Turn* turn) {
  const RunContext& context = turn->context;
  if (!std::get<LiveReads>(state_).done()) return;
  const LiveReads reads = std::move(std::get<LiveReads>(state_));
  read_failures_ = 0;
  timer_ = absl::InfiniteDuration();
  if (reads.purpose() == ReadPurpose::kInDoubt) {
    RequireInDoubt(context.key, reads, &gate_);
    return Conclude(turn);
  }
  if (context.key.parent() == nullptr || !basis_.InTerm(context) || !context.key.caches_ready()) {
    return End(Next::kAgain, "the parent, the leadership or the planner changed meanwhile", turn);
  }
  if (reads.purpose() == ReadPurpose::kAll) {
    if (!TakeLiveParent(context.key, reads, &live_, &gate_)) {  // the cache will show this
      for (const std::string& reason : reads.reasons) turn->effects.requeues.push_back(reason);
      state_ = WaitingForCache{turn->now()};
      timer_ = turn->now() + context.key.options.gate_timeout;
      return;
    }
    result_ = {};
    parent_versions_.clear();
    read_lists_ = false;
    TakeLiveObjects(context.key, reads, &live_, basis_.shown(), &gate_);
  }
  TakeLiveLists(context.key, reads, &live_, basis_.shown(), &gate_);
  Request(reads.reasons.empty() ? envelope_.reasons : reads.reasons, turn);
}

}  // namespace xebec::watcher
