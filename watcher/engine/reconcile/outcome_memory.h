// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "common/model/report.h"

namespace xebec::watcher {

/// The latest outcome of each operation of one parent, for the planner to see
/// (Observation::last_outcomes). Bounded. A value.
class OutcomeMemory {
 public:
  /// Takes the outcomes of a report on `plan`, which was made for `generation` of the parent.
  /// Returns true when something is new that a plan may depend on: another rejection than before,
  /// or a success where there was none.
  /// - Operations that were not started leave the memory as it is.
  /// - What is done and leaves nothing behind (deletion, finalizer, status) is forgotten, with the
  /// target's other outcomes after a deletion.
  /// - A failure of an operation that is not planned any more is forgotten once the parent has
  /// another generation.
  bool Take(const Plan& plan, const std::vector<Outcome>& outcomes, int64_t generation,
            absl::Time now);

  /// Sorted by operation.
  std::vector<Outcome> All() const;
  bool empty() const { return kept_.empty(); }

  bool operator==(const OutcomeMemory&) const = default;

 private:
  struct Kept {
    Outcome outcome;
    int64_t generation = 0;
    bool operator==(const Kept&) const = default;
  };

  bool TakeOne(const Outcome& outcome, bool forget, int64_t generation, absl::Time now);
  void ForgetOthersOf(const ObjectRef& target);
  void Bound();
  std::vector<Kept>::iterator Place(const std::string& operation);

  std::vector<Kept> kept_;  // sorted by operation
};

}  // namespace xebec::watcher
