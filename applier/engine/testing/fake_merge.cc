// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/testing/fake_merge.h"

#include <algorithm>
#include <string>

namespace xebec::applier::testing {
namespace {

/// The key that identifies an element of the list under `member`; "" for lists that are replaced as
/// a whole.
std::string ElementKey(const std::string& member, const Json& element) {
  if (member == "finalizers" && element.is_string()) return element.get<std::string>();
  if (member == "conditions") return FindString(element, {"type"});
  if (member == "ownerReferences") return FindString(element, {"uid"});
  return "";
}

bool Contains(const std::string& member, const Json& list, const std::string& key) {
  return list.is_array() && std::any_of(list.begin(), list.end(), [&](const Json& e) {
           return ElementKey(member, e) == key;
         });
}

Json MergeList(const std::string& member, const Json& live, const Json& before,
               const Json& desired) {
  Json merged = Json::array();
  for (const Json& element : live) {
    const std::string key = ElementKey(member, element);
    if (Contains(member, desired, key) || Contains(member, before, key)) continue;
    merged.push_back(element);
  }
  for (const Json& element : desired) merged.push_back(element);
  return merged;
}

Json MergeMember(const std::string& name, const Json& live, const Json& before,
                 const Json& desired) {
  if (desired.is_object() && live.is_object()) return MergeApplied(live, before, desired);
  const bool keyed = name == "finalizers" || name == "conditions" || name == "ownerReferences";
  if (keyed && live.is_array()) {
    return MergeList(name, live, before, desired.is_array() ? desired : Json::array());
  }
  return desired;
}

/// The fields of `object` as an entry of managedFields has them.
Json FieldsOf(const Json& object) {
  Json fields = Json::object();
  if (!object.is_object()) return fields;
  for (const auto& [key, value] : object.items()) fields["f:" + key] = FieldsOf(value);
  return fields;
}

}  // namespace

Json MergeApplied(Json live, const Json& before, const Json& desired) {
  const Json none = Json::object();
  const Json& old = before.is_object() ? before : none;
  for (const auto& [name, value] : old.items()) {
    if (desired.contains(name) || !live.contains(name)) continue;
    const bool parts = value.is_object() || value.is_array();
    Json rest = parts
                    ? MergeMember(name, live[name], value, value.is_object() ? none : Json::array())
                    : Json();
    if (rest.is_structured() && !rest.empty()) {
      live[name] = std::move(rest);
    } else {
      live.erase(name);
    }
  }
  for (const auto& [name, value] : desired.items()) {
    const Json& was = old.contains(name) ? old[name] : none;
    live[name] = MergeMember(name, live.contains(name) ? live[name] : Json(), was, value);
  }
  return live;
}

Json Without(Json owned, const Json& kept) {
  if (!owned.is_object() || !kept.is_object()) return owned;
  for (const auto& [key, value] : kept.items()) {
    if (!owned.contains(key)) continue;
    if (!owned[key].is_object()) {
      owned.erase(key);
    } else {
      owned[key] = Without(owned[key], value);
    }
  }
  return owned;
}

Json Unchanged(const Json& owned, const Json& before, const Json& after) {
  Json unchanged = Json::object();
  for (const auto& [key, value] : owned.items()) {
    const Json was = before.value(key, Json()), is = after.value(key, Json());
    if (was == is) {
      unchanged[key] = value;
    } else if (value.is_object() && was.is_object() && is.is_object()) {
      Json part = Unchanged(value, was, is);
      if (!part.empty()) unchanged[key] = std::move(part);
    }
  }
  return unchanged;
}

Json Entry(const std::string& manager, const std::string& operation, const std::string& subresource,
           const Json& owned) {
  Json entry = {{"manager", manager}, {"operation", operation}, {"fieldsV1", FieldsOf(owned)}};
  if (!subresource.empty()) entry["subresource"] = subresource;
  return entry;
}

std::string PartialMetadata(const std::string& body) {
  const Json object = *ParseJson(body);
  if (FindString(object, {"kind"}) == "Status") return body;
  return DumpJson({{"apiVersion", "meta.k8s.io/v1"},
                   {"kind", "PartialObjectMetadata"},
                   {"metadata", object.at("metadata")}});
}

}  // namespace xebec::applier::testing
