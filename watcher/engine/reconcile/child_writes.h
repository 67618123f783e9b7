// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/model/plan.h"
#include "watcher/engine/cache/changes.h"
#include "watcher/engine/reconcile/cache_gate.h"

namespace xebec::watcher {

/// The writes of children that the watches show while a plan that covers its writes is carried out.
/// The event of a write can arrive before its report. A value.
class ChildWrites {
 public:
  /// A child was added or changed; `reason` is that of the change. Returns true if the change needs
  /// no plan: it is a covered write that `gate` requires, or it will be compared with the report of
  /// `plan`, which is being carried out. `plan` is null if there is none.
  bool Take(const ObjectVersion& child, const std::string& reason, const Plan* plan,
            const CacheGate& gate) {
    if (child.version.empty()) return false;  // not a single write
    if (plan == nullptr) return gate.Covers(child);
    if (plan->covers_writes) writes_.emplace_back(child, reason);
    return plan->covers_writes;
  }
  /// The report has arrived, and `gate` requires its writes: adds the reasons of those changes that
  /// the plan does not cover.
  void TakeUncovered(const CacheGate& gate, std::vector<std::string>* reasons) {
    for (auto& [child, reason] : std::exchange(writes_, {})) {
      if (!gate.Covers(child)) reasons->push_back(std::move(reason));
    }
  }

  bool operator==(const ChildWrites&) const = default;

 private:
  std::vector<std::pair<ObjectVersion, std::string>> writes_;
};

}  // namespace xebec::watcher
