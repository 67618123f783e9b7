// SPDX-License-Identifier: Apache-2.0
// ReconcileRun: the calls of hooks.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/model/hook_label.h"
#include "watcher/engine/reconcile/reconcile_run.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kGatewayGrace = absl::Seconds(10);  // for a host that does not answer

// Answers are counted with the plan, which says whether they are decisions.
void Count(const HookAnswer& answer, absl::Duration took, ControllerFigures* figures) {
  const auto* failure = std::get_if<HookFailure>(&answer.result);
  if (failure != nullptr) ++figures->hook_calls[MetricLabel(failure->code)];
  figures->hook_seconds.Add(took);
}

// The number of answers to the latest request.
uint64_t AnswersIn(const Observation& observation) {
  const std::vector<HookAnswer>& all = observation.hook_answers;
  return static_cast<uint64_t>(std::count_if(all.begin(), all.end(), [&](const HookAnswer& each) {
    return each.digest == all.back().digest && std::holds_alternative<std::string>(each.result);
  }));
}

}  // namespace

void ReconcileRun::Ask(const Plan& plan, Turn* turn) {
  const HookRequest& request = plan.hook_requests.front();
  const Observation* frozen = frozen_.observation.get();
  if (frozen == nullptr || !turn->context.key.options.hooks) {
    return FailPlan("the planner asks a hook for a kind that nobody declares", NoPlan::kUnusable,
                    turn);
  }
  for (const HookAnswer& answer : frozen->hook_answers) {
    if (answer.digest != request.digest) continue;
    return FailPlan("the planner asks the hook what it has answered", NoPlan::kUnusable, turn);
  }
  if (frozen->hook_answers.size() >= kMaxHookRounds) {
    return FailPlan("the planner asks the hook again and again", NoPlan::kUnusable, turn);
  }
  CallTheHook(request, std::nullopt, turn);
}

void ReconcileRun::CallTheHook(HookRequest request, std::optional<std::string> first, Turn* turn) {
  request.call.again = first.has_value();
  const uint64_t sequence = ++turn->context.sequences.last_message;
  timer_ = turn->now() + request.call.timeout + kGatewayGrace;
  turn->effects.out.push_back(CallHook{sequence, request.call});
  state_ = Asking{sequence, std::move(request), turn->now(), std::move(first)};
}

// The plan was made with the answers of the observation.
void ReconcileRun::ReviewAnswers(const Plan& plan, Turn* turn) const {
  const Observation* frozen = frozen_.observation.get();
  if (frozen == nullptr || frozen->hook_answers.empty()) return;
  const uint64_t answers = AnswersIn(*frozen);
  if (answers == 0) return;
  turn->context.count.hook_calls[DecisionLabel(plan.hook_failure)] += answers;
  if (answers > 1)
    turn->context.record.hook_doubt.OnCompared(plan.hook_failure != kHookInconsistent);
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
    const auto* body = std::get_if<std::string>(&answer.result);
    if (body != nullptr && !asking.first &&
        context.record.hook_doubt.OnAnswer(input.reply.cached, turn->now())) {
      return CallTheHook(asking.request, *body, turn);
    }
    Observation observation = *frozen_.observation;
    if (body != nullptr && asking.first) {
      observation.hook_answers.push_back({answer.digest, *asking.first});
    }
    observation.hook_answers.push_back(std::move(answer));
    Submit(std::move(observation), turn);
  });
}

}  // namespace xebec::watcher
