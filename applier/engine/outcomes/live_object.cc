// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/outcomes/live_object.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/kube/watch_event.h"
#include "common/model/names.h"

namespace xebec::applier {
namespace {

bool WrittenBy(const Json& live, std::string_view manager) {
  const Json* entries = Find(live, {"metadata", "managedFields"});
  if (entries == nullptr || !entries->is_array()) return false;
  return std::any_of(entries->begin(), entries->end(), [&](const Json& entry) {
    return FindString(entry, {"manager"}) == manager && FindString(entry, {"subresource"}).empty();
  });
}

/// One of these labels has the parent's name, as ChildRule::parent_label asks for.
bool NamesParent(const Json& live, const std::string& parent,
                 const std::vector<std::string>& labels) {
  const std::string value = LabelValue(parent);
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
    return FindString(live, {"metadata", "labels", label}) == value;
  });
}

std::string GroupOf(const std::string& api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string::npos ? "" : api_version.substr(0, slash);
}

/// What the watcher would see of an object that is beyond our limits: enough to know what became of
/// a write (ADR 14).
absl::StatusOr<Json> ReadHead(const std::string& body) {
  const absl::StatusOr<kube::DecodedObject> object = kube::DecodeObject(body, {});
  if (!object.ok()) return object.status();
  return ParseJson(*object->json);
}

/// The whole reference: if the admission plug-in OwnerReferencesPermissionEnforcement is enabled, a
/// client without the permission to delete an object cannot change its references.
constexpr char kReferenceOf[] = "with controller: true, blockOwnerDeletion: true and the uid of ";

}  // namespace

std::optional<LiveObject> ReadLiveObject(const std::string& body) {
  auto json = ParseJson(body);
  if (!json.ok()) json = ReadHead(body);
  if (!json.ok() || FindString(*json, {"metadata", "uid"}).empty()) return std::nullopt;
  LiveObject object;
  object.uid = FindString(*json, {"metadata", "uid"});
  object.resource_version = FindString(*json, {"metadata", "resourceVersion"});
  object.deleting = !FindString(*json, {"metadata", "deletionTimestamp"}).empty();
  object.json = *std::move(json);
  return object;
}

bool IsOurs(const Json& live, const Json& desired, const RunContext& context) {
  const Json* holder = Controller(live);
  if (holder != nullptr) return FindString(*holder, {"uid"}) == context.parent.uid;
  return Controller(desired) == nullptr && WrittenBy(live, context.manager) &&
         NamesParent(live, context.parent.ref.name, context.parent_labels);
}

const Json* Controller(const Json& object) {
  const Json* owners = Find(object, {"metadata", "ownerReferences"});
  if (owners == nullptr || !owners->is_array()) return nullptr;
  const auto found = std::find_if(owners->begin(), owners->end(), [](const Json& owner) {
    return FindBool(owner, {"controller"}).value_or(false);
  });
  return found == owners->end() ? nullptr : &*found;
}

bool MayTouch(const Json& live, const RunContext& context) {
  const ParentIdentity& parent = context.parent;
  const bool named = NamesParent(live, parent.ref.name, context.parent_labels);
  const Json* holder = Controller(live);
  if (holder == nullptr) return named || WrittenBy(live, context.manager);
  if (FindString(*holder, {"uid"}) == parent.uid) return true;
  const bool rival = FindString(*holder, {"kind"}) == parent.ref.type.kind &&
                     GroupOf(FindString(*holder, {"apiVersion"})) == parent.ref.type.group;
  return !rival && named;
}

std::string ControllerUid(const Json& object) {
  const Json* holder = Controller(object);
  return holder == nullptr ? "" : FindString(*holder, {"uid"});
}

std::string DescribeHolder(const ObjectRef& target, const Json& live,
                           const ParentIdentity& parent) {
  const Json* holder = Controller(live);
  const std::string state =
      FindString(live, {"metadata", "deletionTimestamp"}).empty() ? "" : " and is being deleted";
  const std::string wanted = absl::StrCat(parent.ref.type.kind, " ", parent.ref.name);
  if (holder == nullptr) {
    return absl::StrCat(Describe(target), " exists", state, " and has no controller; ", wanted,
                        " leaves it alone. Delete it, or add an ownerReference ", kReferenceOf,
                        wanted, " (", parent.uid, ") to hand it over, or choose another name");
  }
  return absl::StrCat(
      Describe(target), " exists", state, " and is controlled by ", FindString(*holder, {"kind"}),
      " ", FindString(*holder, {"name"}), " (uid ", FindString(*holder, {"uid"}), "); ", wanted,
      " leaves it alone. Delete it, or take that ownerReference away and add one ", kReferenceOf,
      wanted, " (", parent.uid, ") to hand it over, or choose another name");
}

std::optional<size_t> FindFinalizer(const Json& live, const std::string& finalizer) {
  const Json* finalizers = Find(live, {"metadata", "finalizers"});
  if (finalizers == nullptr || !finalizers->is_array()) return std::nullopt;
  const auto found = std::find(finalizers->begin(), finalizers->end(), Json(finalizer));
  if (found == finalizers->end()) return std::nullopt;
  return static_cast<size_t>(found - finalizers->begin());
}

bool IsGone(const LiveObject& object) {
  const Json* finalizers = Find(object.json, {"metadata", "finalizers"});
  return object.deleting && (finalizers == nullptr || finalizers->empty());
}

}  // namespace xebec::applier
