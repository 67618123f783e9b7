// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/hook_rounds.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace xebec::watcher {

void HookRounds::Begin(const Observation& observation) {
  observation_.reset();
  if (observation.declaration == nullptr) return;
  observation_ = std::make_shared<const Observation>(observation);
}

std::string HookRounds::WhyNot(const HookRequest& request, bool gateway) const {
  if (observation_ == nullptr || !gateway) {
    return "the planner requests a hook call for a kind without an Operator";
  }
  for (const HookAnswer& answer : observation_->hook_answers) {
    if (answer.digest == request.digest) return "the planner requests a hook call that is answered";
  }
  if (observation_->hook_answers.size() >= kMaxHookRounds) {
    return "the planner requests too many hook calls";
  }
  return "";
}

Observation HookRounds::Answered(HookAnswer answer, std::optional<std::string> first) const {
  Observation observation = *observation_;
  const bool compared = first && std::holds_alternative<std::string>(answer.result);
  if (compared) observation.hook_answers.push_back({answer.digest, *std::move(first)});
  observation.hook_answers.push_back(std::move(answer));
  return observation;
}

uint64_t HookRounds::AnswersToLast() const {
  if (observation_ == nullptr || observation_->hook_answers.empty()) return 0;
  const std::vector<HookAnswer>& all = observation_->hook_answers;
  return static_cast<uint64_t>(std::count_if(all.begin(), all.end(), [&](const HookAnswer& each) {
    return each.digest == all.back().digest && std::holds_alternative<std::string>(each.result);
  }));
}

bool operator==(const HookRounds& a, const HookRounds& b) {
  const bool both = a.observation_ && b.observation_;
  return a.observation_ == b.observation_ || (both && *a.observation_ == *b.observation_);
}

HookAnswer TakeAnswer(const HookRequest& request, HookReply* reply) {
  if (auto* body = std::get_if<std::string>(&reply->result)) {
    return {request.digest, std::move(*body)};
  }
  if (!std::holds_alternative<HookFailure>(reply->result)) {
    reply->result = HookFailure{HookFailureCode::kMalformed, "the gateway sent no answer", {}};
  }
  return {request.digest, std::get<HookFailure>(reply->result)};
}

}  // namespace xebec::watcher
