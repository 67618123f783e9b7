// SPDX-License-Identifier: Apache-2.0
#include "hooks/engine/hook_line.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"

namespace xebec::gateway {
namespace {

constexpr absl::Duration kNever = absl::InfiniteDuration();
constexpr absl::Duration kRetryWhenFull = absl::Seconds(1);

}  // namespace

HookLine::HookLine(uint64_t id, std::string operator_name, HookEndpoint endpoint)
    : id_(id), operator_name_(std::move(operator_name)), endpoint_(std::move(endpoint)) {
  state_.message = "the gateway has no answer of the hook yet";
}

HookFailure HookLine::TimedOut(const Turn& turn, const Call& call) const {
  return TimeoutFailure(
      {Describe(endpoint_), "", call.deadline - call.begun, turn.limits.max_answer_bytes});
}

void HookLine::Sync(const Turn& turn, SyncCall call) {
  used_at_ = turn.now;
  if (call.again) turn.cache->Forget(id_, state_.revision, std::exchange(call.digest, {}));
  const size_t bytes = call.request.size();
  if (phase_ == Phase::kFailed && opening_ == 0 && turn.now < open_at_) {
    return Refuse(turn, call, failure_);
  }
  if (waiting_ >= turn.limits.waiting || waiting_bytes_ + bytes > turn.limits.waiting_bytes) {
    const std::string message = absl::StrCat(waiting_, " calls wait for the hook at ",
                                             Describe(endpoint_), "; it answers too slowly");
    return Refuse(turn, call, {HookFailureCode::kThrottled, message, kRetryWhenFull});
  }
  const absl::Duration timeout = std::min(call.timeout, turn.limits.longest_call);
  const uint64_t id = ++ids_;
  calls_[id] = {call.ticket, std::move(call.request), std::move(call.digest),
                turn.now,    turn.now + timeout,      bytes};
  deadlines_.emplace(turn.now + timeout, id);
  queue_.push_back(id);
  ++waiting_;
  waiting_bytes_ += bytes;
  if (phase_ != Phase::kReady) return Need(turn);
  if (!AnswerFromCache(turn, id)) Dispatch(turn);
}

void HookLine::Poll(const Turn& turn, const Ticket& ticket, const HookState& known,
                    absl::Duration timeout) {
  used_at_ = turn.now;
  const uint64_t id = ++ids_;
  const absl::Duration deadline = turn.now + std::min(timeout, turn.limits.longest_poll);
  polls_[id] = {ticket, known, turn.now, deadline};
  deadlines_.emplace(deadline, id);
  const bool determined = phase_ == Phase::kReady || phase_ == Phase::kFailed;
  if (determined && state_ != known) return ReplyState(turn, id);
  Need(turn);
}

void HookLine::Forget(const Turn& turn, uint64_t stream) {
  std::vector<uint64_t> gone;
  for (const auto& [id, poll] : polls_) {
    if (poll.ticket.stream == stream) gone.push_back(id);
  }
  for (const uint64_t id : gone) {
    deadlines_.erase({polls_[id].deadline, id});
    polls_.erase(id);
  }
  gone.clear();
  for (const auto& [id, call] : calls_) {
    if (call.ticket.stream == stream) gone.push_back(id);
  }
  for (const uint64_t id : gone) {
    const Call& call = calls_[id];
    deadlines_.erase({call.deadline, id});
    if (call.sent) {
      turn.out->push_back(CancelSend{id_, id});
      --in_flight_;
    } else {
      --waiting_;
      waiting_bytes_ -= call.bytes;
    }
    calls_.erase(id);
  }
  if (phase_ == Phase::kReady) Dispatch(turn);
}

void HookLine::StartOpen(const Turn& turn) {
  if (opening_ != 0) return;
  opening_ = ++connections_;
  open_at_ = kNever;
  turn.out->push_back(Open{id_, opening_, operator_name_, endpoint_});
}

/// Starts a connection if something waits for one and none is on its way.
void HookLine::Need(const Turn& turn) {
  if (opening_ != 0 || phase_ == Phase::kReady) return;
  if (phase_ == Phase::kClosed) {
    phase_ = Phase::kOpening;
    open_at_ = turn.now;
  }
  if (open_at_ <= turn.now) StartOpen(turn);
}

/// Opens another connection beside the one in use, to see whether the hook answers.
void HookLine::Probe(const Turn& turn) {
  if (opening_ != 0 || turn.now < opened_at_ + turn.limits.reopen_interval) return;
  StartOpen(turn);
}

void HookLine::Opened(const Turn& turn, uint64_t connection, const OpenResult& result) {
  if (connection != opening_) return;
  opening_ = 0;
  opened_at_ = turn.now;
  timeouts_ = 0;
  if (const auto* failure = std::get_if<HookFailure>(&result)) {
    phase_ = Phase::kFailed;
    connection_ = 0;
    failure_ = *failure;
    state_.available = false;
    state_.message = failure->message;
    backoff_ = std::clamp(backoff_ * 2, turn.limits.backoff_min, turn.limits.backoff_max);
    open_at_ = turn.now + std::max(backoff_, failure->retry_after.value_or(backoff_));
    FailWaiting(turn, failure_);
    return AnswerPolls(turn);
  }
  phase_ = Phase::kReady;
  connection_ = connection;
  Described(turn, std::get<HookDescription>(result).revision);
  backoff_ = absl::ZeroDuration();
  open_at_ = over_http() ? turn.now + turn.limits.describe_interval : kNever;
  AnswerPolls(turn);
  Dispatch(turn);
}

/// A call over HTTP may go to another process than Describe. Until two answers in a row name the
/// same new revision, the hook is being replaced: no answer is kept, and the revision is the old
/// one.
void HookLine::Described(const Turn& turn, const std::string& revision) {
  if (revision != state_.revision) turn.cache->Drop(id_);
  const bool replaced = over_http() && !state_.revision.empty() && revision != described_;
  described_ = revision;
  state_ = {true, replaced ? state_.revision : revision, ""};
}

/// Returns true if the call was sent to the program that answers later calls, too.
bool HookLine::IsOfThisProgram(const Call& call) const {
  return !call.revision.empty() && call.revision == state_.revision && call.revision == described_;
}

void HookLine::Lost(const Turn& turn, uint64_t connection) {
  if (connection != connection_ || phase_ != Phase::kReady) return;
  connection_ = 0;
  // The state stays until the next attempt: hooks close connections of a certain age.
  phase_ = Phase::kOpening;
  open_at_ = std::max(turn.now, opened_at_ + turn.limits.reopen_interval);
  if (opening_ != 0) return;
  if (!wanted()) {
    phase_ = Phase::kClosed;
    open_at_ = kNever;
  } else if (open_at_ <= turn.now) {
    StartOpen(turn);
  }
}

void HookLine::Answered(const Turn& turn, uint64_t call, CallResult result) {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return;
  if (auto* answer = std::get_if<Answer>(&result)) {
    timeouts_ = 0;
    const Call& its = found->second;
    if (!answer->error && !its.digest.empty() && IsOfThisProgram(its) && connected()) {
      turn.cache->Keep(id_, its.revision, its.digest, answer->response);
    }
    Reply(turn, call, {std::move(answer->response), its.revision, false}, answer->error);
  } else {
    auto& failure = std::get<HookFailure>(result);
    const HookFailureCode code = failure.code;
    // The connection knows only the time that was left.
    if (code == HookFailureCode::kTimeout) failure = TimedOut(turn, found->second);
    Reply(turn, call, {std::move(failure), found->second.revision, false}, false);
    if (code == HookFailureCode::kTimeout) ++timeouts_;
    if (code == HookFailureCode::kUnavailable && over_http()) Probe(turn);
  }
  if (timeouts_ >= turn.limits.suspicious_timeouts) Probe(turn);
  if (phase_ == Phase::kReady) Dispatch(turn);
}

void HookLine::Tick(const Turn& turn) {
  while (!deadlines_.empty() && deadlines_.begin()->first <= turn.now) {
    const uint64_t id = deadlines_.begin()->second;
    if (polls_.contains(id)) {
      ReplyState(turn, id);
    } else {
      Expire(turn, id);
    }
  }
  if (timeouts_ >= turn.limits.suspicious_timeouts) Probe(turn);
  if (open_at_ <= turn.now && wanted()) StartOpen(turn);
  if (phase_ == Phase::kReady) Dispatch(turn);
}

absl::Duration HookLine::due(const Limits& limits) const {
  absl::Duration next = deadlines_.empty() ? kNever : deadlines_.begin()->first;
  if (idle()) next = used_at_ + limits.unused;
  if (wanted() && opening_ == 0) next = std::min(next, open_at_);
  return next;
}

bool HookLine::Unused(const Turn& turn) const {
  return idle() && used_at_ + turn.limits.unused <= turn.now;
}

void HookLine::Dispatch(const Turn& turn) {
  while (!queue_.empty() && in_flight_ < turn.limits.concurrency) {
    const uint64_t id = queue_.front();
    queue_.pop_front();
    const auto found = calls_.find(id);
    if (found == calls_.end() || AnswerFromCache(turn, id)) continue;
    Push(id, turn);
  }
}

void HookLine::Push(uint64_t id, const Turn& turn) {
  Call& call = calls_[id];
  call.sent = true;
  call.revision = state_.revision;
  --waiting_;
  waiting_bytes_ -= call.bytes;
  ++in_flight_;
  turn.out->push_back(Send{id_, id, std::exchange(call.request, {}), call.deadline - turn.now});
}

bool HookLine::AnswerFromCache(const Turn& turn, uint64_t id) {
  const Call& call = calls_[id];
  if (call.digest.empty() || state_.revision.empty()) return false;
  std::optional<std::string> answer = turn.cache->Find(id_, state_.revision, call.digest);
  if (!answer) return false;
  Reply(turn, id, {*std::move(answer), state_.revision, true}, false);
  return true;
}

void HookLine::FailWaiting(const Turn& turn, const HookFailure& failure) {
  const std::deque<uint64_t> queue = std::exchange(queue_, {});
  for (const uint64_t id : queue) {
    if (calls_.contains(id)) Reply(turn, id, {failure, state_.revision, false}, false);
  }
}

void HookLine::AnswerPolls(const Turn& turn) {
  std::vector<uint64_t> changed;
  for (const auto& [id, poll] : polls_) {
    if (poll.known != state_) changed.push_back(id);
  }
  for (const uint64_t id : changed) ReplyState(turn, id);
}

void HookLine::Expire(const Turn& turn, uint64_t id) {
  const Call& call = calls_[id];
  HookFailure failure = TimedOut(turn, call);
  if (call.sent) {
    turn.out->push_back(CancelSend{id_, id});
    ++timeouts_;
  } else if (phase_ == Phase::kReady) {
    absl::StrAppend(&failure.message, "; the call waited because ", in_flight_,
                    " calls were in flight");
  } else {
    absl::StrAppend(&failure.message, "; no connection was made in this time");
  }
  Reply(turn, id, {std::move(failure), RevisionOf(call), false}, false);
}

void HookLine::Reply(const Turn& turn, uint64_t id, HookReply reply, bool error) {
  const Call& call = calls_[id];
  deadlines_.erase({call.deadline, id});
  if (call.sent) {
    --in_flight_;
  } else {
    --waiting_;
    waiting_bytes_ -= call.bytes;
  }
  turn.out->push_back(
      SendReply{call.ticket, std::move(reply), operator_name_, turn.now - call.begun, error});
  calls_.erase(id);
}

void HookLine::Refuse(const Turn& turn, const SyncCall& call, HookFailure failure) const {
  turn.out->push_back(SendReply{call.ticket,
                                {std::move(failure), state_.revision, false},
                                operator_name_,
                                absl::ZeroDuration(),
                                false});
}

void HookLine::ReplyState(const Turn& turn, uint64_t id) {
  const Poller& poll = polls_[id];
  deadlines_.erase({poll.deadline, id});
  turn.out->push_back(SendReply{
      poll.ticket, {state_, state_.revision, false}, operator_name_, turn.now - poll.begun, false});
  polls_.erase(id);
}

}  // namespace xebec::gateway
