// SPDX-License-Identifier: Apache-2.0
#include "common/model/plan.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace xebec {
namespace {

struct Verb {
  const char* operator()(const Apply&) const { return "apply"; }
  const char* operator()(const Delete&) const { return "delete"; }
  const char* operator()(const AddFinalizer&) const { return "add-finalizer"; }
  const char* operator()(const RemoveFinalizer&) const { return "remove-finalizer"; }
  const char* operator()(const EnsureSecret&) const { return "ensure-secret"; }
};

}  // namespace

void RequireVersion(const std::string& resource_version, Precondition* precondition) {
  if (!precondition->uid.empty()) precondition->resource_version = resource_version;
}

bool operator==(const Apply& a, const Apply& b) {
  return SameBytes(a.object, b.object) && a.same_fields == b.same_fields &&
         a.changed_fields == b.changed_fields;
}

bool operator==(const StatusIntent& a, const StatusIntent& b) {
  return SameBytes(a.object, b.object) && a.changed == b.changed &&
         a.progress_only == b.progress_only && a.observed_applied == b.observed_applied &&
         a.observed_applied_since == b.observed_applied_since && a.blocked == b.blocked &&
         a.events == b.events && a.now == b.now && SameBytes(a.amendments, b.amendments) &&
         SameBytes(a.observed, b.observed);
}

std::string OperationId(const Action& action, const ObjectRef& target) {
  return absl::StrCat(std::visit(Verb(), action), " ", ResourceName(target.type), " ", target.ns,
                      target.ns.empty() ? "" : "/", target.name);
}

bool WritesNothing(const Plan& plan) {
  return CountOperations(plan) == 0 && plan.events.empty() &&
         !(plan.status.has_value() && plan.status->changed);
}

size_t CountOperations(const Plan& plan) {
  size_t count = 0;
  for (const Stage& stage : plan.stages) count += stage.operations.size();
  return count;
}

}  // namespace xebec
