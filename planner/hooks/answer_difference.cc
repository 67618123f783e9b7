// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/base/json.h"
#include "common/base/strings.h"
#include "common/codec/hook_answer.h"
#include "google/protobuf/util/json_util.h"
#include "planner/hooks/parts.h"

namespace xebec::planner::hooks {
namespace {

constexpr size_t kLongestValue = 80;

/// Replaces JSON in a text by the value, so that a difference has a path.
void Expand(Json* holder, const char* member) {
  if (!holder->is_object() || !holder->contains(member)) return;
  const absl::StatusOr<Json> value = ParseJson(FindString(*holder, {member}));
  if (value.ok()) (*holder)[member] = *value;
}

Json TreeOf(const std::string& answer) {
  wire::SyncResponse response;
  std::string text;
  if (!codec::CheckHookAnswer(answer).ok() || !response.ParseFromString(answer) ||
      !google::protobuf::util::MessageToJsonString(response, &text).ok()) {
    return Json::object();
  }
  Json tree = ParseJson(text).value_or(Json::object());
  if (!tree.contains("desired")) return tree;
  Json& desired = tree["desired"];
  Expand(&desired, "status");
  if (!desired.contains("children")) return tree;
  for (Json& child : desired["children"]) Expand(&child, "object");
  return tree;
}

std::string Shown(const Json* value) {
  return value == nullptr ? "absent" : Ellipsize(DumpJson(*value), kLongestValue);
}

std::string Compare(const Json* first, const Json* second, const std::string& path);

std::string CompareMembers(const Json& first, const Json& second, const std::string& path) {
  std::set<std::string> names;
  for (const auto& [name, value] : first.items()) names.insert(name);
  for (const auto& [name, value] : second.items()) names.insert(name);
  for (const std::string& name : names) {
    std::string found = Compare(Find(first, {name}), Find(second, {name}),
                                absl::StrCat(path, path.empty() ? "" : ".", name));
    if (!found.empty()) return found;
  }
  return "";
}

std::string CompareElements(const Json& first, const Json& second, const std::string& path) {
  for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    std::string found =
        Compare(i < first.size() ? &first[i] : nullptr, i < second.size() ? &second[i] : nullptr,
                absl::StrCat(path, "[", i, "]"));
    if (!found.empty()) return found;
  }
  return "";
}

std::string Compare(const Json* first, const Json* second, const std::string& path) {
  if (first != nullptr && second != nullptr) {
    if (*first == *second) return "";
    if (first->is_object() && second->is_object()) return CompareMembers(*first, *second, path);
    if (first->is_array() && second->is_array()) return CompareElements(*first, *second, path);
  }
  return absl::StrCat(path, " is ", Shown(first), ", then ", Shown(second));
}

}  // namespace

std::string DifferenceOf(const std::string& first, const std::string& second) {
  if (first == second) return "";
  const Json before = TreeOf(first), after = TreeOf(second);
  return Compare(&before, &after, "");
}

}  // namespace xebec::planner::hooks
