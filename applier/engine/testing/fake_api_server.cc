// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/testing/fake_api_server.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "applier/engine/testing/fake_merge.h"

namespace xebec::applier::testing {
namespace {

kube::ApiResponse Answer(int code, const Json& body) {
  kube::ApiResponse response;
  response.status = code;
  response.body = DumpJson(body);
  return response;
}

kube::ApiResponse Invalid(const std::string& field, const std::string& message,
                          const std::string& reason = "FieldValueInvalid") {
  return StatusAnswer(422, "Invalid", message,
                      {{"causes", {{{"reason", reason}, {"field", field}, {"message", message}}}}});
}

kube::ApiResponse Modified() {
  return StatusAnswer(409, "Conflict",
                      "Operation cannot be fulfilled: the object has been modified; please apply "
                      "your changes to the latest version and try again");
}

/// A test of a JSON patch failed, or the parent of a member is missing.
kube::ApiResponse Unpatched() {
  return StatusAnswer(422, "Invalid",
                      "the server rejected our request due to an error in our request");
}

kube::ApiResponse OtherUid() {
  return StatusAnswer(409, "Conflict",
                      "Precondition failed: UID in precondition: x, UID in object meta: y");
}

int Controllers(const Json& object) {
  const Json* owners = Find(object, {"metadata", "ownerReferences"});
  if (owners == nullptr) return 0;
  return static_cast<int>(std::count_if(owners->begin(), owners->end(), [](const Json& owner) {
    return FindBool(owner, {"controller"}).value_or(false);
  }));
}

bool Deleting(const Json& object) {
  return Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

bool HasFinalizers(const Json& object) {
  const Json* list = Find(object, {"metadata", "finalizers"});
  return list != nullptr && !list->empty();
}

std::string QueryValue(const std::string& query, const std::string& key) {
  for (const absl::string_view piece : absl::StrSplit(query, '&')) {
    const std::string part(piece);
    if (part.rfind(key + "=", 0) == 0) return part.substr(key.size() + 1);
  }
  return "";
}

/// A PUT of the status of a built-in kind replaces the metadata, too; that of a custom resource
/// does not.
void TakeMetadata(const Json& body, Json* live) {
  for (const char* member : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    (*live)["metadata"].erase(member);
    const Json* value = Find(body, {"metadata", member});
    if (value != nullptr) (*live)["metadata"][member] = *value;
  }
}

}  // namespace

kube::ApiResponse StatusAnswer(int code, const std::string& reason, const std::string& message,
                               const Json& details) {
  return Answer(code, {{"apiVersion", "v1"},
                       {"kind", "Status"},
                       {"status", "Failure"},
                       {"code", code},
                       {"reason", reason},
                       {"message", message},
                       {"details", details}});
}

FakeApiServer::Route FakeApiServer::Parse(const std::string& path) {
  const std::vector<std::string> parts = absl::StrSplit(path, '/', absl::SkipEmpty());
  size_t at = !parts.empty() && parts[0] == "api" ? 2 : 3;
  Route route;
  if (at + 1 < parts.size() && parts[at] == "namespaces") {
    route.ns = parts[at + 1];
    at += 2;
  }
  for (size_t i = 0; i <= at && i < parts.size(); ++i)
    absl::StrAppend(&route.collection, "/", parts[i]);
  route.plural = at < parts.size() ? parts[at] : "";
  route.name = at + 1 < parts.size() ? parts[at + 1] : "";
  route.subresource = at + 2 < parts.size() ? parts[at + 2] : "";
  route.object = absl::StrCat(route.collection, "/", route.name);
  return route;
}

const Json& FakeApiServer::Put(const std::string& path, Json object) {
  const Route route = Parse(path);
  Json& metadata = object["metadata"];
  metadata["name"] = route.name;
  if (!route.ns.empty()) metadata["namespace"] = route.ns;
  if (!metadata.contains("uid")) metadata["uid"] = absl::StrCat("uid-", next_uid_++);
  metadata["resourceVersion"] = absl::StrCat(++version_);
  return objects_[path] = std::move(object);
}

const Json* FakeApiServer::Get(const std::string& path) const {
  const auto found = objects_.find(path);
  return found == objects_.end() ? nullptr : &found->second;
}

void FakeApiServer::FinishDeletion(const std::string& path) {
  objects_.erase(path);
  std::erase_if(applied_, [&](const auto& e) { return std::get<0>(e.first) == path; });
  std::erase_if(posted_, [&](const auto& e) { return e.first.first == path; });
}

Json FakeApiServer::Shape() const {
  Json shape = Json::object();
  for (const auto& [path, object] : objects_) {
    Json plain = object;
    plain["metadata"].erase("resourceVersion");
    plain["metadata"].erase("uid");
    plain["metadata"].erase("managedFields");  // a creation that is repeated owns by an apply
    shape[path] = std::move(plain);
  }
  return shape;
}

std::optional<kube::ApiResponse> FakeApiServer::Barred(const std::string& method,
                                                       const Route& route) const {
  if (not_served.count(route.plural) > 0) {
    kube::ApiResponse response;
    response.status = 404;
    response.body = "404 page not found\n";
    return response;
  }
  if (forbidden.count(method + " " + route.plural) == 0) return std::nullopt;
  return StatusAnswer(
      403, "Forbidden",
      absl::StrCat(route.plural, " \"", route.name, "\" is forbidden: User \"applier\" cannot ",
                   method, " resource \"", route.plural, "\""));
}

std::optional<kube::ApiResponse> FakeApiServer::CreationBarred(const Route& route) const {
  if (terminating_namespaces.count(route.ns) > 0) {
    return StatusAnswer(
        403, "Forbidden",
        absl::StrCat(route.plural, " \"", route.name,
                     "\" is forbidden: unable to create new content in namespace ", route.ns,
                     " because it is being terminated"),
        {{"causes", {{{"reason", "NamespaceTerminating"}, {"field", "metadata.namespace"}}}}});
  }
  if (full_collections.count(route.plural) == 0) return std::nullopt;
  return StatusAnswer(
      403, "Forbidden",
      absl::StrCat(route.plural, " \"", route.name, "\" is forbidden: exceeded quota: q"));
}

kube::ApiResponse FakeApiServer::NotFound(const Route& route) {
  return StatusAnswer(404, "NotFound",
                      absl::StrCat(route.plural, " \"", route.name, "\" not found"),
                      {{"name", route.name}, {"kind", route.plural}});
}

kube::ApiResponse FakeApiServer::Handle(const kube::ApiRequest& request) {
  kube::ApiResponse response = Carry(request);
  if (request.metadata_only && response.status < 300)
    response.body = PartialMetadata(response.body);
  return response;
}

kube::ApiResponse FakeApiServer::Carry(const kube::ApiRequest& request) {
  const std::vector<std::string> halves = absl::StrSplit(request.path, absl::MaxSplits('?', 1));
  const std::string query = halves.size() > 1 ? halves[1] : "";
  const Route route = Parse(halves[0]);
  if (auto barred = Barred(request.method, route)) return *std::move(barred);
  const Json body = request.body.empty() ? Json() : *ParseJson(request.body);
  if (request.method == "POST") {
    Route named = route;
    named.name = FindString(body, {"metadata", "name"});
    named.object = route.collection + "/" + named.name;
    if (Get(named.object) != nullptr) {
      return StatusAnswer(409, "AlreadyExists", named.plural + " already exists");
    }
    if (auto barred = CreationBarred(named)) return *std::move(barred);
    posted_[{named.object, QueryValue(query, "fieldManager")}] = body;
    return Create(named, body);
  }
  if (request.content_type == kube::kApplyContentType) return Apply(route, query, body);
  const Json* live = Get(route.object);
  if (live == nullptr) return NotFound(route);
  if (request.method == "GET") return Answer(200, *live);
  if (request.method == "DELETE") return Delete(route, body);
  if (request.content_type == kube::kMergePatchContentType) {
    return MergeStatus(route, body);
  }
  if (request.method == "PUT") return ReplaceStatus(route, body);
  return JsonPatch(route, query, body);
}

// As a CRD of the original operators: conditions are not declared and therefore pruned.
kube::ApiResponse FakeApiServer::MergeStatus(const Route& route, const Json& patch) {
  if (without_status.count(route.plural) > 0) return NotFound(route);
  const Json& live = objects_.at(route.object);
  if (FindString(patch, {"metadata", "resourceVersion"}) !=
      FindString(live, {"metadata", "resourceVersion"}))
    return Modified();
  Json status = live.value("status", Json::object());
  status.merge_patch(patch.value("status", Json::object()));
  return WriteStatus(route, std::move(status));
}

kube::ApiResponse FakeApiServer::ReplaceStatus(const Route& route, const Json& body) {
  if (without_status.count(route.plural) > 0) return NotFound(route);
  const Json& live = objects_.at(route.object);
  if (FindString(body, {"metadata", "uid"}) != FindString(live, {"metadata", "uid"})) {
    return OtherUid();
  }
  if (FindString(body, {"metadata", "resourceVersion"}) !=
      FindString(live, {"metadata", "resourceVersion"})) {
    return Modified();
  }
  if (route.collection.starts_with("/api/v1/")) TakeMetadata(body, &objects_.at(route.object));
  return WriteStatus(route, body.value("status", Json::object()));
}

kube::ApiResponse FakeApiServer::WriteStatus(const Route& route, Json status) {
  Json& live = objects_.at(route.object);
  Json changed = live;
  changed["status"] = std::move(status);
  if (undeclared_status.count(route.plural) > 0) changed["status"].erase("conditions");
  const auto demanded = demanded_status.find(route.plural);
  if (demanded != demanded_status.end() && !changed["status"].contains(demanded->second)) {
    return Invalid("status." + demanded->second, "Required value", "FieldValueRequired");
  }
  return Update(route, &live, std::move(changed));
}

Json FakeApiServer::ManagedFields(const std::string& path) const {
  Json entries = Json::array();
  for (const auto& [key, owned] : applied_) {
    const auto& [of, manager, subresource] = key;
    if (of == path) entries.push_back(Entry(manager, "Apply", subresource, owned));
  }
  for (const auto& [key, owned] : posted_) {
    if (key.first == path) entries.push_back(Entry(key.second, "Update", "", owned));
  }
  return entries;
}

kube::ApiResponse FakeApiServer::Create(const Route& route, Json body) {
  body["metadata"]["managedFields"] = ManagedFields(route.object);
  effects_.push_back("create " + route.object);
  return Answer(201, Put(route.object, std::move(body)));
}

kube::ApiResponse FakeApiServer::Apply(const Route& route, const std::string& query,
                                       const Json& body) {
  const std::string manager = QueryValue(query, "fieldManager");
  const std::string uid = FindString(body, {"metadata", "uid"});
  const std::string version = FindString(body, {"metadata", "resourceVersion"});
  Json desired = body;
  desired["metadata"].erase("uid");
  desired["metadata"].erase("resourceVersion");
  const AppliedKey key = {route.object, manager, route.subresource};
  const auto found = objects_.find(route.object);
  if (found == objects_.end()) {
    if (!uid.empty())
      return StatusAnswer(409, "Conflict", "uid mismatch: no existing object was found");
    if (auto barred = CreationBarred(route)) return *std::move(barred);
    applied_[key] = desired;
    return Create(route, desired);
  }
  Json& live = found->second;
  if (!version.empty() && version != FindString(live, {"metadata", "resourceVersion"}))
    return Modified();
  if (!uid.empty() && uid != FindString(live, {"metadata", "uid"})) {
    return Invalid("metadata.uid", "metadata.uid: Invalid value: field is immutable");
  }
  const auto posted = posted_.find({route.object, manager});
  Json before = applied_.count(key) ? applied_[key] : Json();
  if (posted != posted_.end()) before = Without(before, posted->second);
  Json changed = MergeApplied(live, before, desired);
  if (Controllers(changed) > 1) {
    return Invalid("metadata.ownerReferences",
                   "Only one reference can have Controller set to true");
  }
  if (Deleting(live) && HasFinalizers(changed) && !HasFinalizers(live)) {
    return Invalid("metadata.finalizers",
                   "no new finalizers can be added if the object is being deleted");
  }
  if (posted != posted_.end()) {
    posted->second = Unchanged(posted->second, live, changed);
    if (posted->second.empty()) posted_.erase(posted);
  }
  applied_[key] = desired;
  changed["metadata"]["managedFields"] = ManagedFields(route.object);
  return Update(route, &live, std::move(changed));
}

kube::ApiResponse FakeApiServer::Update(const Route& route, Json* live, Json changed) {
  if (changed != *live) {
    effects_.push_back("change " + route.object);
    changed["metadata"]["resourceVersion"] = absl::StrCat(++version_);
    *live = std::move(changed);
  }
  const kube::ApiResponse answer = Answer(200, *live);
  if (Deleting(*live) && !HasFinalizers(*live)) {
    effects_.push_back("remove " + route.object);
    FinishDeletion(route.object);
  }
  return answer;
}

kube::ApiResponse FakeApiServer::JsonPatch(const Route& route, const std::string& query,
                                           const Json& patch) {
  Json& live = objects_.at(route.object);
  Json changed = live, added;
  for (const Json& step : patch) {
    const Json::json_pointer at(FindString(step, {"path"}));
    if (FindString(step, {"op"}) == "test") {
      if (changed.contains(at) && changed[at] == step["value"]) continue;
      return Unpatched();
    }
    if (FindString(step, {"op"}) == "add") {  // the field belongs to the manager's Update entry
      if (!changed.contains(at.parent_pointer())) return Unpatched();
      changed[at] = step["value"];
      added[at] = step["value"];
      continue;
    }
    if (route.subresource == "status") return WriteStatus(route, step["value"]);
    if (FindString(step, {"op"}) == "replace") {
      const auto& entry = changed.at(at.parent_pointer());
      const auto posted = posted_.find({route.object, FindString(entry, {"manager"})});
      applied_[{route.object, FindString(entry, {"manager"}), ""}].merge_patch(posted->second);
      changed[at] = step["value"];
      continue;
    }
    if (at.parent_pointer().back() == "managedFields") {
      posted_.erase({route.object, FindString(changed.at(at), {"manager"})});
    }
    changed[at.parent_pointer()].erase(std::stoul(at.back()));
  }
  if (!added.is_null()) {
    const std::string manager = QueryValue(query, "fieldManager");
    posted_[{route.object, manager}].merge_patch(added);
    const auto applied = applied_.find({route.object, manager, ""});
    if (applied != applied_.end()) applied->second = Without(applied->second, added);
    changed["metadata"]["managedFields"] = ManagedFields(route.object);
  }
  return Update(route, &live, std::move(changed));
}

kube::ApiResponse FakeApiServer::Delete(const Route& route, const Json& options) {
  Json& live = objects_.at(route.object);
  const std::string uid = FindString(options, {"preconditions", "uid"});
  if (uid != FindString(live, {"metadata", "uid"})) {
    return OtherUid();
  }
  const std::string version = FindString(options, {"preconditions", "resourceVersion"});
  if (!version.empty() && version != FindString(live, {"metadata", "resourceVersion"})) {
    return StatusAnswer(409, "Conflict", "Precondition failed: ResourceVersion in precondition: x");
  }
  if (HasFinalizers(live) || slow_to_delete.count(route.object) > 0) {
    if (!Deleting(live)) {
      effects_.push_back("delete " + route.object);
      live["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
      live["metadata"]["resourceVersion"] = absl::StrCat(++version_);
    }
    return Answer(200, live);
  }
  effects_.push_back("delete " + route.object);
  FinishDeletion(route.object);
  return Answer(200, {{"kind", "Status"}, {"status", "Success"}});
}

}  // namespace xebec::applier::testing
