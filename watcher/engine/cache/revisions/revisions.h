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

/// Selects the planner revision that plans the keys: one at a time, with one change to each
/// successor. A previous revision is selected again only if its successor has not answered for a
/// while. A value.
class Revisions {
 public:
  /// A planner sent its description. Returns true if the resources to watch may have changed.
  bool OnDescription(const PlannerDescription& description);
  /// The current revision made a plan that was requested from it.
  void OnOwnPlan();
  /// Another `revision` made a plan that was requested from the current one: no planner of the
  /// current revision is connected. Returns true if the resources to watch may have changed.
  bool OnForeignPlan(const std::string& revision, absl::Duration now);
  /// Returns true if only other revisions have made plans for a while.
  bool Deserted(absl::Duration now) const;
  /// Makes the candidate the current revision. Called when all resources that it needs are watched,
  /// or when it has waited long enough.
  void Move();

  /// nullptr before the first description.
  const PlannerDescription* current() const { return Find(current_); }
  /// The next revision; nullptr if there is none.
  const PlannerDescription* candidate() const { return Find(candidate_); }
  /// The current revision first, then the candidate.
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
