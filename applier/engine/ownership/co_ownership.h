// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "common/base/json.h"

/// Field ownership of objects that were created by POST and are then changed by server-side apply.
/// The API server records the POST in an entry of managedFields with the operation Update, and an
/// apply by the same manager in an entry with the operation Apply. A field that is in both entries
/// does not disappear when an apply omits it. docs/adr/0023-create-by-post.md has the measurement.
namespace xebec::applier {

/// The requests that remove the second entry of a manager from an object.
struct CoOwnershipRepair {
  Json patch;            ///< JSON patch that tests the uid and both entries.
  bool reapply = false;  ///< Afterwards the object must be applied once more.
};

/// Returns how `live`, the object after an apply by `manager`, gets one entry of the manager;
/// nullopt if it has no entry of operation Update in addition to that of operation Apply.
///
/// `same_fields`: the apply removed no field. Then the patch removes the entry of operation Update.
/// Otherwise the patch moves its fields to the entry of operation Apply, so that the next apply
/// removes those that are not desired. It also blanks the digest annotation. A changed annotation
/// increases the generation of a Deployment. For Deployments, the patch therefore sets
/// blockOwnerDeletion of the controller reference to false instead. Some clusters permit that only
/// to clients with the verb `delete`. Until the next apply writes the value again, the object has a
/// second entry for the value, and the watcher shows the object as co-owned.
std::optional<CoOwnershipRepair> RepairCoOwnership(const Json& live, std::string_view manager,
                                                   bool same_fields);

}  // namespace xebec::applier
