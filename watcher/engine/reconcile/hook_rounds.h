// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "common/model/hook.h"
#include "common/model/observation.h"

namespace xebec::watcher {

/// The rounds of calls of hooks for one plan: the observation of a parent whose controller a user
/// declares is planned again with each answer. A value; copies share the observation.
class HookRounds {
 public:
  /// A planner gets this observation. Keeps it if a user declares the controller.
  void Begin(const Observation& observation);
  /// Returns why the planner must not request this call, or "". `gateway` tells whether the watcher
  /// is configured with a gateway of hooks.
  std::string WhyNot(const HookRequest& request, bool gateway) const;
  /// Returns the observation with one more answer. Requires that WhyNot returned "". `first` is an
  /// earlier answer to the same request, which the planner compares with this one unless this one
  /// is a failure.
  Observation Answered(HookAnswer answer, std::optional<std::string> first = {}) const;
  /// Returns the number of answers to the last request in the observation, without failures.
  uint64_t AnswersToLast() const;

  /// Compares the observations, not their addresses.
  friend bool operator==(const HookRounds& a, const HookRounds& b);

 private:
  std::shared_ptr<const Observation> observation_;
};

/// Moves the answer to the request out of the gateway's reply. A reply that contains no answer is a
/// failure, which the reply contains afterwards.
HookAnswer TakeAnswer(const HookRequest& request, HookReply* reply);

}  // namespace xebec::watcher
