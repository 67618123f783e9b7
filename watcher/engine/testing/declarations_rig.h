// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/testing/harness.h"

namespace xebec::watcher::testing {

/// Options of a watcher that runs alone and calls hooks.
inline Options WithHooks() {
  Options options = Harness::WithoutElection();
  options.hooks = true;
  return options;
}

/// An engine with an Operator of widgets, whose planner, gateway and hook the test answers for.
class EngineDeclarationsTest : public ::testing::Test {
 protected:
  explicit EngineDeclarationsTest(Options options = WithHooks()) : t_(std::move(options)) {}

  // Operators are declared and a gateway is connected.
  void Start(const Json& spec = FakeCluster::OperatorOfWidgets()) {
    t_.cluster.SetOperator("web", spec);
    t_.Feed(DescriptionArrived{OperatorDescription()});
    t_.Feed(CreditsChanged{4, 4, 64});
    Complete();
  }

  // The planner has given the Operator its finalizer.
  void Guard() {
    t_.cluster.Finalize(OperatorType(), {"", "web"}, "operators.xebec.dev/release", true);
    Complete();
  }

  bool Released() {
    t_.Advance(absl::Seconds(1));
    return t_.engine.Observe({OperatorType(), "", "web"}, t_.now)->declaration_facts->released;
  }

  void Complete() {
    t_.Deliver();
    t_.Advance(absl::Milliseconds(60));
    t_.Deliver();
  }

  // Answers observations of Operators with a plan that writes nothing. Returns the last one.
  Observation AnswerOperators() {
    Observation last;
    for (size_t i = t_.observations.size(); i > 0; --i) {
      SendObservation send = t_.TakeObservation();
      if (!send.observation.declaration_facts) {
        t_.observations.push_back(std::move(send));
        continue;
      }
      last = send.observation;
      Plan plan;
      plan.envelope = send.observation.envelope;
      plan.planner_revision = plan.envelope.planner_revision;
      t_.Feed(PlanArrived{send.sequence, plan});
      i = t_.observations.size() + 1;
    }
    return last;
  }

  // Answers all observations with plans that write nothing. Returns the last one of a widget.
  Observation AnswerNothing() {
    Observation last;
    while (!t_.observations.empty()) {
      AnswerOperators();
      if (t_.observations.empty()) break;
      const SendObservation send = t_.TakeObservation();
      last = send.observation;
      Plan plan;
      plan.envelope = send.observation.envelope;
      plan.planner_revision = plan.envelope.planner_revision;
      t_.Feed(PlanArrived{send.sequence, plan});
    }
    return last;
  }

  // The calls of Sync.
  std::vector<CallHook> Calls() {
    std::vector<CallHook> calls = t_.Take<CallHook>();
    for (const CallHook& call : calls) {
      if (call.call.known.has_value()) poll_ = call;
    }
    std::erase_if(calls, [](const CallHook& call) { return call.call.known.has_value(); });
    return calls;
  }

  // Answers the latest call of Describe.
  void AnswerPoll(HookState state) {
    Calls();
    Answer(poll_, std::move(state));
    AnswerOperators();
  }

  // Lets the calls for one widget fail, and answers the failures as the planner does.
  void FailCalls(int times) {
    const HookFailure failure{HookFailureCode::kUnavailable, "no connection", {}};
    while (times > 0) {
      t_.Advance(absl::Seconds(1));
      AnswerOperators();
      if (!t_.observations.empty()) AskForHook();
      for (const CallHook& call : Calls()) {
        Answer(call, failure);
        --times;
        AnswerOperators();
        if (!t_.observations.empty()) Retry();
      }
    }
  }

  // Answers the next observation with a plan that requests a retry.
  void Retry() {
    const SendObservation send = t_.TakeObservation();
    Plan plan;
    plan.envelope = send.observation.envelope;
    plan.planner_revision = plan.envelope.planner_revision;
    plan.verdict = Verdict::kRetry;
    plan.notes = {"no connection"};
    t_.Feed(PlanArrived{send.sequence, plan});
  }

  // Takes the next observation of a widget and answers it as the planner does.
  SendObservation AskForHook() {
    AnswerOperators();
    SendObservation send = t_.TakeObservation();
    Plan plan;
    plan.envelope = send.observation.envelope;
    plan.planner_revision = plan.envelope.planner_revision;
    HookRequest request{"digest", {}};
    request.call.operator_name = "web";
    request.call.timeout = absl::Seconds(10);
    plan.hook_requests.push_back(request);
    t_.Feed(PlanArrived{send.sequence, plan});
    return send;
  }

  // Answers the next observation of a widget with a plan that writes nothing. Returns it.
  Observation Decide(const std::string& hook_failure,
                     std::optional<absl::Duration> resync_after = {}) {
    AnswerOperators();
    const SendObservation send = t_.TakeObservation();
    Plan plan;
    plan.envelope = send.observation.envelope;
    plan.planner_revision = plan.envelope.planner_revision;
    plan.hook_failure = hook_failure;
    plan.resync_after = resync_after;
    if (!hook_failure.empty()) plan.verdict = Verdict::kRetry;
    t_.Feed(PlanArrived{send.sequence, plan});
    return send.observation;
  }

  ControllerFigures FiguresOfWeb() {
    for (const ControllerFigures& each : t_.engine.Figures(t_.now).controllers) {
      if (each.controller == "web") return each;
    }
    return ControllerFigures();
  }

  void Answer(const CallHook& call, std::variant<std::string, HookFailure, HookState> result) {
    t_.Feed(HookAnswered{call.sequence, {std::move(result), "r1", false}});
  }

  Harness t_;
  CallHook poll_;  // the latest call of Describe
};

}  // namespace xebec::watcher::testing
