// SPDX-License-Identifier: Apache-2.0
#include "planner/core/parent.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/model/names.h"
#include "common/model/well_known.h"

namespace xebec::planner {
namespace {

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("parent", std::string(what)));
}

void ReadApiVersion(const std::string& api_version, Parent* parent) {
  const size_t slash = api_version.find('/');
  if (slash == std::string::npos) {
    parent->version = api_version;
  } else {
    parent->group = api_version.substr(0, slash);
    parent->version = api_version.substr(slash + 1);
  }
}

void ReadFinalizers(Parent* parent) {
  const Json* list = Find(parent->object, {"metadata", "finalizers"});
  if (list == nullptr || !list->is_array()) return;
  for (const Json& entry : *list) {
    if (entry.is_string()) parent->finalizers.push_back(entry.get<std::string>());
  }
}

absl::Status ReadMetadata(Parent* parent) {
  const Json& object = parent->object;
  parent->name = FindString(object, {"metadata", "name"});
  if (parent->name.empty()) return Wrong(".metadata.name is missing");
  if (!IsDns1123Subdomain(parent->name)) {
    return Wrong(absl::StrCat(".metadata.name \"", parent->name, "\" is not a DNS-1123 subdomain"));
  }
  parent->ns = FindString(object, {"metadata", "namespace"});
  parent->uid = FindString(object, {"metadata", "uid"});
  parent->resource_version = FindString(object, {"metadata", "resourceVersion"});
  parent->generation = FindInt(object, {"metadata", "generation"}).value_or(0);
  parent->deleting = Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
  const std::string_view paused = kPausedAnnotation;
  parent->paused = FindString(object, {"metadata", "annotations", paused}) == "true";
  parent->unreadable = FindString(object, {kUnreadableMember});
  ReadFinalizers(parent);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Parent> ReadParent(const ObjectBytes& bytes) {
  if (bytes == nullptr) return Wrong(" is missing");
  absl::StatusOr<Json> json = ParseJson(*bytes);
  if (!json.ok()) return Wrong(absl::StrCat(": ", json.status().message()));
  if (!json->is_object()) return Wrong(" is not a JSON object");
  Parent parent;
  parent.object = *std::move(json);
  ReadApiVersion(FindString(parent.object, {"apiVersion"}), &parent);
  parent.kind = FindString(parent.object, {"kind"});
  if (parent.version.empty()) return Wrong(".apiVersion is missing");
  if (parent.kind.empty()) return Wrong(".kind is missing");
  if (absl::Status s = ReadMetadata(&parent); !s.ok()) return s;
  return parent;
}

bool HasFinalizer(const Parent& parent, std::string_view finalizer) {
  const std::vector<std::string>& all = parent.finalizers;
  return std::find(all.begin(), all.end(), finalizer) != all.end();
}

ObjectRef ParentRef(const Parent& parent, const ResourceType& registered) {
  ResourceType type = registered;
  type.version = parent.version;
  return {type, parent.ns, parent.name};
}

}  // namespace xebec::planner
