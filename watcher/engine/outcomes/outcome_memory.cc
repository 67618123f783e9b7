// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/outcomes/outcome_memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace xebec::watcher {
namespace {

// As many as a PodSet has Pods, or an answer of a hook children and deletions.
constexpr size_t kMaxOutcomes = 1000;
// the longest time between two successes that count as repeats
constexpr absl::Duration kInARow = absl::Minutes(10);

// The object that a completed operation leaves.
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

// Sorted by the ids of the operations.
std::map<std::string, Planned> PlannedOf(const Plan& plan) {
  std::map<std::string, Planned> planned = {{std::string(kStatusOperation), {}}};
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      planned[operation.id] = {TraceOf(operation), operation.memo};
    }
  }
  return planned;
}

std::set<ObjectRef> DeletedBy(const std::map<std::string, Planned>& planned,
                              const std::vector<Outcome>& outcomes) {
  std::set<ObjectRef> deleted;
  for (const Outcome& outcome : outcomes) {
    const auto operation = planned.find(outcome.operation);
    const bool deletion =
        operation != planned.end() && operation->second.trace == Trace::kTargetForgotten;
    if (deletion && outcome.certainty == Certainty::kDone) deleted.insert(outcome.target);
  }
  return deleted;
}

}  // namespace

std::vector<OutcomeMemory::Kept>::iterator OutcomeMemory::Place(const std::string& operation) {
  return std::lower_bound(
      kept_.begin(), kept_.end(), operation,
      [](const Kept& kept, const std::string& id) { return kept.outcome.Unpack().operation < id; });
}

bool OutcomeMemory::Take(const Plan& plan, const std::vector<Outcome>& outcomes, int64_t generation,
                         absl::Time now) {
  const std::map<std::string, Planned> planned = PlannedOf(plan);
  bool news = false;
  Forget(DeletedBy(planned, outcomes));
  for (Outcome outcome : outcomes) {
    if (outcome.code == OutcomeCode::kNotStarted) continue;
    const auto operation = planned.find(outcome.operation);
    if (operation == planned.end()) continue;  // not of this plan
    const auto& [trace, memo] = operation->second;
    const bool done = outcome.certainty == Certainty::kDone;
    outcome.memo = memo;
    news |= TakeOne(outcome, done && trace != Trace::kKept, generation, now);
  }
  std::erase_if(kept_, [&](const Kept& kept) {
    return kept.outcome.certainty() != Certainty::kDone && kept.generation != generation &&
           !planned.contains(kept.outcome.Unpack().operation);
  });
  Bound();
  return news;
}

bool OutcomeMemory::TakeOne(const Outcome& outcome, bool forget, int64_t generation,
                            absl::Time now) {
  const auto place = Place(outcome.operation);
  const Outcome last = place != kept_.end() ? place->outcome.Unpack() : Outcome{};
  const bool known = place != kept_.end() && last.operation == outcome.operation;
  const bool done = outcome.certainty == Certainty::kDone;
  const bool healed = known && done && last.certainty != Certainty::kDone;
  const bool same = known && last.code == outcome.code && last.digest == outcome.digest;
  const bool other_failure =
      !done && (!same || last.reason != outcome.reason || last.uid != outcome.uid ||
                last.holder_uid != outcome.holder_uid);
  if (forget) {
    if (known) kept_.erase(place);
    return healed;
  }
  const bool in_a_row = same && (!done || now - last.at <= kInARow);
  Outcome next = outcome;
  next.repeats = in_a_row ? last.repeats + 1 : 1;
  next.at = now;
  Kept kept{PackedOutcome(next), generation};
  if (known) {
    *place = std::move(kept);
  } else {
    kept_.insert(place, std::move(kept));
  }
  return healed || other_failure;
}

std::string OutcomeMemory::HolderOf(const ObjectRef& target) const {
  for (const Kept& kept : kept_) {
    if (kept.outcome.code() != OutcomeCode::kNameConflict) continue;
    const Outcome outcome = kept.outcome.Unpack();
    if (outcome.target == target) return outcome.holder_uid;
  }
  return "";
}

void OutcomeMemory::Forget(const std::set<ObjectRef>& targets) {
  if (targets.empty()) return;
  std::erase_if(kept_, [&](const Kept& kept) {
    return kept.outcome.certainty() == Certainty::kDone &&
           targets.contains(kept.outcome.Unpack().target);
  });
}

void OutcomeMemory::Bound() {
  if (kept_.size() <= kMaxOutcomes) return;
  std::vector<absl::Time> times;
  for (const Kept& kept : kept_) times.push_back(kept.outcome.at());
  const auto cut = times.begin() + static_cast<ptrdiff_t>(times.size() - kMaxOutcomes);
  std::nth_element(times.begin(), cut, times.end());
  const absl::Time oldest = *cut;
  std::erase_if(kept_, [&](const Kept& kept) { return kept.outcome.at() < oldest; });
  if (kept_.size() > kMaxOutcomes) kept_.erase(kept_.begin() + kMaxOutcomes, kept_.end());
}

std::vector<Outcome> OutcomeMemory::All() const {
  std::vector<Outcome> all;
  all.reserve(kept_.size());
  for (const Kept& kept : kept_) all.push_back(kept.outcome.Unpack());
  return all;
}

}  // namespace xebec::watcher
