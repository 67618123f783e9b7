// SPDX-License-Identifier: Apache-2.0
#include "common/model/projection.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>

#include "common/model/field_rules.h"
#include "common/model/quantity.h"
#include "common/model/well_known.h"

namespace xebec {
namespace {

using Projected = std::optional<Json>;

Projected ProjectValue(const Json* live, const Json& desired, const FieldPlace& place);

// Scalars.

Projected NormalQuantity(const Json& value, const FieldPlace& place) {
  if (!value.is_string() && !value.is_number()) return value;
  const auto quantity =
      Quantity::Parse(value.is_string() ? value.get_ref<const std::string&>() : DumpJson(value));
  if (!quantity.ok()) return value;
  return Json((IsRoundedToMilli(place) ? quantity->RoundedToMilli() : *quantity).ToString());
}

bool IsDropped(const Json& value, const FieldPlace& place) {
  if (value.is_null()) return true;
  if (value.is_string() && value.get_ref<const std::string&>().empty()) {
    return !IsFreeMap(place.parent) && !EmptyStringMatters(place.key);
  }
  if (!ZeroMeansAbsent(place.key)) return false;
  return (value.is_boolean() && !value.get<bool>()) || AsInt(value) == 0;
}

/// Returns the normal form of a value, or nullopt if the value counts as absent.
Projected Normal(const Json& value, const FieldPlace& place) {
  if (value.is_structured()) return value;
  if (IsDropped(value, place)) return std::nullopt;
  if (IsQuantityField(place)) return NormalQuantity(value, place);
  // nlohmann::json treats 2^64-1 and -1 as equal.
  if (value.is_number_unsigned() && !AsInt(value)) return Json("uint64 " + DumpJson(value));
  if (value.is_number_float()) {
    if (const auto whole = AsInt(value); whole.has_value()) return Json(*whole);
  }
  return value;
}

// Objects.

bool IsIgnored(const FieldPlace& place) {
  return IsIdentityField(place) ||
         (place.parent == "annotations" && place.key == kDigestAnnotation);
}

Projected ProjectObject(const Json& live, const Json& desired, const FieldPlace& place) {
  if (!live.is_object()) return live;
  Json result = Json::object();
  for (const auto& [key, value] : desired.get_ref<const Json::object_t&>()) {
    const FieldPlace inner{key, place.key, place.depth + 1};
    if (IsIgnored(inner)) continue;
    Projected projected = ProjectValue(Find(live, {key}), value, inner);
    if (projected.has_value()) result[key] = *std::move(projected);
  }
  const bool matters = desired.empty() && EmptyObjectMatters(place.key);
  if (result.empty() && !matters) return std::nullopt;
  return result;
}

// Lists.

// The order matters: elements such as volumeMounts and ownerReferences also have a name.
constexpr std::array<const char*, 9> kMergeKeys = {
    "uid", "mountPath", "devicePath", "containerPort", "name", "type", "ip", "key", "topologyKey"};

/// Returns the identity of an element by a merge key, or null if the element lacks the key.
Json KeyOf(const Json& element, const char* merge_key) {
  const Json* key = Find(element, {merge_key});
  if (key == nullptr || key->is_structured() || key->is_null()) return Json();
  if (std::string_view(merge_key) != "containerPort") return *key;
  const std::string protocol = FindString(element, {"protocol"});
  return Json::array({*key, protocol.empty() ? "TCP" : protocol});
}

bool TellsApart(const Json& list, const char* merge_key) {
  std::set<Json> seen;
  for (const Json& element : list) {
    Json key = KeyOf(element, merge_key);
    if (key.is_null() || !seen.insert(std::move(key)).second) return false;
  }
  return true;
}

/// Returns the merge key of a list, or null if elements are identified by their position.
const char* MergeKey(const Json& list, const FieldPlace& place) {
  if (IsAtomicList(place.key)) return nullptr;
  const auto found =
      std::ranges::find_if(kMergeKeys, [&](const char* key) { return TellsApart(list, key); });
  return list.empty() || found == kMergeKeys.end() ? nullptr : *found;
}

const Json* FindElement(const Json& list, const Json& key, const char* merge_key) {
  const auto found = std::ranges::find_if(
      list, [&](const Json& element) { return KeyOf(element, merge_key) == key; });
  return found == list.end() ? nullptr : &*found;
}

Json ProjectKeyed(const Json& live, const Json& desired, const char* merge_key,
                  const FieldPlace& place) {
  Json result = Json::array();
  for (const Json& element : desired) {
    const Json* found = FindElement(live, KeyOf(element, merge_key), merge_key);
    if (found == nullptr) continue;
    result.push_back(ProjectValue(found, element, place).value_or(Json()));
  }
  return result;
}

Json ProjectSet(const Json& live, const Json& desired) {
  Json result = Json::array();
  for (const Json& element : desired) {
    if (std::ranges::find(live, element) != live.end()) result.push_back(element);
  }
  return result;
}

Json ProjectByPlace(const Json& live, const Json& desired, const FieldPlace& place) {
  if (live.size() != desired.size()) return live;
  Json result = Json::array();
  for (size_t i = 0; i < desired.size(); ++i) {
    result.push_back(ProjectValue(&live[i], desired[i], place).value_or(Json()));
  }
  return result;
}

Projected ProjectList(const Json& live, const Json& desired, const FieldPlace& place) {
  if (!live.is_array()) return live;
  if (desired.empty()) {
    // An empty list with a merge key requires nothing. Any other list must be empty.
    return live.empty() || MergeKey(live, place) != nullptr ? Projected() : Projected(live);
  }
  if (IsSet(place.key) && std::ranges::all_of(desired, &Json::is_string)) {
    return ProjectSet(live, desired);
  }
  if (const char* merge_key = MergeKey(desired, place); merge_key != nullptr) {
    return ProjectKeyed(live, desired, merge_key, place);
  }
  return ProjectByPlace(live, desired, place);
}

Projected ProjectValue(const Json* live, const Json& desired, const FieldPlace& place) {
  if (desired.is_null() || live == nullptr || live->is_null()) return std::nullopt;
  if (desired.is_object()) return ProjectObject(*live, desired, place);
  if (desired.is_array()) return ProjectList(*live, desired, place);
  return Normal(*live, place);
}

// The comparison of two projections. Each function follows the one above that makes the value.

/// ProjectValue(live, desired) == ProjectValue(&desired, desired)
bool Alike(const Json* live, const Json& desired, const FieldPlace& place);

/// ProjectValue(&desired, desired) is nullopt.
bool CountsAsAbsent(const Json& desired, const FieldPlace& place) {
  if (desired.is_array()) return desired.empty();
  if (!desired.is_object()) return IsDropped(desired, place);
  const auto& members = desired.get_ref<const Json::object_t&>();
  if (members.empty()) return !EmptyObjectMatters(place.key);
  return std::ranges::all_of(members, [&](const auto& member) {
    const FieldPlace inner{member.first, place.key, place.depth + 1};
    return IsIgnored(inner) || CountsAsAbsent(member.second, inner);
  });
}

bool AlikeObjects(const Json& live, const Json& desired, const FieldPlace& place) {
  if (!live.is_object()) return false;
  const auto& members = desired.get_ref<const Json::object_t&>();
  return std::ranges::all_of(members, [&](const auto& member) {
    const FieldPlace inner{member.first, place.key, place.depth + 1};
    return IsIgnored(inner) || Alike(Find(live, {member.first}), member.second, inner);
  });
}

bool AlikeKeyed(const Json& live, const Json& desired, const char* merge_key,
                const FieldPlace& place) {
  return std::ranges::all_of(desired, [&](const Json& element) {
    const Json* found = FindElement(live, KeyOf(element, merge_key), merge_key);
    return found != nullptr && Alike(found, element, place);
  });
}

bool AlikeByPlace(const Json& live, const Json& desired, const FieldPlace& place) {
  if (live.size() != desired.size()) return false;
  for (size_t i = 0; i < desired.size(); ++i) {
    if (!Alike(&live[i], desired[i], place)) return false;
  }
  return true;
}

bool AlikeLists(const Json& live, const Json& desired, const FieldPlace& place) {
  if (!live.is_array()) return false;
  if (desired.empty()) return live.empty() || MergeKey(live, place) != nullptr;
  if (IsSet(place.key) && std::ranges::all_of(desired, &Json::is_string)) {
    return ProjectSet(live, desired) == desired;
  }
  if (const char* merge_key = MergeKey(desired, place); merge_key != nullptr) {
    return AlikeKeyed(live, desired, merge_key, place);
  }
  return AlikeByPlace(live, desired, place);
}

bool Alike(const Json* live, const Json& desired, const FieldPlace& place) {
  if (desired.is_null()) return true;
  if (live == nullptr || live->is_null()) return CountsAsAbsent(desired, place);
  if (desired.is_object()) return AlikeObjects(*live, desired, place);
  if (desired.is_array()) return AlikeLists(*live, desired, place);
  if (live->type() == desired.type() && *live == desired) return true;
  return Normal(*live, place) == Normal(desired, place);
}

}  // namespace

Json Project(const Json& live, const Json& desired) {
  return ProjectValue(&live, desired, {}).value_or(Json::object());
}

bool ProjectsAlike(const Json& live, const Json& desired) {
  if (Alike(&live, desired, {})) return true;
  // Project returns {} for an absent value.
  return live.is_object() && live.empty() && CountsAsAbsent(desired, {});
}

}  // namespace xebec
