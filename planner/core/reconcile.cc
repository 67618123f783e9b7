// SPDX-License-Identifier: Apache-2.0
#include "planner/core/reconcile.h"

#include <utility>

namespace xebec::planner {
namespace {

Stage OnParent(const Reconcile& reconcile, Action action) {
  Operation operation;
  operation.target = ParentRef(reconcile.parent, reconcile.kind.description.parent);
  operation.action = std::move(action);
  operation.id = OperationId(operation.action, operation.target);
  operation.precondition.uid = reconcile.parent.uid;
  RequireVersion(reconcile.parent.resource_version, &operation.precondition);
  operation.observed_version = reconcile.parent.resource_version;
  return {"finalizer", {std::move(operation)}};
}

}  // namespace

void SetStatus(const Reconcile& reconcile, const StatusDraft& draft, Plan* plan) {
  const auto status = reconcile.parent.object.find("status");
  const bool unknown = status != reconcile.parent.object.end() && status->is_null();
  if (reconcile.observation.without_status || !reconcile.kind.writes_status ||
      (unknown && !reconcile.parent.unreadable.empty())) {
    plan->events = EventsAlone(draft);
    return;
  }
  plan->status =
      MakeStatus(reconcile.parent, reconcile.view.now, draft, reconcile.kind.condition_types);
}

Stage FinalizerStage(const Reconcile& reconcile, bool add) {
  const std::string& finalizer = reconcile.kind.description.finalizer;
  if (!add) return RemoveFinalizerStage(reconcile, finalizer);
  return OnParent(reconcile, AddFinalizer{finalizer});
}

Stage RemoveFinalizerStage(const Reconcile& reconcile, const std::string& finalizer) {
  return OnParent(reconcile, RemoveFinalizer{finalizer});
}

}  // namespace xebec::planner
