// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/ownership/co_ownership.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "applier/engine/outcomes/live_object.h"
#include "applier/engine/requests/json_patch.h"
#include "common/model/well_known.h"

namespace xebec::applier {
namespace {

/// The position of the manager's entry of this operation; the entries of subresources do not count.
std::optional<size_t> FindEntry(const Json& entries, std::string_view manager,
                                std::string_view operation) {
  for (size_t i = 0; i < entries.size(); ++i) {
    if (FindString(entries[i], {"manager"}) == manager &&
        FindString(entries[i], {"operation"}) == operation &&
        FindString(entries[i], {"subresource"}).empty()) {
      return i;
    }
  }
  return std::nullopt;
}

std::string PathOf(size_t entry) { return absl::StrCat("/metadata/managedFields/", entry); }

/// Returns true for a kind whose generation increases with each change of an annotation.
bool IsDeployment(const Json& live) {
  return FindString(live, {"kind"}) == "Deployment" &&
         FindString(live, {"apiVersion"}).starts_with("apps/");
}

/// Changes blockOwnerDeletion in the controller reference. Returns false if the object has no
/// controller reference, or one without blockOwnerDeletion.
bool ChangeReference(const Json& live, Json* patch) {
  const Json* reference = Controller(live);
  if (reference == nullptr) return false;
  if (!FindBool(*reference, {"blockOwnerDeletion"}).value_or(false)) return false;
  const Json* first = &live["metadata"]["ownerReferences"][0];
  const std::string path = absl::StrCat("/metadata/ownerReferences/", reference - first);
  patch->push_back(TestOperation(path, *reference));
  patch->push_back({{"op", "replace"}, {"path", path + "/blockOwnerDeletion"}, {"value", false}});
  return true;
}

/// Changes a value that the next apply changes back. The patch then owns it by a new entry of
/// operation Update.
void MarkUnfinished(const Json& live, Json* patch) {
  if ((IsDeployment(live) && ChangeReference(live, patch)) ||
      Find(live, {"metadata", "annotations", kDigestAnnotation}) == nullptr) {
    return;
  }
  Json::json_pointer digest("/metadata/annotations");
  digest.push_back(std::string(kDigestAnnotation));
  patch->push_back({{"op", "add"}, {"path", digest.to_string()}, {"value", ""}});
}

}  // namespace

std::optional<CoOwnershipRepair> RepairCoOwnership(const Json& live, std::string_view manager,
                                                   bool same_fields) {
  const Json* entries = Find(live, {"metadata", "managedFields"});
  if (entries == nullptr || !entries->is_array()) return std::nullopt;
  const auto applied = FindEntry(*entries, manager, "Apply");
  const auto updated = FindEntry(*entries, manager, "Update");
  if (!applied || !updated) return std::nullopt;
  const Json &apply = (*entries)[*applied], &update = (*entries)[*updated];
  CoOwnershipRepair repair;
  repair.reapply = !same_fields;
  repair.patch = Json::array({TestOperation("/metadata/uid", FindString(live, {"metadata", "uid"})),
                              TestOperation(PathOf(*applied), apply),
                              TestOperation(PathOf(*updated), update)});
  if (!same_fields) {
    Json fields = apply.value("fieldsV1", Json::object());
    fields.merge_patch(update.value("fieldsV1", Json::object()));  // the union: leaves are {}
    repair.patch.push_back(
        {{"op", "replace"}, {"path", PathOf(*applied) + "/fieldsV1"}, {"value", fields}});
  }
  repair.patch.push_back({{"op", "remove"}, {"path", PathOf(*updated)}});
  if (repair.reapply) MarkUnfinished(live, &repair.patch);
  return repair;
}

}  // namespace xebec::applier
