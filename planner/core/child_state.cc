// SPDX-License-Identifier: Apache-2.0
#include "planner/core/child_state.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "common/base/strings.h"
#include "common/model/fields.h"
#include "common/model/report.h"
#include "common/model/well_known.h"
#include "planner/core/field_manager_conflict.h"
#include "planner/core/read_context.h"

namespace xebec::planner {
namespace {

constexpr std::string_view kDigestFormat = "v1:";

Json OwnerReference(const View& view) {
  Json owner = Json::object();
  owner["apiVersion"] = FindString(view.parent, {"apiVersion"});
  owner["kind"] = FindString(view.parent, {"kind"});
  owner["name"] = view.name;
  owner["controller"] = true;
  owner["blockOwnerDeletion"] = true;
  if (!view.uid.empty()) owner["uid"] = view.uid;
  return owner;
}

// Returns the member, as an object in any case.
Json& ObjectMember(Json& object, const std::string& key) {
  Json& member = object[key];
  if (!member.is_object()) member = Json::object();
  return member;
}

// Returns the desired object without its own labels, annotations and owners. Adding these changes
// no running workload.
Json WithoutDecoration(Json desired) {
  Json& metadata = ObjectMember(desired, "metadata");
  metadata.erase("labels");
  metadata.erase("annotations");
  metadata.erase("ownerReferences");
  return desired;
}

Json WithoutDigest(Json desired) {
  Json& metadata = ObjectMember(desired, "metadata");
  Json& annotations = ObjectMember(metadata, "annotations");
  annotations.erase(std::string(kDigestAnnotation));
  if (annotations.empty()) metadata.erase("annotations");
  return desired;
}

std::string StampIn(const Json& object) {
  return FindString(object, {"metadata", "annotations", kDigestAnnotation});
}

// Returns true if the manager is in the list.
bool Contains(const Json* managers, const std::string& manager) {
  return managers != nullptr &&
         std::find(managers->begin(), managers->end(), Json(manager)) != managers->end();
}

// Returns true if the manager owns fields by an apply.
bool Applies(const Json& live, const std::string& manager) {
  return Contains(Find(live, {kAppliersMember}), manager);
}

// Returns true if the manager owns fields by an apply and by an update.
bool CoOwned(const Json& live, const std::string& manager) {
  return Contains(Find(live, {kCoOwnersMember}), manager);
}

std::string PointerOf(const std::vector<std::string>& keys) {
  Json::json_pointer pointer;
  for (const std::string& key : keys) pointer.push_back(key);
  return pointer.to_string();
}

// Returns `value` at this place of an otherwise empty object.
Json Nested(const std::vector<std::string>& keys, Json value) {
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    Json outer = Json::object();
    outer[*key] = std::move(value);
    value = std::move(outer);
  }
  return value;
}

// Adds the pointers of all scalars below `keys` that differ. Returns false if a list differs.
// Equality depends on the place, so each member is compared at its place in the whole object.
bool AddDifferences(const Json& live, const Json& part, std::vector<std::string>* keys,
                    std::vector<std::string>* fields) {
  if (Covers(live, Nested(*keys, part))) return true;
  if (part.is_array()) return false;
  if (!part.is_object()) return fields->push_back(PointerOf(*keys)), true;
  for (const auto& [key, value] : part.items()) {
    keys->push_back(key);
    const bool all = AddDifferences(live, value, keys, fields);
    keys->pop_back();
    if (!all) return false;
  }
  return true;
}

ChildState StateByFields(const Json& live, const Json& desired, const std::string& live_digest) {
  if (live_digest.empty()) {
    return Covers(live, WithoutDecoration(desired)) ? ChildState::kUnstamped : ChildState::kDiffers;
  }
  // The digest has another format, because another release wrote it: compare only the fields, and
  // keep the digest.
  return Covers(live, WithoutDigest(desired)) ? ChildState::kCurrent : ChildState::kDiffers;
}

ChildState StateOf(const Json& live, const Json& desired, const std::string& digest) {
  const std::string live_digest = StampIn(live);
  if (!absl::StartsWith(live_digest, ToAbsl(kDigestFormat))) {
    return StateByFields(live, desired, live_digest);
  }
  if (DigestInStamp(live_digest) != DigestInStamp(digest)) return ChildState::kDiffers;
  return Covers(live, desired) ? ChildState::kCurrent : ChildState::kDiffers;
}

// Compares one member at a time at its place in the whole object, because equality depends on the
// place.
std::string DifferingField(const Json& live, const Json& desired, const Json::json_pointer& path) {
  const Json& part = desired.at(path);
  if (!part.is_object()) return path.to_string();
  for (const auto& [key, value] : part.items()) {
    Json alone = Json::object();
    alone[path / key] = value;
    if (!Covers(live, alone)) return DifferingField(live, desired, path / key);
  }
  return path.to_string();
}

// Converts "/spec/replicas" to "spec.replicas".
std::string Dotted(std::string pointer) {
  if (!pointer.empty()) pointer.erase(0, 1);
  std::replace(pointer.begin(), pointer.end(), '/', '.');
  return absl::StrReplaceAll(pointer, {{"~1", "/"}, {"~0", "~"}});
}

bool Rewritten(const Outcome& outcome, const Json& live, const Json& desired) {
  const bool accepted = outcome.code == OutcomeCode::kUnchanged ||
                        outcome.code == OutcomeCode::kChanged ||
                        outcome.code == OutcomeCode::kCreated;
  return accepted && !outcome.result_digest.empty() &&
         outcome.result_digest == FieldsDigest(live, desired);
}

}  // namespace

ObjectRef RefOf(const Child& child) { return {child.type, child.ns, child.name}; }

Json CompleteObject(const View& view, const DesiredChild& child) {
  Json object = child.object.is_object() ? child.object : Json::object();
  object["apiVersion"] = ApiVersion(child.type);
  object["kind"] = child.type.kind;
  Json& metadata = ObjectMember(object, "metadata");
  const std::string ns =
      ChildNamespace(view, child.type, FindString(object, {"metadata", "namespace"}));
  if (!ns.empty()) metadata["namespace"] = ns;
  if (child.owned) metadata["ownerReferences"] = Json::array({OwnerReference(view)});
  object = WithoutDigest(std::move(object));
  const std::string digest = StampOf(object);
  ObjectMember(object["metadata"], "annotations")[std::string(kDigestAnnotation)] = digest;
  return object;
}

ChildComparison CompareChild(const View& view, const DesiredChild& child) {
  return CompareObject(view, child.type, CompleteObject(view, child));
}

ChildComparison CompareObject(const View& view, const ResourceType& type, const Json& object) {
  ChildComparison result;
  const std::string ns = FindString(object, {"metadata", "namespace"});
  result.live = view.Find(type, ns, FindString(object, {"metadata", "name"}));
  if (result.live == nullptr) return result;
  if (result.live->deleting) {
    result.state = ChildState::kTerminating;
    return result;
  }
  const Json& live = result.live->object;
  const std::string digest = StampIn(object);
  result.state = StateOf(live, object, digest);
  result.co_owned = CoOwned(live, view.kind.controller);
  if (result.co_owned) result.state = ChildState::kDiffers;
  if (IsAsDesired(result.state) && result.state != ChildState::kUnstamped) return result;
  result.field = Dotted(DifferingField(live, WithoutDigest(object), Json::json_pointer()));
  const Outcome* last = view.LastOutcome(OperationId(Apply{}, RefOf(*result.live)));
  if (last == nullptr || last->digest != digest) return result;
  if (!result.co_owned && Rewritten(*last, live, object)) {
    result.state = ChildState::kRewritten;
  } else if (result.wait = ConflictWait(*last, view.now); result.wait > absl::ZeroDuration()) {
    result.state = ChildState::kFieldManagerConflict;
  }
  return result;
}

bool HasSameFields(const Json& live, const Json& object, const std::string& manager) {
  const std::string fields = FieldSetInStamp(StampIn(live));
  return !fields.empty() && fields == FieldSetInStamp(StampIn(object)) && !CoOwned(live, manager);
}

std::vector<std::string> PatchableFields(const Json& live, const Json& object,
                                         const std::string& manager) {
  if (!HasSameFields(live, object, manager) || Applies(live, manager)) return {};
  std::vector<std::string> fields, keys;
  if (!AddDifferences(live, object, &keys, &fields)) return {};
  if (StampIn(live) != StampIn(object)) {
    fields.push_back(PointerOf({"metadata", "annotations", std::string(kDigestAnnotation)}));
  }
  return fields;
}

}  // namespace xebec::planner
