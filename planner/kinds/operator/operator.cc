// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/operator/operator.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/declare/declaration.h"
#include "planner/kinds/operator/operator_reasons.h"

namespace xebec::planner {
namespace {

using declared::kAccepted;
using declared::kConnecting;
using declared::kHookAvailable;
using declared::kHookUnavailable;
using declared::kNotReadable;
using declared::kNotServed;
using declared::kPaused;
using declared::kReconciled;
using declared::kReconcileFailed;
using declared::kRefused;
using declared::kResolving;
using declared::kRunning;
using declared::kServed;

Condition Say(const char* type, const char* status, std::string_view reason, std::string message) {
  return {type, status, std::string(reason), std::move(message)};
}

Condition Accepted(const DeclarationFacts& facts) {
  if (facts.refusal.empty()) return Say("Accepted", "True", kAccepted, "The operator is accepted");
  return Say("Accepted", "False", kRefused, facts.refusal);
}

Condition ResourcesServed(const Declaration& declaration, const DeclarationFacts& facts) {
  std::string problems;
  bool all = facts.resources.size() >= ResourcesOf(declaration).size(), served = true;
  for (const DeclaredResource& resource : facts.resources) {
    if (resource.problem.empty()) {
      all &= resource.type.has_value();
      continue;
    }
    served &= resource.type.has_value();
    absl::StrAppend(&problems, problems.empty() ? "" : "; ", resource.problem);
  }
  if (!problems.empty()) {
    return Say("ResourcesServed", "False", served ? kNotReadable : kNotServed, problems);
  }
  if (!all)
    return Say("ResourcesServed", "Unknown", kResolving,
               "The watcher has not read all resources of the spec yet");
  return Say("ResourcesServed", "True", kServed, "The watcher can read all resources of the spec");
}

Condition HookCondition(const Declaration& declaration, const DeclarationFacts& facts) {
  const std::string hook = Describe(declaration.hook);
  if (!facts.hook) {
    return Say("HookAvailable", "Unknown", kConnecting, absl::StrCat("Connecting to ", hook));
  }
  if (facts.hook->available) {
    return Say(
        "HookAvailable", "True", kHookAvailable,
        absl::StrCat("The hook at ", hook, " answers; its revision is ", facts.hook->revision));
  }
  return Say("HookAvailable", "False", kHookUnavailable,
             absl::StrCat("The hook is not available: ", facts.hook->message));
}

Condition ParentsReconciled(const DeclarationFacts& facts) {
  if (facts.problems == 0 && facts.failure.empty()) {
    return Say("ParentsReconciled", "True", kReconciled,
               "The last reconcile of every parent succeeded");
  }
  std::string message = facts.failure;
  if (facts.problems > 0) {
    message = absl::StrCat("The last reconcile of ", facts.problems, " of ", facts.parents,
                           " parents failed", message.empty() ? "" : ": ", message);
  }
  return Say("ParentsReconciled", "False", kReconcileFailed, std::move(message));
}

Condition Ready(const Declaration& declaration, const std::vector<Condition>& parts) {
  for (const Condition& part : parts) {
    if (part.status == "True") continue;
    return {"Ready", part.status == "Unknown" ? "Unknown" : "False", part.reason, part.message};
  }
  if (declaration.paused) {
    return Say("Ready", "False", kPaused,
               "spec.paused is true, so Xebec does not manage the parents");
  }
  return Say("Ready", "True", kRunning, "Xebec calls the hook and manages the parents");
}

EventFact Warning(const Condition& condition) {
  EventFact event;
  event.warning = true;
  event.reason = condition.reason;
  event.action = "Run";
  event.note = condition.message;
  return event;
}

Json Status(const DeclarationFacts& facts) {
  Json resources = Json::array();
  for (const DeclaredResource& each : facts.resources) {
    Json resource = {{"resource", Describe(each)}};
    if (each.type) {
      resource["kind"] = each.type->kind;
      resource["scope"] = each.type->cluster_scoped ? "Cluster" : "Namespaced";
    }
    if (!each.problem.empty()) resource["problem"] = each.problem;
    resources.push_back(std::move(resource));
  }
  return {{"parents", facts.parents},
          {"problems", facts.problems},
          {"hookRevision", facts.hook ? Json(facts.hook->revision) : Json()},
          {"resources", std::move(resources)}};
}

// Why an Operator that is being deleted is still there, with what is known about the obstacle.
std::string WhyHeld(const DeclarationFacts& facts) {
  std::string message =
      "Waiting until Xebec has removed the finalizer of this operator from all parents";
  for (const DeclaredResource& resource : facts.resources) {
    if (!resource.problem.empty()) absl::StrAppend(&message, "; ", resource.problem);
  }
  if (facts.problems > 0 || !facts.failure.empty()) {
    absl::StrAppend(&message, ". ", ParentsReconciled(facts).message);
  }
  return message;
}

DesiredState Desired(const View& view) {
  DesiredState state;
  const absl::StatusOr<Declaration> declaration = ReadDeclaration(view.parent);
  if (!declaration.ok()) {
    state.needs_finalizer = false;
    state.invalid = std::string(declaration.status().message());
    if (view.facts != nullptr && !view.facts->released) {
      state.keeps_finalizer = WhyHeld(*view.facts);
    }
    return state;
  }
  const DeclarationFacts facts = view.facts == nullptr ? DeclarationFacts() : *view.facts;
  state.needs_finalizer = declaration->finalizer;
  if (view.facts != nullptr && !facts.released) {
    state.keeps_finalizer = WhyHeld(facts);
  }
  std::vector<Condition> parts = {Accepted(facts), ResourcesServed(*declaration, facts),
                                  HookCondition(*declaration, facts)};
  state.conditions = {Ready(*declaration, parts)};
  parts.push_back(ParentsReconciled(facts));
  for (const Condition& part : parts) {
    if (part.status == "False") state.events.push_back(Warning(part));
  }
  for (Condition& part : parts) state.conditions.push_back(std::move(part));
  state.status = Status(facts);
  return state;
}

}  // namespace

std::vector<Kind> OperatorKinds() {
  KindDescription description;
  description.controller = "operators.xebec.dev";
  description.parent = {std::string(kOperatorGroup), "v1alpha1", std::string(kOperatorKind),
                        "operators", true};
  description.finalizer = "operators.xebec.dev/release";
  description.declares = true;
  return {{description, Desired, TypesOf(declared::kConditions)}};
}

}  // namespace xebec::planner
