// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/hook_laws.h"

#include <algorithm>

#include "common/declare/declaration.h"
#include "planner/hooks/testing/fake_hook.h"

namespace xebec::watcher::testing {
namespace {

constexpr char kOtherDeclaration[] = "a plan from an answer to another declaration was sent";
constexpr char kOtherRequest[] = "a plan from an answer to another request was sent";
constexpr char kOlderDeclaration[] = "a parent was planned with an older declaration again";
constexpr char kPaused[] = "a parent of a paused operator was planned";

int64_t IdOf(const Json& declaration) {
  return FindInt(declaration, {"spec", "configuration", "id"}).value_or(0);
}

// The specs of the children that a plan applies.
std::vector<Json> AppliedSpecs(const Plan& plan) {
  std::vector<Json> specs;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      const auto* apply = std::get_if<Apply>(&operation.action);
      if (apply != nullptr) specs.push_back((*ParseJson(*apply->object))["spec"]);
    }
  }
  return specs;
}

}  // namespace

void HookLaws::OnAsked(const HookRequest& request) {
  const xebec::testing::HookQuestion question =
      xebec::testing::ReadQuestion(request.call.sync_request);
  questions_[request.digest] = {question.parent_uid, question.parent_version,
                                Describe(request.call.endpoint), question.id};
}

std::string HookLaws::OnObserved(const Observation& observation) {
  const Envelope& envelope = observation.envelope;
  const Json object = *ParseJson(*observation.declaration);
  const Declaration declaration = *ReadDeclaration(object);
  bases_[KeyOf(envelope)] = {declaration.uid, IdOf(object), Describe(declaration.hook),
                             envelope.parent.resource_version, std::nullopt};
  const std::pair<std::string, int64_t> version = {
      FindString(object, {"metadata", "creationTimestamp"}), declaration.generation};
  auto& newest = newest_[{envelope.watcher, envelope.controller}];
  if (version < newest) return kOlderDeclaration;
  newest = version;
  return declaration.paused && !declaration.deleting ? kPaused : "";
}

void HookLaws::OnAnswerTaken(const Envelope& envelope, const std::string& digest) {
  bases_[KeyOf(envelope)].answered = questions_.at(digest);
}

std::string HookLaws::DeclarationOf(const Envelope& envelope) const {
  const auto found = bases_.find(KeyOf(envelope));
  return found == bases_.end() ? "" : found->second.declaration;
}

std::string HookLaws::OnSent(const Plan& plan) const {
  const std::vector<Json> specs = AppliedSpecs(plan);
  if (specs.empty()) return "";
  const Basis& basis = bases_.at(KeyOf(plan.envelope));
  for (const Json& spec : specs) {
    if (spec.value("by", int64_t{0}) != basis.id) return kOtherDeclaration;
  }
  if (!basis.answered) return kOtherRequest;
  const Question& answered = *basis.answered;
  if (answered.id != basis.id || answered.endpoint != basis.endpoint) return kOtherDeclaration;
  const bool same = answered.parent_uid == plan.envelope.parent.uid &&
                    answered.parent_version == basis.parent_version;
  return same ? "" : kOtherRequest;
}

}  // namespace xebec::watcher::testing
