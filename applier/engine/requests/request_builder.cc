// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/requests/request_builder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "applier/engine/requests/json_patch.h"
#include "common/base/digest.h"
#include "common/base/strings.h"

namespace xebec::applier {
namespace {

// The API server refuses a JSON patch with more than 10,000 operations. A patch of many fields
// costs it more than an apply.
constexpr size_t kMostFields = 1000;

std::string ManagerQuery(std::string_view manager) {
  return absl::StrCat("?fieldManager=", kube::QueryEscape(std::string(manager)));
}

Json Skeleton(const ObjectRef& target) {
  Json body = {{"apiVersion", ApiVersion(target.type)},
               {"kind", target.type.kind},
               {"metadata", {{"name", target.name}}}};
  if (!target.ns.empty()) body["metadata"]["namespace"] = target.ns;
  return body;
}

std::string_view PropagationPolicy(Propagation propagation) {
  switch (propagation) {
    case Propagation::kForeground:
      return "Foreground";
    case Propagation::kOrphan:
      return "Orphan";
    case Propagation::kBackground:
      break;
  }
  return "Background";
}

/// The text of `body` with other metadata, without a copy of the tree.
std::string DumpWithMetadata(const Json& body, const Json& metadata) {
  std::string text = absl::StrCat("{\"metadata\":", DumpJson(metadata));
  for (const auto& [key, value] : body.items()) {
    if (key != "metadata") absl::StrAppend(&text, ",", DumpJson(key), ":", DumpJson(value));
  }
  return text + "}";
}

/// The scalar of `body` at a JSON pointer, or null.
const Json* ScalarAt(const Json& body, std::string_view pointer) {
  if (!pointer.starts_with("/")) return nullptr;
  const Json* at = &body;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(pointer.substr(1)), '/')) {
    const std::string key = absl::StrReplaceAll(part, {{"~1", "/"}, {"~0", "~"}});
    if (!at->is_object() || !at->contains(key)) return nullptr;
    at = &(*at)[key];
  }
  return at->is_structured() || at->is_null() ? nullptr : at;
}

/// Tests for the controller reference of `body`, if it has one.
void TestController(const Json& body, Json* patch) {
  const Json* owners = Find(body, {"metadata", "ownerReferences"});
  for (size_t i = 0; owners != nullptr && i < owners->size(); ++i) {
    const Json& owner = (*owners)[i];
    if (!FindBool(owner, {"controller"}).value_or(false)) continue;
    const std::string path = absl::StrCat("/metadata/ownerReferences/", i);
    patch->push_back(TestOperation(path + "/uid", FindString(owner, {"uid"})));
    patch->push_back(TestOperation(path + "/controller", true));
  }
}

/// The metadata of `body` without what only the API server decides.
Json DesiredMetadata(const ObjectRef& target, const Json& body) {
  Json metadata = body.value("metadata", Json::object());
  if (!target.ns.empty()) metadata["namespace"] = target.ns;
  for (const char* member : {"managedFields", "uid", "resourceVersion"}) metadata.erase(member);
  return metadata;
}

kube::ApiRequest ForMetadata(kube::ApiRequest request) {
  request.metadata_only = true;
  return request;
}

int HexValue(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

}  // namespace

kube::ApiRequest CreateRequest(const ObjectRef& target, std::string_view manager,
                               const Json& body) {
  return {"POST",
          absl::StrCat(kube::CollectionPath(target.type, target.ns), ManagerQuery(manager),
                       "&fieldValidation=Strict"),
          kube::kJsonContentType, DumpWithMetadata(body, DesiredMetadata(target, body))};
}

kube::ApiRequest ApplyRequest(const ObjectRef& target, std::string_view manager, const Json& body,
                              const Expect& expect) {
  Json metadata = DesiredMetadata(target, body);
  if (!expect.uid.empty()) metadata["uid"] = expect.uid;
  if (!expect.resource_version.empty()) metadata["resourceVersion"] = expect.resource_version;
  return {"PATCH", absl::StrCat(kube::ObjectPath(target), ManagerQuery(manager), "&force=true"),
          kube::kApplyContentType, DumpWithMetadata(body, metadata)};
}

std::optional<kube::ApiRequest> FieldPatchRequest(const ObjectRef& target, std::string_view manager,
                                                  const Json& body,
                                                  const std::vector<std::string>& fields,
                                                  const Expect& expect) {
  if (fields.empty() || fields.size() > kMostFields) return std::nullopt;
  Json patch = Json::array();
  if (!expect.uid.empty()) patch.push_back(TestOperation("/metadata/uid", expect.uid));
  if (!expect.resource_version.empty()) {
    patch.push_back(TestOperation("/metadata/resourceVersion", expect.resource_version));
  }
  TestController(body, &patch);
  for (const std::string& field : fields) {
    const Json* value = ScalarAt(body, field);
    if (value == nullptr) return std::nullopt;
    patch.push_back({{"op", "add"}, {"path", field}, {"value", *value}});
  }
  return JsonPatchRequest(target, manager, patch);
}

kube::ApiRequest JsonPatchRequest(const ObjectRef& target, std::string_view manager,
                                  const Json& patch) {
  return {"PATCH", absl::StrCat(kube::ObjectPath(target), ManagerQuery(manager)),
          kube::kJsonPatchContentType, DumpJson(patch)};
}

kube::ApiRequest FirstStatusRequest(const ObjectRef& parent, std::string_view manager, Json status,
                                    const Expect& expect) {
  Json object = Skeleton(parent);
  object["metadata"]["uid"] = expect.uid;
  object["metadata"]["resourceVersion"] = expect.resource_version;
  object["status"] = std::move(status);
  return {"PUT", absl::StrCat(kube::ObjectPath(parent, "status"), ManagerQuery(manager)),
          kube::kJsonContentType, DumpJson(object), /*metadata_only=*/true};
}

kube::ApiRequest StatusRequest(const ObjectRef& parent, std::string_view manager, const Json& body,
                               const Expect& expect) {
  const Json patch = {
      {"metadata", {{"uid", expect.uid}, {"resourceVersion", expect.resource_version}}},
      {"status", body.value("status", Json::object())}};
  return {"PATCH", absl::StrCat(kube::ObjectPath(parent, "status"), ManagerQuery(manager)),
          kube::kMergePatchContentType, DumpJson(patch), /*metadata_only=*/true};
}

kube::ApiRequest ReplaceStatusRequest(const ObjectRef& parent, std::string_view manager,
                                      const std::string& uid, const Json& observed,
                                      const Json& wanted) {
  const Json patch = Json::array({TestOperation("/metadata/uid", uid),
                                  TestOperation("/status", observed),
                                  {{"op", "replace"}, {"path", "/status"}, {"value", wanted}}});
  return {"PATCH", absl::StrCat(kube::ObjectPath(parent, "status"), ManagerQuery(manager)),
          kube::kJsonPatchContentType, DumpJson(patch), /*metadata_only=*/true};
}

kube::ApiRequest DeleteRequest(const ObjectRef& target, const Precondition& precondition,
                               Propagation propagation) {
  Json body = {{"apiVersion", "v1"},
               {"kind", "DeleteOptions"},
               {"preconditions", {{"uid", precondition.uid}}},
               {"propagationPolicy", PropagationPolicy(propagation)}};
  if (!precondition.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = precondition.resource_version;
  }
  return {"DELETE", kube::ObjectPath(target), kube::kJsonContentType, DumpJson(body),
          /*metadata_only=*/true};
}

kube::ApiRequest AddFinalizerRequest(const ObjectRef& parent, std::string_view manager,
                                     const std::string& finalizer, const Expect& expect) {
  Json body = Skeleton(parent);
  body["metadata"]["finalizers"] = Json::array({finalizer});
  return ForMetadata(
      ApplyRequest(parent, absl::StrCat(ToAbsl(manager), "-finalizer"), body, expect));
}

kube::ApiRequest RemoveFinalizerRequest(const ObjectRef& parent, std::string_view manager,
                                        const std::string& finalizer, size_t index,
                                        const Expect& expect) {
  const std::string path = absl::StrCat("/metadata/finalizers/", index);
  const Json patch =
      Json::array({TestOperation("/metadata/uid", expect.uid),
                   TestOperation("/metadata/resourceVersion", expect.resource_version),
                   TestOperation(path, finalizer),
                   {{"op", "remove"}, {"path", path}}});
  return ForMetadata(JsonPatchRequest(parent, manager, patch));
}

kube::ApiRequest CreateSecretRequest(const ObjectRef& target, std::string_view manager,
                                     const EnsureSecret& secret, std::string_view random) {
  Json body = Skeleton(target);
  body["type"] = "Opaque";
  for (const auto& [key, value] : secret.labels) body["metadata"]["labels"][key] = value;
  for (const std::string& key : secret.generated_keys) {
    body["stringData"][key] =
        GeneratePassword(random, absl::StrCat(target.ns, "/", target.name, "/", key));
  }
  return {"POST", absl::StrCat(kube::CollectionPath(target.type, target.ns), ManagerQuery(manager)),
          kube::kJsonContentType, DumpJson(body), /*metadata_only=*/true};
}

kube::ApiRequest GetRequest(const ObjectRef& target) {
  return {"GET", kube::ObjectPath(target), "", ""};
}

std::string GeneratePassword(std::string_view random, std::string_view label) {
  constexpr std::string_view kAlphabet =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  constexpr size_t kLength = 32;
  constexpr int kFair = 256 - 256 % 62;  // bytes from here on would favour the first letters
  std::string password;
  for (int block = 0; password.size() < kLength; ++block) {
    const std::string hex = Sha256Hex(absl::StrCat(ToAbsl(random), "|", block, "|", ToAbsl(label)));
    for (size_t i = 0; i + 1 < hex.size() && password.size() < kLength; i += 2) {
      const int byte = HexValue(hex[i]) * 16 + HexValue(hex[i + 1]);
      if (byte < kFair) password += kAlphabet[static_cast<size_t>(byte) % kAlphabet.size()];
    }
  }
  return password;
}

}  // namespace xebec::applier
