// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "common/model/plan.h"
#include "watcher/engine/cache/object_store.h"

namespace xebec::watcher {

/// The fields of a parent that make a plan stale when they change while the plan is made.
struct ParentStamp {
  std::string uid;
  std::string resource_version;
  bool deleting = false;

  bool operator==(const ParentStamp&) const = default;
};
ParentStamp StampOf(const StoredObject& parent);

/// True when `parent`, as it is cached now (null: gone), is another one than the plan was made for.
/// Another incarnation or a deletion always counts. Other changes do not count after
/// `stale_plans` stale plans in a row have reached a limit, so that a parent that keeps changing is
/// written nevertheless.
bool IsStale(const ParentStamp& planned, const StoredObject* parent, uint32_t stale_plans);

/// Why the plan must be refused: it has an operation on an existing object that is neither the
/// parent nor one of the children that the planner was shown (uids). Empty when it has none.
/// Planners know other uids too, for example of the object that holds a name.
std::string WhyNotOwned(const Plan& plan, const std::string& parent_uid,
                        const std::set<std::string>& shown);

}  // namespace xebec::watcher
