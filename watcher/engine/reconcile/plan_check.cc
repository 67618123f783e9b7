// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/plan_check.h"

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

constexpr uint32_t kMaxStalePlans = 3;
constexpr size_t kMostShown = 300;  // limit for text of a planner

}  // namespace

ParentStamp StampOf(const StoredObject& parent) {
  return {parent.uid, parent.resource_version, parent.deleting};
}

// A user's change makes the plan useless; another client's change makes its status write fail.
bool IsStale(const ParentStamp& planned, const StoredObject* parent, uint32_t stale_plans) {
  if (parent == nullptr) return true;
  if (parent->resource_version == planned.resource_version) return false;
  const auto order = kube::CompareVersions(parent->resource_version, planned.resource_version);
  if (order.has_value() && *order < 0) return false;  // planned from a live read
  if (parent->uid != planned.uid || parent->deleting != planned.deleting) return true;
  return stale_plans < kMaxStalePlans;
}

std::string WhyNotOwned(const Plan& plan, const std::string& parent_uid,
                        const std::set<std::string>& shown) {
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      const std::string& uid = operation.precondition.uid;
      if (uid.empty() || uid == parent_uid || shown.contains(uid)) continue;
      return absl::StrCat(Ellipsize(operation.id, kMostShown), " is for uid ",
                          Ellipsize(uid, kMostShown), " of ",
                          Ellipsize(Describe(operation.target), kMostShown),
                          ", which is no child that the planner was shown");
    }
  }
  return "";
}

}  // namespace xebec::watcher
