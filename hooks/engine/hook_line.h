// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "common/model/hook.h"
#include "hooks/engine/answer_cache.h"
#include "hooks/engine/failures.h"
#include "hooks/engine/limits.h"
#include "hooks/engine/messages.h"

namespace xebec::gateway {

/// The context of one input of the engine.
struct Turn {
  absl::Duration now;  ///< Monotonic.
  const Limits& limits;
  AnswerCache* cache;
  Outputs* out;
};

/// A Sync call that arrived.
struct SyncCall {
  Ticket ticket;
  std::string request;
  std::string digest;  ///< Of the request. Empty: the answer is not kept.
  absl::Duration timeout;
  bool again = false;  ///< The hook itself must answer; a known answer is dropped.
};

/// The line to one hook of one operator: the connection, the calls in flight and waiting, and the
/// Describe calls that wait for a change. A value.
class HookLine {
 public:
  HookLine(uint64_t id, std::string operator_name, HookEndpoint endpoint);

  void Sync(const Turn& turn, SyncCall call);
  /// A Describe call: replies when the state differs from `known`, or after `timeout`.
  void Poll(const Turn& turn, const Ticket& ticket, const HookState& known, absl::Duration timeout);
  /// The stream has ended: its calls get no reply.
  void Forget(const Turn& turn, uint64_t stream);

  void Opened(const Turn& turn, uint64_t connection, const OpenResult& result);
  /// The connection broke or was closed by the hook.
  void Lost(const Turn& turn, uint64_t connection);
  void Answered(const Turn& turn, uint64_t call, CallResult result);
  void Tick(const Turn& turn);

  /// The time of the next Tick.
  absl::Duration due(const Limits& limits) const;
  /// True if no call uses the line.
  bool idle() const { return calls_.empty() && polls_.empty(); }
  absl::Duration used_at() const { return used_at_; }
  /// True if nothing has used the line for a while.
  bool Unused(const Turn& turn) const;
  size_t in_flight() const { return in_flight_; }
  size_t waiting() const { return waiting_; }
  bool connected() const { return phase_ == Phase::kReady; }
  const std::string& operator_name() const { return operator_name_; }

 private:
  enum class Phase {
    kClosed,   ///< No connection, and nothing is known.
    kOpening,  ///< Calls wait for the first or the next connection.
    kReady,    ///< The hook is described. Another connection may be opening.
    kFailed,   ///< The last attempt failed. Another one may be opening.
  };
  struct Call {
    Ticket ticket;
    std::string request;  ///< Empty once it is sent.
    std::string digest;
    absl::Duration begun, deadline;
    size_t bytes = 0;
    bool sent = false;
    std::string revision;  ///< Once it is sent: of the program to which it is sent.
  };
  struct Poller {
    Ticket ticket;
    HookState known;
    absl::Duration begun, deadline;
  };

  HookFailure TimedOut(const Turn& turn, const Call& call) const;
  bool over_http() const { return endpoint_.protocol == HookProtocol::kHttp; }
  bool wanted() const { return !polls_.empty() || waiting_ > 0; }
  void StartOpen(const Turn& turn);
  void Need(const Turn& turn);
  void Probe(const Turn& turn);
  void Dispatch(const Turn& turn);
  bool AnswerFromCache(const Turn& turn, uint64_t id);
  void Described(const Turn& turn, const std::string& revision);
  bool IsOfThisProgram(const Call& call) const;
  const std::string& RevisionOf(const Call& call) const {
    return call.sent ? call.revision : state_.revision;
  }
  void Push(uint64_t id, const Turn& turn);
  void FailWaiting(const Turn& turn, const HookFailure& failure);
  void AnswerPolls(const Turn& turn);
  void Expire(const Turn& turn, uint64_t id);
  void Reply(const Turn& turn, uint64_t id, HookReply reply, bool error);
  void Refuse(const Turn& turn, const SyncCall& call, HookFailure failure) const;
  void ReplyState(const Turn& turn, uint64_t id);

  uint64_t id_;
  std::string operator_name_;
  HookEndpoint endpoint_;

  Phase phase_ = Phase::kClosed;
  uint64_t opening_ = 0;     ///< The connection that is opening; 0: none.
  uint64_t connection_ = 0;  ///< The connection in use; 0: none.
  uint64_t connections_ = 0;
  absl::Duration opened_at_ = -absl::InfiniteDuration();  ///< The end of the last attempt.
  absl::Duration open_at_ = absl::InfiniteDuration();     ///< The start of the next attempt.
  absl::Duration backoff_ = absl::ZeroDuration();
  int timeouts_ = 0;  ///< In a row.
  HookState state_;
  std::string described_;  ///< The revision in the latest answer to Describe; see Described.
  HookFailure failure_;    ///< While kFailed.

  uint64_t ids_ = 0;
  std::map<uint64_t, Call> calls_;
  std::deque<uint64_t> queue_;  ///< Of calls that wait; also ids of calls that are gone.
  std::map<uint64_t, Poller> polls_;
  std::set<std::pair<absl::Duration, uint64_t>> deadlines_;
  size_t in_flight_ = 0;
  size_t waiting_ = 0;
  size_t waiting_bytes_ = 0;
  absl::Duration used_at_ = -absl::InfiniteDuration();
};

}  // namespace xebec::gateway
