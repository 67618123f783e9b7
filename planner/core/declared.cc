// SPDX-License-Identifier: Apache-2.0
#include "planner/core/declared.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/digest.h"
#include "common/model/hook_label.h"
#include "planner/core/child_changes.h"

namespace xebec::planner {
namespace {

constexpr size_t kDigestDigits = 32;

// The core plans these parents without a decision.
bool NeedsDecision(const Reconcile& reconcile) {
  if (reconcile.view.finalizing)
    return HasFinalizer(reconcile.parent, reconcile.kind.description.finalizer);
  const bool by_hand = reconcile.observation.envelope.parent.uid.empty();
  return !reconcile.parent.paused && reconcile.parent.unreadable.empty() &&
         (reconcile.context.unread.empty() || by_hand);
}

// The finalizer of a declaration that is being deleted, or that has no finalizer any more.
bool DropFinalizer(const Declaration& declaration, Reconcile* reconcile, Plan* plan) {
  if (!declaration.deleting && declaration.finalizer) return false;
  if (HasFinalizer(reconcile->parent, FinalizerOf(declaration))) {
    plan->stages.push_back(RemoveFinalizerStage(*reconcile, FinalizerOf(declaration)));
    // An own write does not start the next reconcile, and this one decides nothing else.
    if (!declaration.deleting) plan->resync_after = absl::ZeroDuration();
  } else if (!declaration.deleting) {
    return false;
  }
  plan->children = KeepAll(reconcile->view, "the operator does not manage this object any more");
  return true;
}

HookRequest RequestOf(const Declaration& declaration, const HookCodec& codec, const View& view) {
  HookCall call;
  call.operator_name = declaration.name;
  call.endpoint = declaration.hook;
  call.sync_request = codec.encode(view, declaration);
  call.timeout = declaration.timeout;
  std::string digest =
      ShortDigest(absl::StrCat(Describe(call.endpoint), "\n", call.sync_request), kDigestDigits);
  return {std::move(digest), std::move(call)};
}

std::vector<const HookAnswer*> FindAnswers(const Observation& observation,
                                           const std::string& digest) {
  std::vector<const HookAnswer*> found;
  for (const HookAnswer& answer : observation.hook_answers) {
    if (answer.digest == digest) found.push_back(&answer);
  }
  return found;
}

bool IsError(const std::string& answer, const HookCodec& codec, const View& view) {
  const auto decision = codec.decode(answer, view);
  return decision.ok() && !decision->error.empty();
}

// The first field in which decisions for one request differ; empty if they mean the same. An error
// is no decision: the hook may have it once.
std::string DifferenceOf(const std::vector<const HookAnswer*>& answers, const HookCodec& codec,
                         const View& view) {
  if (answers.size() < 2) return "";
  const std::string* first = nullptr;
  for (const HookAnswer* answer : answers) {
    const auto* body = std::get_if<std::string>(&answer->result);
    if (body == nullptr || IsError(*body, codec, view)) continue;
    if (first == nullptr) first = body;
    std::string difference = codec.difference(*first, *body);
    if (!difference.empty()) return difference;
  }
  return "";
}

void PlanInconsistent(const Reconcile& reconcile, const std::string& difference, Plan* plan) {
  PlanHookFailed(reconcile, std::string(kHookInconsistent),
                 absl::StrCat("the hook has different answers to equal requests: ", difference,
                              "; decide from the request only, without a clock, random numbers or "
                              "the order of a set"),
                 plan);
}

// Returns true if the answer is a decision.
bool TakeAnswer(const HookAnswer& answer, const Declaration& declaration, const HookCodec& codec,
                Reconcile* reconcile, Plan* plan) {
  if (const auto* failure = std::get_if<HookFailure>(&answer.result)) {
    PlanHookFailed(*reconcile, absl::StrCat("Hook", Name(failure->code)), failure->message, plan);
    if (failure->retry_after) plan->resync_after = failure->retry_after;
    return false;
  }
  auto decision = codec.decode(std::get<std::string>(answer.result), reconcile->view);
  if (!decision.ok()) {
    const std::string why(decision.status().message());
    PlanHookFailed(*reconcile, std::string(kHookAnswerInvalid),
                   absl::StrCat("the answer of the hook is invalid: ", why), plan);
    return false;
  }
  if (!decision->error.empty()) {
    PlanHookFailed(*reconcile, std::string(kHookError), decision->error, plan);
    if (decision->retry_after) plan->resync_after = decision->retry_after;
    return false;
  }
  reconcile->state = std::move(decision->state);
  // They belong to a change of the status, and without a status nothing changes.
  if (reconcile->view.without_status) reconcile->state.events.clear();
  if (!reconcile->state.resync_after) reconcile->state.resync_after = declaration.resync;
  reconcile->state.conditions.push_back({"HookFailed", "", "", ""});
  return true;
}

}  // namespace

bool DecideByHook(const Declaration& declaration, const HookCodec& codec, Reconcile* reconcile,
                  Plan* plan) {
  if (DropFinalizer(declaration, reconcile, plan)) return false;
  if (!NeedsDecision(*reconcile)) return true;
  HookRequest request = RequestOf(declaration, codec, reconcile->view);
  const auto answers = FindAnswers(reconcile->observation, request.digest);
  const std::string difference = DifferenceOf(answers, codec, reconcile->view);
  if (!difference.empty()) {
    PlanInconsistent(*reconcile, difference, plan);
    return false;
  }
  if (!answers.empty()) return TakeAnswer(*answers.front(), declaration, codec, reconcile, plan);
  plan->complete = false;
  plan->hook_requests.push_back(std::move(request));
  return false;
}

}  // namespace xebec::planner
