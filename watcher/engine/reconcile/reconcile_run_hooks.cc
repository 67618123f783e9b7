// SPDX-License-Identifier: Apache-2.0
// ReconcileRun: the calls of hooks.
#include "absl/strings/str_cat.h"
#include "common/model/hook_label.h"
#include "watcher/engine/reconcile/reconcile_run.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kGatewayGrace = absl::Seconds(10);  // for a host that does not answer

void Count(const HookAnswer& answer, absl::Duration took, ControllerFigures* figures) {
  const auto* failure = std::get_if<HookFailure>(&answer.result);
  ++figures->hook_calls[failure == nullptr ? "ok" : MetricLabel(failure->code)];
  figures->hook_seconds.Add(took);
}

}  // namespace

void ReconcileRun::Ask(const Plan& plan, Turn* turn) {
  const HookRequest& request = plan.hook_requests.front();
  const Observation* frozen = frozen_.observation.get();
  if (frozen == nullptr || !turn->context.key.options.hooks) {
    return FailPlan("the planner requests a hook call for a kind without an Operator",
                    NoPlan::kUnusable, turn);
  }
  for (const HookAnswer& answer : frozen->hook_answers) {
    if (answer.digest != request.digest) continue;
    return FailPlan("the planner requests a hook call that is answered", NoPlan::kUnusable, turn);
  }
  if (frozen->hook_answers.size() >= kMaxHookRounds) {
    return FailPlan("the planner requests too many hook calls", NoPlan::kUnusable, turn);
  }
  const uint64_t sequence = ++turn->context.sequences.last_message;
  timer_ = turn->now() + request.call.timeout + kGatewayGrace;
  turn->effects.out.push_back(CallHook{sequence, request.call});
  state_ = Asking{sequence, request, turn->now()};
}

// A first failure may pass. The planner shows the second one.
Effects ReconcileRun::On(HookAnswered input, const RunContext& context) {
  return In<Asking>(context, [&](const Asking& asking, Turn* turn) {
    auto& result = input.reply.result;
    HookAnswer answer{asking.request.digest, std::string()};
    if (auto* body = std::get_if<std::string>(&result)) {
      answer.result = std::move(*body);
    } else if (auto* failure = std::get_if<HookFailure>(&result)) {
      answer.result = std::move(*failure);
    } else {
      answer.result = HookFailure{HookFailureCode::kMalformed, "the gateway sent no answer", {}};
    }
    Count(answer, turn->now() - asking.since, &context.count);
    turn->effects.hook = input.reply;
    if (auto* failure = std::get_if<HookFailure>(&answer.result)) {
      turn->effects.hook->result = *failure;
      turn->AddNote(Note::Level::kWarning, "Hook failed",
                    absl::StrCat(Name(failure->code), ": ", failure->message));
      if (context.record.hook_failures++ == 0) {
        result_.retry_after = failure->retry_after;
        return End(Next::kRetry, absl::StrCat("hook: ", failure->message), turn);
      }
    } else {
      context.record.hook_failures = 0;
    }
    if (!basis_.InTerm(context)) {
      return End(Next::kAgain, "leadership, planner or declaration changed meanwhile", turn);
    }
    Observation observation = *frozen_.observation;
    observation.hook_answers.push_back(std::move(answer));
    Submit(std::move(observation), turn);
  });
}

}  // namespace xebec::watcher
