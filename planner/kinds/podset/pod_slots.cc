// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/podset/pod_slots.h"

#include <algorithm>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/names.h"

namespace xebec::planner {
namespace {

using State = PodFact::State;

// Makes one decision. The order of the steps determines the result.
class Decider {
 public:
  Decider(const std::vector<PodFact>& pods, int64_t replicas, int64_t max_unavailable)
      : pods_(pods), replicas_(replicas), max_unavailable_(std::max<int64_t>(1, max_unavailable)) {
    out_.actions.resize(pods.size(), PodAction::kWait);
  }

  SlotDecision Run() {
    PlaceAdopted();
    PlaceOrdinals();
    CreateMissing();
    Replace();
    return out_;
  }

 private:
  static PodAction ActionForWanted(const PodFact& pod) {
    if (pod.state == State::kLive) return PodAction::kKeep;
    return pod.state == State::kFinished && !pod.young ? PodAction::kEnded : PodAction::kWait;
  }

  static PodAction ActionForUnwanted(const PodFact& pod) {
    if (pod.state == State::kTerminating) return PodAction::kWait;
    return pod.state == State::kFinished ? PodAction::kEnded : PodAction::kSurplus;
  }

  void PlaceAdopted() {
    std::vector<size_t> live;
    for (size_t i = 0; i < pods_.size(); ++i) {
      if (pods_[i].ordinal.has_value()) continue;
      if (pods_[i].state == State::kLive) {
        live.push_back(i);
      } else {
        // A Pod in an unknown state may still be running, so it is not deleted.
        out_.actions[i] = pods_[i].state == State::kFinished ? PodAction::kEnded : PodAction::kWait;
      }
    }
    std::sort(live.begin(), live.end(),
              [this](size_t a, size_t b) { return pods_[a].name < pods_[b].name; });
    for (size_t n = 0; n < live.size(); ++n) {
      const bool wanted = static_cast<int64_t>(n) < replicas_;
      out_.actions[live[n]] = wanted ? PodAction::kKeep : PodAction::kSurplus;
      adopted_ += wanted ? 1 : 0;
    }
  }

  void PlaceOrdinals() {
    for (size_t i = 0; i < pods_.size(); ++i) {
      if (!pods_[i].ordinal.has_value()) continue;
      const bool wanted = *pods_[i].ordinal < replicas_ - adopted_;
      out_.actions[i] = wanted ? ActionForWanted(pods_[i]) : ActionForUnwanted(pods_[i]);
      taken_.insert(*pods_[i].ordinal);
    }
  }

  void CreateMissing() {
    for (int64_t ordinal = 0; ordinal < replicas_ - adopted_; ++ordinal) {
      if (!taken_.contains(ordinal)) out_.create.push_back(ordinal);
    }
  }

  // Highest ordinal first, adopted Pods last.
  bool GoesBefore(size_t a, size_t b) const {
    const int64_t oa = pods_[a].ordinal.value_or(-1), ob = pods_[b].ordinal.value_or(-1);
    return oa != ob ? oa > ob : pods_[a].name > pods_[b].name;
  }

  void Replace() {
    std::vector<size_t> outdated;
    for (size_t i = 0; i < pods_.size(); ++i) {
      if (out_.actions[i] != PodAction::kKeep) continue;
      out_.ready += pods_[i].ready ? 1 : 0;
      out_.current += pods_[i].ready && pods_[i].current ? 1 : 0;
      if (pods_[i].current) continue;
      if (pods_[i].ready) {
        outdated.push_back(i);
      } else {
        out_.actions[i] = PodAction::kReplace;
      }
    }
    std::sort(outdated.begin(), outdated.end(),
              [this](size_t a, size_t b) { return GoesBefore(a, b); });
    int64_t budget = max_unavailable_ - (replicas_ - out_.ready);
    for (size_t i : outdated) {
      if (budget-- <= 0) return;
      out_.actions[i] = PodAction::kReplace;
    }
  }

  const std::vector<PodFact>& pods_;
  const int64_t replicas_;
  const int64_t max_unavailable_;
  int64_t adopted_ = 0;
  std::set<int64_t> taken_;
  SlotDecision out_;
};

}  // namespace

SlotDecision DecideSlots(const std::vector<PodFact>& pods, int64_t replicas,
                         int64_t max_unavailable) {
  return Decider(pods, replicas, max_unavailable).Run();
}

std::string PodSetPodName(std::string_view parent, int64_t ordinal) {
  return BoundedName(parent, absl::StrCat("-pod-", ordinal), kMaxLabel);
}

std::optional<int64_t> PodSetOrdinal(std::string_view parent, std::string_view pod) {
  const size_t dash = pod.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = pod.substr(dash + 1);
  int64_t ordinal = 0;
  if (digits.size() > 9 || !absl::SimpleAtoi(ToAbsl(digits), &ordinal) || ordinal < 0) {
    return std::nullopt;
  }
  if (PodSetPodName(parent, ordinal) != pod) return std::nullopt;
  return ordinal;
}

}  // namespace xebec::planner
