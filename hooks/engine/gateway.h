// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"
#include "common/model/hook.h"
#include "hooks/engine/answer_cache.h"
#include "hooks/engine/hook_line.h"
#include "hooks/engine/limits.h"
#include "hooks/engine/messages.h"

namespace xebec::gateway {

/// The engine of the gateway: decides which call is sent when, which answer comes from the cache,
/// and when a hook is connected and described. It takes one input at a time and returns what the
/// host must do, in this order. `now` is monotonic. Every call gets exactly one SendReply, unless
/// its stream ends before. A value; single-threaded.
class Gateway {
 public:
  explicit Gateway(const Limits& limits) : limits_(limits), cache_(limits.cache_bytes) {}

  /// A call of a watcher. `digest` identifies the request; it is empty if the answer must not be
  /// kept.
  Outputs Call(absl::Duration now, const Ticket& ticket, HookCall call, std::string digest);
  /// The stream has ended: its calls get no reply.
  Outputs StreamEnded(absl::Duration now, uint64_t stream);
  /// The end of an Open.
  Outputs Opened(absl::Duration now, uint64_t hook, uint64_t connection, const OpenResult& result);
  /// An open connection broke or was closed by the hook.
  Outputs Lost(absl::Duration now, uint64_t hook, uint64_t connection);
  /// The end of a Send.
  Outputs Answered(absl::Duration now, uint64_t hook, uint64_t call, CallResult result);
  /// Time has passed.
  Outputs Tick(absl::Duration now);

  /// The time of the next Tick.
  absl::Duration due() const;

  /// For metrics.
  struct Figures {
    size_t hooks = 0;
    size_t connections = 0;
    size_t in_flight = 0;
    size_t waiting = 0;
    size_t cache_bytes = 0;
  };
  Figures figures() const;

 private:
  Turn Begin(absl::Duration now, Outputs* out) { return {now, limits_, &cache_, out}; }
  HookLine* LineOf(const HookCall& call, Outputs* out);
  bool MakeRoom(Outputs* out);
  void Remove(std::map<uint64_t, HookLine>::iterator line, Outputs* out);

  const Limits limits_;
  AnswerCache cache_;
  uint64_t ids_ = 0;
  std::map<std::string, uint64_t> by_key_;  ///< Key: operator and endpoint.
  std::map<uint64_t, HookLine> lines_;
};

}  // namespace xebec::gateway
