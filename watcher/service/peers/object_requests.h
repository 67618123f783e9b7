// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "watcher/engine/io.h"
#include "watcher/service/message_queue.h"
#include "watcher/service/peers/peer_calls.h"

namespace xebec::watcher {

/// Requests objects of other watchers for the engine. Thread-safe.
class ObjectRequests {
 public:
  /// Both must outlive the calls.
  ObjectRequests(PeerCalls* calls, MessageQueue* queue) : calls_(calls), queue_(queue) {}

  /// Requests a page from the watcher at `request.from`. The engine gets one ListArrived or
  /// ListFailed of that stream.
  void Do(const StartList& request) const;

 private:
  void Ask(const StartList& request) const;

  PeerCalls* const calls_;
  MessageQueue* const queue_;
};

}  // namespace xebec::watcher
