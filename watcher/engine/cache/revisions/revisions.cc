// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/revisions/revisions.h"

namespace xebec::watcher {
namespace {

// A stream that reconnects must not select the old revision again.
constexpr uint32_t kForeignPlans = 3;
constexpr absl::Duration kForeignFor = absl::Seconds(5);

}  // namespace

const PlannerDescription* Revisions::Find(const std::optional<std::string>& revision) const {
  if (!revision) return nullptr;
  const auto found = known_.find(*revision);
  return found == known_.end() ? nullptr : &found->second;
}

std::vector<const PlannerDescription*> Revisions::InUse() const {
  std::vector<const PlannerDescription*> in_use;
  if (current() != nullptr) in_use.push_back(current());
  if (candidate() != nullptr) in_use.push_back(candidate());
  return in_use;
}

bool Revisions::OnDescription(const PlannerDescription& description) {
  const auto found = known_.find(description.revision);
  const bool changed = found == known_.end() || !(found->second == description);
  known_[description.revision] = description;
  if (!current_) {
    current_ = description.revision;
    return true;
  }
  if (description.revision == *current_ || candidate_ == description.revision) return changed;
  if (left_.contains(description.revision)) return false;
  if (candidate_) left_.insert(*candidate_);  // replaced before it made a plan
  candidate_ = description.revision;
  return true;
}

void Revisions::OnOwnPlan() {
  foreign_since_.reset();
  foreign_plans_ = 0;
}

bool Revisions::OnForeignPlan(const std::string& revision, absl::Duration now) {
  if (!foreign_since_) foreign_since_ = now;
  ++foreign_plans_;
  if (candidate_ == revision || !known_.contains(revision)) return false;
  if (!Deserted(now)) return false;
  candidate_ = revision;
  OnOwnPlan();
  return true;
}

bool Revisions::Deserted(absl::Duration now) const {
  return foreign_plans_ >= kForeignPlans && now - *foreign_since_ >= kForeignFor;
}

void Revisions::Move() {
  if (!candidate_) return;
  left_.insert(*current_);
  left_.erase(*candidate_);
  current_ = *candidate_;
  candidate_.reset();
  OnOwnPlan();
  ++moves_;
  std::erase_if(known_, [this](const auto& each) {
    return each.first != *current_ && !left_.contains(each.first);
  });
}

}  // namespace xebec::watcher
