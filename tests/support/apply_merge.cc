// SPDX-License-Identifier: Apache-2.0
#include "tests/support/apply_merge.h"

#include <string>
#include <utility>

#include "absl/strings/str_split.h"

namespace xebec::testing {
namespace {

std::string MergeKey(const Json& list) {
  if (!list.is_array() || list.empty()) return "";
  for (const char* key : {"name", "containerPort", "mountPath", "uid", "type", "ip", "key"}) {
    if (list.front().is_object() && list.front().contains(key)) return key;
  }
  return "";
}

Json* FindElement(Json& list, const std::string& key, const Json& like) {
  for (Json& element : list) {
    if (element.is_object() && element.contains(key) && like.contains(key) &&
        element[key] == like[key]) {
      return &element;
    }
  }
  return nullptr;
}

void Remove(Json& live, const Json& before, const Json& desired);

void RemoveElements(Json& live, const Json& before, const Json& desired) {
  const std::string key = MergeKey(before);
  if (key.empty()) return;
  for (const Json& element : before) {
    Json* target = FindElement(live, key, element);
    if (target == nullptr) continue;
    Json wanted = desired;
    Json* still = wanted.is_array() ? FindElement(wanted, key, element) : nullptr;
    if (still != nullptr) {
      Remove(*target, element, *still);
    } else {
      live.erase(static_cast<size_t>(target - &live.front()));
    }
  }
}

void Remove(Json& live, const Json& before, const Json& desired) {
  if (live.is_array() && before.is_array()) return RemoveElements(live, before, desired);
  if (!live.is_object() || !before.is_object()) return;
  for (const auto& [key, value] : before.items()) {
    const auto at = live.find(key);
    if (at == live.end()) continue;
    const auto wanted = desired.is_object() ? desired.find(key) : desired.end();
    if (desired.is_object() && wanted != desired.end()) {
      Remove(*at, value, *wanted);
    } else if (value.is_object()) {
      Remove(*at, value, Json::object());
      if (at->empty()) live.erase(at);
    } else {
      live.erase(at);
    }
  }
}

void Merge(Json& live, const Json& desired) {
  const std::string key = MergeKey(desired);
  if (desired.is_object() && live.is_object()) {
    for (const auto& [name, value] : desired.items()) Merge(live[name], value);
  } else if (!key.empty() && live.is_array()) {
    for (const Json& element : desired) {
      Json* target = FindElement(live, key, element);
      if (target != nullptr) {
        Merge(*target, element);
      } else {
        live.push_back(element);
      }
    }
  } else {
    live = desired;
  }
}

}  // namespace

Json ApplyMerge(Json live, const Json& before, const Json& desired) {
  Remove(live, before, desired);
  Merge(live, desired);
  return live;
}

Json ProjectFields(const Json& object, const std::vector<std::string>& fields) {
  if (fields.empty()) return object;
  Json out = Json::object();
  for (const char* key : {"apiVersion", "kind", "metadata"}) {
    if (object.contains(key)) out[key] = object[key];
  }
  for (const std::string& path : fields) {
    Json::json_pointer pointer;
    for (const auto part : absl::StrSplit(path, '.')) pointer /= std::string(part);
    if (object.contains(pointer)) out[pointer] = object[pointer];
  }
  return out;
}

}  // namespace xebec::testing
