// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/outcome_memory.h"

#include <algorithm>
#include <map>
#include <utility>

namespace xebec::watcher {
namespace {

constexpr size_t kMaxOutcomes = 256;
constexpr absl::Duration kInARow = absl::Minutes(10);  // between two successes that count together

// What an operation leaves behind when it is done.
enum class Trace { kKept, kForgotten, kTargetForgotten };

Trace TraceOf(const Operation& operation) {
  if (std::holds_alternative<Delete>(operation.action)) return Trace::kTargetForgotten;
  const bool finalizer = std::holds_alternative<AddFinalizer>(operation.action) ||
                         std::holds_alternative<RemoveFinalizer>(operation.action);
  return finalizer ? Trace::kForgotten : Trace::kKept;
}

struct Planned {
  Trace trace = Trace::kForgotten;
  std::string memo;
};

// By the ids of the operations.
std::map<std::string, Planned> PlannedOf(const Plan& plan) {
  std::map<std::string, Planned> planned = {{std::string(kStatusOperation), {}}};
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      planned[operation.id] = {TraceOf(operation), operation.memo};
    }
  }
  return planned;
}

}  // namespace

std::vector<OutcomeMemory::Kept>::iterator OutcomeMemory::Place(const std::string& operation) {
  return std::lower_bound(
      kept_.begin(), kept_.end(), operation,
      [](const Kept& kept, const std::string& id) { return kept.outcome.operation < id; });
}

bool OutcomeMemory::Take(const Plan& plan, const std::vector<Outcome>& outcomes, int64_t generation,
                         absl::Time now) {
  const std::map<std::string, Planned> planned = PlannedOf(plan);
  bool news = false;
  for (Outcome outcome : outcomes) {
    if (outcome.code == OutcomeCode::kNotStarted) continue;
    const auto operation = planned.find(outcome.operation);
    if (operation == planned.end()) continue;  // not of this plan
    const auto& [trace, memo] = operation->second;
    const bool done = outcome.certainty == Certainty::kDone;
    if (done && trace == Trace::kTargetForgotten) ForgetOthersOf(outcome.target);
    outcome.memo = memo;
    news |= TakeOne(outcome, done && trace != Trace::kKept, generation, now);
  }
  std::erase_if(kept_, [&](const Kept& kept) {
    return kept.outcome.certainty != Certainty::kDone && kept.generation != generation &&
           !planned.contains(kept.outcome.operation);
  });
  Bound();
  return news;
}

bool OutcomeMemory::TakeOne(const Outcome& outcome, bool forget, int64_t generation,
                            absl::Time now) {
  const auto place = Place(outcome.operation);
  const bool known = place != kept_.end() && place->outcome.operation == outcome.operation;
  const bool done = outcome.certainty == Certainty::kDone;
  const bool healed = known && done && place->outcome.certainty != Certainty::kDone;
  const bool same =
      known && place->outcome.code == outcome.code && place->outcome.digest == outcome.digest;
  const bool other_failure = !done && (!same || place->outcome.reason != outcome.reason ||
                                       place->outcome.uid != outcome.uid);
  if (forget) {
    if (known) kept_.erase(place);
    return healed;
  }
  Kept kept{outcome, generation};
  const bool in_a_row = same && (!done || now - place->outcome.at <= kInARow);
  kept.outcome.repeats = in_a_row ? place->outcome.repeats + 1 : 1;
  kept.outcome.at = now;
  if (known) {
    *place = std::move(kept);
  } else {
    kept_.insert(place, std::move(kept));
  }
  return healed || other_failure;
}

void OutcomeMemory::ForgetOthersOf(const ObjectRef& target) {
  std::erase_if(kept_, [&](const Kept& kept) {
    return kept.outcome.certainty == Certainty::kDone && kept.outcome.target == target;
  });
}

void OutcomeMemory::Bound() {
  if (kept_.size() <= kMaxOutcomes) return;
  std::vector<absl::Time> times;
  for (const Kept& kept : kept_) times.push_back(kept.outcome.at);
  const auto cut = times.begin() + static_cast<ptrdiff_t>(times.size() - kMaxOutcomes);
  std::nth_element(times.begin(), cut, times.end());
  const absl::Time oldest = *cut;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.outcome.at < oldest; });
  if (kept_.size() > kMaxOutcomes) kept_.resize(kMaxOutcomes);
}

std::vector<Outcome> OutcomeMemory::All() const {
  std::vector<Outcome> all;
  all.reserve(kept_.size());
  for (const Kept& kept : kept_) all.push_back(kept.outcome);
  return all;
}

}  // namespace xebec::watcher
