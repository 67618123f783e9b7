// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "common/model/hook.h"
#include "watcher/engine/io.h"

namespace xebec::watcher {

/// Keeps the state of one hook up to date: one call of Describe is always under way, which the
/// gateway answers when the state changes. While gateways tell of different programs, as during a
/// rollout of the hook, the calls pause longer and longer. A value.
class HookWatch {
 public:
  /// Starts over if the hook is at another place.
  void Follow(const std::string& operator_name, const HookEndpoint& endpoint, absl::Duration now);

  /// Sends the call if none is under way. `sequence` is incremented. Without a gateway
  /// (`credits` is 0) for some seconds, the hook is not available.
  void OnTick(absl::Duration now, uint32_t credits, uint64_t* sequence, Outputs* out);
  absl::Duration NextDeadline() const { return call_at_; }
  /// Takes the answer to this call. Returns false if it is not this watch's.
  bool On(const HookAnswered& input, absl::Duration now);

  /// What is known; nullopt before the first answer.
  const std::optional<HookState>& state() const { return state_; }

  bool operator==(const HookWatch&) const = default;

 private:
  bool MayConnect(absl::Duration now);
  absl::Duration TakePause(const HookState& state, absl::Duration now);

  std::string operator_name_;
  HookEndpoint endpoint_;
  std::optional<HookState> state_;
  uint64_t sequence_ = 0;  // of the call that is under way; 0: none
  absl::Duration missing_since_ = absl::InfiniteDuration();  // the gateway
  absl::Duration call_at_ = absl::InfiniteDuration();
  uint32_t failures_ = 0;
  absl::Duration changed_at_ = -absl::InfiniteDuration();  // to another program
  uint32_t changes_ = 0;                                   // soon one after another
};

}  // namespace xebec::watcher
