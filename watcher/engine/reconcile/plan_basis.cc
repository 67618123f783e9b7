// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/plan_basis.h"

#include "watcher/engine/reconcile/deferral.h"

namespace xebec::watcher {

void PlanBasis::Observe(const StoredObject& parent, const RunContext& context) {
  if (parent.uid != parent_.uid) shown_.clear();
  parent_ = StampOf(parent);
  term_ = context.key.term();
}

void PlanBasis::Read(const RunContext& context) {
  term_ = context.key.term();
  overtaken_ = false;
}

bool PlanBasis::InTerm(const RunContext& context) const {
  return context.may_send && term_ == context.key.term();
}

bool PlanBasis::ParentExists(const RunContext& context) const {
  const StoredObject* parent = context.key.parent();
  return parent != nullptr && parent->uid == parent_.uid;
}

bool PlanBasis::Stale(const RunContext& context) const {
  if (!IsStale(parent_, context.key.parent(), context.record.stale_plans)) return false;
  ++context.record.stale_plans;
  return true;
}

const char* PlanBasis::Futile(const Plan& plan, absl::Duration since,
                              const RunContext& context) const {
  const absl::Duration now = context.key.now.monotonic;
  if (term_ != context.key.term()) return "leadership or planner changed while its plan waited";
  if (now - since > context.key.options.plan_life && context.dirty) {
    return "something changed while its plan waited for long";
  }
  if (overtaken_ && RemovesFinalizer(plan)) {
    return "a child appeared during the check that none is left";
  }
  if (!context.budget.Allows(context.id, now) && !Find(plan, Deferred::kDeletions).empty()) {
    return "the deletion budget was used up while its plan waited";
  }
  return nullptr;
}

std::string PlanBasis::WhyNotOwned(const Plan& plan) const {
  return watcher::WhyNotOwned(plan, parent_.uid, shown_);
}

}  // namespace xebec::watcher
