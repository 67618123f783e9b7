// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/status/comparable_status.h"

#include <algorithm>
#include <string>

namespace xebec::applier {
namespace {

bool IsPlain(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c >= ' ' && c <= '~' && c != '<' && c != '>' && c != '&';
  });
}

bool IsComparable(const Json& value) {
  if (value.is_string()) return IsPlain(value.get_ref<const std::string&>());
  if (value.is_object()) {
    const auto& members = value.get_ref<const Json::object_t&>();
    return std::all_of(members.begin(), members.end(), [](const auto& member) {
      return IsPlain(member.first) && IsComparable(member.second);
    });
  }
  if (value.is_array()) return std::all_of(value.begin(), value.end(), IsComparable);
  return value.is_boolean() || value.is_number_integer();
}

}  // namespace

std::optional<Json> ComparableStatus(const ObjectBytes& status) {
  if (!status) return std::nullopt;
  absl::StatusOr<Json> json = ParseJson(*status);
  if (!json.ok() || !json->is_object() || !IsComparable(*json)) return std::nullopt;
  return *std::move(json);
}

}  // namespace xebec::applier
