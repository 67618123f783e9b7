// SPDX-License-Identifier: Apache-2.0
#include "common/kube/object_identity.h"

#include <algorithm>
#include <utility>

namespace xebec::kube::internal {
namespace {

using Error = simdjson::error_code;

/// Returns the group: "example.com" of "example.com/v1" and of "example.com/v1/Iris"; "" of "v1",
/// the core group.
std::string_view GroupOf(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

Error ReadOwner(od::object owner, ControllerReference* out, bool* is_controller) {
  for (auto member : owner) {
    od::field field;
    if (auto error = std::move(member).get(field)) return error;
    const std::string_view key = RawKey(field);
    Error error = simdjson::SUCCESS;
    if (key == "controller") error = ReadBool(field.value(), is_controller);
    if (key == "apiVersion") error = ReadString(field.value(), &out->api_version);
    if (key == "kind") error = ReadString(field.value(), &out->kind);
    if (key == "name") error = ReadString(field.value(), &out->name);
    if (key == "uid") error = ReadString(field.value(), &out->uid);
    if (error) return error;
  }
  return simdjson::SUCCESS;
}

/// Finds the controller.
Error ReadOwners(od::value value, ControllerReference* out) {
  bool is_null = false;
  if (auto error = IsNull(value, &is_null); error || is_null) return error;
  od::array owners;
  if (auto error = value.get_array().get(owners)) return error;
  for (auto element : owners) {
    od::object owner;
    if (auto error = std::move(element).get_object().get(owner)) return error;
    ControllerReference reference;
    bool is_controller = false;
    if (auto error = ReadOwner(owner, &reference, &is_controller)) return error;
    if (is_controller && out->uid.empty()) *out = std::move(reference);
  }
  return simdjson::SUCCESS;
}

/// Without the label, `out` stays unchanged.
Error ReadLabel(od::value value, std::string_view name, std::string* out) {
  bool is_null = false;
  if (auto error = IsNull(value, &is_null); error || is_null) return error;
  od::object labels;
  if (auto error = value.get_object().get(labels)) return error;
  for (auto member : labels) {
    od::field field;
    if (auto error = std::move(member).get(field)) return error;
    if (RawKey(field) != name) continue;
    if (auto error = ReadString(field.value(), out)) return error;
  }
  return simdjson::SUCCESS;
}

Error ReadMember(std::string_view key, od::value value, const Projection& projection,
                 ObjectHeader* header, const char** where) {
  if (key == "name") return *where = "object.metadata.name", ReadString(value, &header->name);
  if (key == "namespace") {
    return *where = "object.metadata.namespace", ReadString(value, &header->ns);
  }
  if (key == "uid") return *where = "object.metadata.uid", ReadString(value, &header->uid);
  if (key == "resourceVersion") {
    *where = "object.metadata.resourceVersion";
    return ReadString(value, &header->resource_version);
  }
  if (key == "ownerReferences") {
    *where = "object.metadata.ownerReferences";
    return ReadOwners(value, &header->controller);
  }
  if (key == "labels" && !projection.parent_label.empty()) {
    *where = "object.metadata.labels";
    return ReadLabel(value, projection.parent_label, &header->parent_label);
  }
  return simdjson::SUCCESS;
}

}  // namespace

bool IsOneOf(const ControllerReference& controller, const std::vector<std::string>& kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [&](std::string_view kind) {
    const size_t slash = kind.rfind('/');
    return slash != std::string_view::npos && kind.substr(slash + 1) == controller.kind &&
           GroupOf(kind.substr(0, slash)) == GroupOf(controller.api_version);
  });
}

bool Wants(const Projection& projection, ObjectHeader* header) {
  const std::vector<std::string>& kinds = projection.controller_kinds;
  header->controlled =
      kinds.empty() || (!header->controller.uid.empty() && IsOneOf(header->controller, kinds));
  const bool related = header->controlled || !header->parent_label.empty();
  return related &&
         projection.keep.Keeps(header->uid, header->controller.uid, header->parent_label);
}

Error ReadIdentity(od::object metadata, const Projection& projection, ObjectHeader* header,
                   const char** where) {
  for (auto member : metadata) {
    *where = "object.metadata";
    od::field field;
    if (auto error = std::move(member).get(field)) return error;
    if (auto error = ReadMember(RawKey(field), field.value(), projection, header, where)) {
      return error;
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace xebec::kube::internal
