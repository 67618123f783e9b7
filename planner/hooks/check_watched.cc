// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/model/projection.h"
#include "planner/core/read_context.h"
#include "planner/hooks/parts.h"

namespace xebec::planner::hooks {
namespace {

/// A member of an object that is no object, or an empty one.
struct Leaf {
  std::string path;  ///< With dots.
  Json::json_pointer at;
};

/// Returns true if `outer` is `path` or contains it, as "spec" contains "spec.replicas".
bool Contains(std::string_view outer, std::string_view path) {
  return path.starts_with(outer) && (path.size() == outer.size() || path[outer.size()] == '.');
}

/// Adds the leaves of `value` that the cache does not keep. It keeps a field of the rule, and a
/// leaf that contains one.
void AddUnwatched(const Leaf& place, const Json& value, const ChildRule& rule,
                  std::vector<Leaf>* leaves) {
  const bool leaf = !value.is_object() || value.empty();
  const bool kept =
      std::any_of(rule.fields.begin(), rule.fields.end(), [&](const std::string& field) {
        return Contains(field, place.path) || (leaf && Contains(place.path, field));
      });
  if (kept) return;
  if (leaf) return leaves->push_back(place);
  for (const auto& [name, member] : value.items()) {
    AddUnwatched({absl::StrCat(place.path, ".", name), place.at / name}, member, rule, leaves);
  }
}

/// Returns true if the child looks the same without the field, such as an empty object.
bool IsNeedless(const Json& object, const Leaf& leaf) {
  Json without = object;
  without.at(leaf.at.parent_pointer()).erase(leaf.at.back());
  return ProjectsAlike(without, object);
}

absl::Status CheckLabels(const Json& object, const ChildRule& rule, const std::string& child) {
  if (IsSelected(object, rule)) return absl::OkStatus();
  return Wrong(absl::StrCat(child, " does not match the labelSelector \"", rule.label_selector,
                            "\" of the Operator, so Xebec would not see it: add the labels"));
}

absl::Status CheckFields(const Json& object, const ChildRule& rule, const std::string& child) {
  if (rule.fields.empty()) return absl::OkStatus();
  std::vector<Leaf> leaves;
  for (const auto& [name, member] : object.items()) {
    if (name == "apiVersion" || name == "kind" || name == "metadata") continue;
    AddUnwatched({name, Json::json_pointer() / name}, member, rule, &leaves);
  }
  for (const Leaf& leaf : leaves) {
    if (IsNeedless(object, leaf)) continue;
    return Wrong(absl::StrCat(child, " has the field ", leaf.path,
                              ", which the fields of the Operator do not contain, so Xebec would "
                              "not see it: add it to the fields"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckWatched(const Json& object, const ChildRule& rule, const std::string& child) {
  XEBEC_RETURN_IF_ERROR(CheckLabels(object, rule, child));
  return CheckFields(object, rule, child);
}

}  // namespace xebec::planner::hooks
