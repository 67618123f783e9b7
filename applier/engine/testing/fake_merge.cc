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

}  // namespace xebec::applier::testing
