// SPDX-License-Identifier: Apache-2.0
#include "cli/text/plan_text.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "cli/text/objects.h"
#include "cli/text/table.h"
#include "cli/text/words.h"
#include "common/base/json.h"

namespace xebec::cli {
namespace {

/// The effect of an operation on its target: + creates, ~ changes, - deletes.
const char* SignOf(const Operation& operation) {
  if (std::holds_alternative<Delete>(operation.action)) return "-";
  if (std::holds_alternative<EnsureSecret>(operation.action)) return "+";
  return operation.precondition.absent ? "+" : "~";
}

/// "apply" for "apply deployments.apps default/web".
std::string VerbOf(const Operation& operation) {
  return operation.id.substr(0, operation.id.find(' '));
}

std::string ReasonFor(const Plan& plan, const ObjectRef& ref) {
  for (const ChildIntent& child : plan.children) {
    if (child.ref == ref) return child.reason;
  }
  return "";
}

/// Children that are not deleted and not written.
std::vector<ChildIntent> Untouched(const Plan& plan) {
  std::set<ObjectRef> written;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) written.insert(operation.target);
  }
  std::vector<ChildIntent> untouched = plan.children;
  std::erase_if(untouched, [&](const ChildIntent& child) {
    return child.intent == Intent::kDelete || written.contains(child.ref);
  });
  return untouched;
}

/// The number of children that need no change.
size_t CountRight(const Plan& plan) {
  const std::vector<ChildIntent> all = Untouched(plan);
  return static_cast<size_t>(std::count_if(
      all.begin(), all.end(), [](const ChildIntent& child) { return child.reason.empty(); }));
}

/// The children that need a change later, with the reason.
std::string WaitingText(const Plan& plan) {
  Table table("  ");
  for (const ChildIntent& child : Untouched(plan)) {
    if (!child.reason.empty()) table.Add({".", "later", Describe(child.ref), child.reason});
  }
  return table.TakeText();
}

std::string OperationsText(const Plan& plan) {
  Table table("  ");
  for (size_t i = 0; i < plan.stages.size(); ++i) {
    const std::string stage = plan.stages.size() == 1 ? "" : absl::StrCat(i + 1, ".");
    for (const Operation& operation : plan.stages[i].operations) {
      table.Add({stage, SignOf(operation), VerbOf(operation), Describe(operation.target),
                 ReasonFor(plan, operation.target)});
    }
  }
  return table.TakeText();
}

/// Conditions as a table, other fields as compact JSON.
std::string StatusText(const StatusIntent& status) {
  const Json object = Parsed(status.object);
  const Json* shown = Find(object, {"status"});
  if (shown == nullptr || !shown->is_object()) return "";
  Table fields("  "), conditions("  ");
  for (const auto& [name, value] : shown->items()) {
    if (name != "conditions" || !value.is_array()) {
      fields.Add({name, DumpJson(value)});
      continue;
    }
    for (const Json& each : value) {
      conditions.Add({FindString(each, {"type"}), FindString(each, {"status"}),
                      FindString(each, {"reason"}), FindString(each, {"message"})});
    }
  }
  return absl::StrCat(status.changed ? "Status (changed):\n" : "Status (unchanged):\n",
                      conditions.TakeText(), fields.TakeText());
}

std::string NeedsText(const Plan& plan) {
  std::string text;
  for (const ResourceType& type : plan.live_lists) {
    absl::StrAppend(&text, "Requires a live list of ", ResourceName(type),
                    " before it continues.\n");
  }
  for (const HookRequest& request : plan.hook_requests) {
    absl::StrAppend(&text, "Requires an answer of the hook at ", Describe(request.call.endpoint),
                    ": pass --hook ADDRESS to call it.\n");
  }
  return text;
}

std::string VerdictText(const Plan& plan) {
  switch (plan.verdict) {
    case Verdict::kOk:
      return "";
    case Verdict::kRetry:
      return "Planning failed temporarily and must be retried.\n";
    case Verdict::kInvalid:
      return "The parent is invalid, so nothing but its status is written.\n";
  }
  return "";
}

std::string NotesText(const Plan& plan) {
  std::string text;
  for (const std::string& note : plan.notes) absl::StrAppend(&text, "Note: ", OneLine(note), "\n");
  return text;
}

std::string LaterText(const Plan& plan) {
  const std::string again =
      plan.resync_after ? absl::StrCat("Reconciles again after ", Span(*plan.resync_after), ".\n")
                        : "";
  return absl::StrCat(NeedsText(plan), again, VerdictText(plan), NotesText(plan));
}

}  // namespace

std::string UndecidedText(const Plan& plan) {
  const std::string text = NeedsText(plan) + VerdictText(plan);
  return text.empty() ? text : text + NotesText(plan);
}

std::string ParentOf(const Observation& observation) {
  const Json parent = Parsed(observation.parent);
  const std::string name = FindString(parent, {"metadata", "name"});
  if (name.empty()) return "a parent";
  const std::string ns = FindString(parent, {"metadata", "namespace"});
  return OneLine(absl::StrCat(FindString(parent, {"kind"}), " ", ns, ns.empty() ? "" : "/", name));
}

std::string PlanText(const std::string& parent, const Plan& plan) {
  const size_t untouched = CountRight(plan);
  return absl::StrCat(
      parent, ": ", Count(CountOperations(plan), "operation"),
      untouched == 0 ? "" : absl::StrCat(", ", Count(untouched, "child object"), " unchanged"),
      "\n", OperationsText(plan), WaitingText(plan), plan.status ? StatusText(*plan.status) : "",
      LaterText(plan));
}

}  // namespace xebec::cli
