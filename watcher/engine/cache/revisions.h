// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/model/kind_description.h"

namespace xebec::watcher {

/// Which planner revision keys are planned with: one at a time, moving over once. A
/// revision that was left is taken again only after its successor has answered nothing for a while.
/// A value.
class Revisions {
 public:
  /// A planner described itself. True when what has to be watched may have changed.
  bool OnDescription(const PlannerDescription& description);
  /// A plan asked of the current revision was made by it.
  void OnOwnPlan();
  /// A plan asked of the current revision was made by `revision`: no planner of the current one is
  /// connected. True when what has to be watched may have changed.
  bool OnForeignPlan(const std::string& revision, absl::Duration now);
  /// Plans of other revisions have come for a while, and none of the current one.
  bool Deserted(absl::Duration now) const;
  /// The candidate becomes the current revision: everything that it needs is watched, or it has
  /// waited for that long enough.
  void Move();

  /// nullptr before the first description.
  const PlannerDescription* current() const { return Find(current_); }
  /// The revision that is next; nullptr when there is none.
  const PlannerDescription* candidate() const { return Find(candidate_); }
  /// Current first, then candidate.
  std::vector<const PlannerDescription*> InUse() const;
  uint64_t moves() const { return moves_; }

  bool operator==(const Revisions&) const = default;

 private:
  const PlannerDescription* Find(const std::optional<std::string>& revision) const;

  std::map<std::string, PlannerDescription> known_;
  std::set<std::string> left_;
  std::optional<std::string> current_;
  std::optional<std::string> candidate_;
  std::optional<absl::Duration> foreign_since_;
  uint32_t foreign_plans_ = 0;
  uint64_t moves_ = 0;
};

}  // namespace xebec::watcher
