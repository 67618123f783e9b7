// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/base/status.h"
#include "common/model/label_selector.h"
#include "planner/hooks/parts.h"

namespace xebec::planner::hooks {
namespace {

/// Returns true if `field` is `path` or contains it, as "spec" contains "spec.replicas".
bool Contains(std::string_view field, std::string_view path) {
  return path.starts_with(field) && (path.size() == field.size() || path[field.size()] == '.');
}

/// Returns the path of a member of `value` that no field contains; empty if there is none.
std::string Unwatched(const std::string& path, const Json& value, const ChildRule& rule) {
  const bool contained =
      std::any_of(rule.fields.begin(), rule.fields.end(),
                  [&](const std::string& field) { return Contains(field, path); });
  if (contained) return "";
  if (!value.is_object() || value.empty()) return path;
  for (const auto& [name, member] : value.items()) {
    std::string found = Unwatched(absl::StrCat(path, ".", name), member, rule);
    if (!found.empty()) return found;
  }
  return "";
}

absl::Status CheckLabels(const Json& object, const ChildRule& rule, const std::string& child) {
  XEBEC_ASSIGN_OR_RETURN(const LabelSelector selector, LabelSelector::Parse(rule.label_selector));
  if (selector.Matches(Find(object, {"metadata", "labels"}))) return absl::OkStatus();
  return Wrong(absl::StrCat(child, " does not match the labelSelector \"", rule.label_selector,
                            "\" of the Operator, so Xebec would not see it: add the labels"));
}

absl::Status CheckFields(const Json& object, const ChildRule& rule, const std::string& child) {
  if (rule.fields.empty()) return absl::OkStatus();
  for (const auto& [name, member] : object.items()) {
    if (name == "apiVersion" || name == "kind" || name == "metadata") continue;
    const std::string path = Unwatched(name, member, rule);
    if (path.empty()) continue;
    return Wrong(absl::StrCat(child, " has the field ", path,
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
