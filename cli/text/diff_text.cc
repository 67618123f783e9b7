// SPDX-License-Identifier: Apache-2.0
#include "cli/text/diff_text.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/text/field_changes.h"
#include "cli/text/objects.h"
#include "cli/text/plan_text.h"
#include "cli/text/words.h"
#include "common/base/json.h"

namespace xebec::cli {
namespace {

/// The child as the observation has it; null if it has none of that name.
Json Observed(const Observation& observation, const ObjectRef& ref) {
  for (const ObjectGroup& group : observation.children) {
    if (group.type.group != ref.type.group || group.type.kind != ref.type.kind) continue;
    for (const ObjectBytes& bytes : group.objects) {
      Json object = Parsed(bytes);
      if (FindString(object, {"metadata", "name"}) == ref.name &&
          FindString(object, {"metadata", "namespace"}) == ref.ns) {
        return object;
      }
    }
  }
  return {};
}

std::string FieldsText(const Json& live, const Json& desired) {
  std::string text;
  for (const FieldChange& change : ChangedFields(live, desired)) {
    const std::string old_value =
        change.old_value.is_null() ? "" : DumpJson(change.old_value) + " -> ";
    const std::string line = absl::StrCat(change.path, ": ", old_value, DumpJson(change.new_value));
    absl::StrAppend(&text, "      ", OneLine(line), "\n");
  }
  return text;
}

std::string OperationText(const Observation& observation, const Operation& operation) {
  const std::string target = OneLine(Describe(operation.target));
  if (const auto* apply = std::get_if<Apply>(&operation.action)) {
    const Json live = Observed(observation, operation.target);
    return absl::StrCat(live.is_null() ? "  + " : "  ~ ", target, "\n",
                        FieldsText(live, Parsed(apply->object)));
  }
  if (std::holds_alternative<Delete>(operation.action)) return absl::StrCat("  - ", target, "\n");
  if (const auto* secret = std::get_if<EnsureSecret>(&operation.action)) {
    std::string text = absl::StrCat("  + ", target, "   unless it exists\n");
    for (const std::string& key : secret->generated_keys) {
      absl::StrAppend(&text, "      data.", OneLine(key), ": a random value\n");
    }
    return text;
  }
  const auto* removed = std::get_if<RemoveFinalizer>(&operation.action);
  const std::string finalizer =
      removed != nullptr ? removed->finalizer : std::get<AddFinalizer>(operation.action).finalizer;
  return absl::StrCat("  ~ ", target,
                      "\n      metadata.finalizers: ", removed != nullptr ? "remove " : "add ",
                      OneLine(finalizer), "\n");
}

}  // namespace

std::string DiffText(const Observation& observation, const Plan& plan) {
  std::string text;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      absl::StrAppend(&text, OperationText(observation, operation));
    }
  }
  const std::string undecided = UndecidedText(plan);
  for (const absl::string_view line : absl::StrSplit(undecided, '\n', absl::SkipEmpty())) {
    absl::StrAppend(&text, "  ", line, "\n");
  }
  return text.empty() ? text : absl::StrCat(ParentOf(observation), "\n", text);
}

}  // namespace xebec::cli
