// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"
#include "watcher/engine/outcomes/packed_outcome.h"

namespace xebec::watcher {

/// The latest outcome of each operation of one parent, for Observation::last_outcomes. Keeps at
/// most 1000, the latest ones. A value.
class OutcomeMemory {
 public:
  /// Takes the outcomes of a report on `plan`, which was made for `generation` of the parent.
  /// Returns true if there is news for the planner: another rejection than before, or a success
  /// where there was none. Rules:
  /// - An operation that was not started does not change the memory.
  /// - A completed operation that leaves no object (deletion, finalizer, status) is removed. A
  ///   deletion also removes the earlier successes with its target.
  /// - A failure of an operation that is no longer planned is removed once the parent has another
  ///   generation.
  bool Take(const Plan& plan, const std::vector<Outcome>& outcomes, int64_t generation,
            absl::Time now);

  /// Returns all outcomes, sorted by operation.
  std::vector<Outcome> All() const;
  bool empty() const { return kept_.empty(); }
  /// Outcome::holder_uid if the last outcome for the name `target` is a conflict; else empty.
  std::string HolderOf(const ObjectRef& target) const;

  bool operator==(const OutcomeMemory&) const = default;

 private:
  struct Kept {
    PackedOutcome outcome;
    int64_t generation = 0;
    bool operator==(const Kept&) const = default;
  };

  bool TakeOne(const Outcome& outcome, bool forget, int64_t generation, absl::Time now);
  void Forget(const std::set<ObjectRef>& targets);
  void Bound();
  std::vector<Kept>::iterator Place(const std::string& operation);

  std::vector<Kept> kept_;  // sorted by operation
};

}  // namespace xebec::watcher
