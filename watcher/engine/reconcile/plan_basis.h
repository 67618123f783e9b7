// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "common/model/plan.h"
#include "watcher/engine/cache/store/object_store.h"
#include "watcher/engine/reconcile/plan_check.h"
#include "watcher/engine/reconcile/run_context.h"

namespace xebec::watcher {

/// What a plan is based on: the parent and the children that the planner was shown, and the term.
/// Decides whether a plan may still be sent. A value.
class PlanBasis {
 public:
  /// The parent is observed in the current term.
  void Observe(const StoredObject& parent, const RunContext& context);
  /// Parent or children are read live in the current term.
  void Read(const RunContext& context);
  /// A child was added or changed.
  void OnChildChange() { overtaken_ = true; }
  /// The uids of the children that the planner was shown. The caller adds them.
  std::set<std::string>* shown() { return &shown_; }

  /// Returns true if the term has not ended and plans may be sent.
  bool InTerm(const RunContext& context) const;
  /// Returns true if the cache has the observed incarnation of the parent.
  bool ParentExists(const RunContext& context) const;
  /// Returns true if the parent has changed since it was observed. Counts that in the key's record.
  bool Stale(const RunContext& context) const;
  /// Returns why a plan that has waited for an applier since `since` must not be sent although its
  /// parent has not changed; null if it may be sent.
  const char* Futile(const Plan& plan, absl::Duration since, const RunContext& context) const;
  /// Returns why the plan must be refused, or ""; see WhyNotOwned in plan_check.h.
  std::string WhyNotOwned(const Plan& plan) const;

  bool operator==(const PlanBasis&) const = default;

 private:
  ParentStamp parent_;
  std::set<std::string> shown_;
  uint64_t term_ = 0;
  bool overtaken_ = false;  // a child changed after the live reads were requested
};

}  // namespace xebec::watcher
