// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "common/model/plan.h"
#include "watcher/engine/cache/store/object_store.h"

namespace xebec::watcher {

/// The fields of a parent that make a plan stale when they change while the plan is made.
struct ParentStamp {
  std::string uid;
  std::string resource_version;
  bool deleting = false;

  bool operator==(const ParentStamp&) const = default;
};
ParentStamp StampOf(const StoredObject& parent);

/// Returns true if the plan is stale: the cached `parent` (null if it is gone) differs from the
/// parent that was planned. Another incarnation or a deletion always makes a plan stale. Other
/// changes do not if `stale_plans`, the number of stale plans in a row, has reached a limit, so
/// that a parent that changes continuously is written nevertheless.
bool IsStale(const ParentStamp& planned, const StoredObject* parent, uint32_t stale_plans);

/// Returns why the plan must be refused, or "" if it must not. It must be refused if it has an
/// operation on an existing object that is neither the parent nor a child in the observation
/// (`shown` contains their uids). Planners know other uids too, for example that of an object that
/// holds a name.
std::string WhyNotOwned(const Plan& plan, const std::string& parent_uid,
                        const std::set<std::string>& shown);

}  // namespace xebec::watcher
