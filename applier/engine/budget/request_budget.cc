// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/budget/request_budget.h"

#include <algorithm>

namespace xebec::applier {
namespace {

constexpr double kAfterThrottling = 0.5;
constexpr double kAfterOverload = 0.8;
constexpr size_t kShare = 3;         // requests of one class for each free one
constexpr size_t kMaxClasses = 256;  // Plans may name any kind: the table must not grow with them.
const RequestClass kOther{"other", "other"};

bool Succeeded(int status) { return status >= 200 && status < 300; }

}  // namespace

RequestBudget::Class& RequestBudget::Find(const RequestClass& name) {
  const auto found = classes_.find(name);
  if (found != classes_.end()) return found->second;
  const RequestClass& key = classes_.size() < kMaxClasses ? name : kOther;
  return classes_.try_emplace(key, Class{ClassLimit(bounds_)}).first->second;
}

bool RequestBudget::Fits(const Class& of) const {
  if (full()) return false;
  return of.in_flight < std::min(of.limit.allowed(), kShare * (allowed() - in_flight_));
}

bool RequestBudget::HasRoom(const RequestClass& name) const {
  auto found = classes_.find(name);
  if (found == classes_.end() && classes_.size() >= kMaxClasses) found = classes_.find(kOther);
  return found == classes_.end() ? !full() : Fits(found->second);
}

bool RequestBudget::TryTake(const RequestClass& name) {
  Class& of = Find(name);
  if (!Fits(of)) return false;
  ++of.in_flight;
  ++in_flight_;
  return true;
}

void RequestBudget::OnAnswer(const RequestClass& name, const kube::ApiResponse& response,
                             absl::Duration latency, absl::Duration now) {
  Class& of = Find(name);
  const bool used = in_flight_ * 2 >= allowed();
  if (Succeeded(response.status)) {
    of.limit.OnAnswer(latency, of.in_flight, now);
  } else if (response.status == 0 || response.status == 504) {
    of.limit.OnTimeout(now);
  }
  of.in_flight -= std::min<size_t>(of.in_flight, 1);
  in_flight_ -= std::min<size_t>(in_flight_, 1);
  OnUncounted(response, now);
  if (used && Succeeded(response.status)) limit_.Grow();
}

void RequestBudget::OnUncounted(const kube::ApiResponse& response, absl::Duration now) {
  if (response.status == 429) limit_.Shrink(kAfterThrottling, now);
  if (response.status == 503) limit_.Shrink(kAfterOverload, now);
}

std::vector<RequestBudget::Figures> RequestBudget::ListClasses(absl::Duration now) const {
  std::vector<Figures> all;
  for (const auto& [name, of] : classes_) {
    all.push_back({name, of.limit.allowed(), of.in_flight, of.limit.recent(), of.limit.baseline(),
                   of.limit.held_down(now) && bounds_.min < bounds_.start});
  }
  return all;
}

}  // namespace xebec::applier
