// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/testing/dispatcher_rig.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/model/assignment.h"
#include "gtest/gtest.h"

namespace xebec::applier::testing {

DispatcherRig::DispatcherRig(DispatcherOptions options) : dispatcher(std::move(options)) {
  server = ServerWithParent();
  SetAssignment(5);
  Take(dispatcher.Open(1));
}

void DispatcherRig::SetAssignment(uint64_t epoch, uint32_t buckets) {
  const std::string assignment =
      EncodeAssignment({std::vector<BucketHolder>(buckets, {"watcher-1", epoch})});
  server.Put(kLeasePath, {{"kind", "Lease"},
                          {"metadata", {{"annotations", {{kAssignmentAnnotation, assignment}}}}}});
}

void DispatcherRig::Take(DispatcherOutputs outputs) {
  for (DispatcherOutput& output : outputs) {
    if (auto* send = std::get_if<SendRequest>(&output)) {
      waiting.push_back(std::move(*send));
    } else if (auto* ended_plan = std::get_if<PlanEnded>(&output)) {
      ended.push_back(std::move(*ended_plan));
    } else {
      credits[std::get<GrantCredits>(output).stream] += std::get<GrantCredits>(output).count;
    }
  }
}

void DispatcherRig::Submit(const Plan& plan, StreamKey stream) {
  Take(dispatcher.Submit(stream, plan.envelope.sequence, plan, std::string(32, 'r'), now));
}

void DispatcherRig::Tick(absl::Duration after_start) {
  now = At(after_start);
  Take(dispatcher.Tick(now));
}

void DispatcherRig::AnswerWith(const kube::ApiResponse& response, absl::Duration latency) {
  ASSERT_FALSE(waiting.empty());
  const SendRequest request = waiting.front();
  waiting.erase(waiting.begin());
  paths.push_back(absl::StrCat(request.request.method, " ", request.request.path));
  Take(dispatcher.OnAnswer(request.id, response, latency, now));
}

void DispatcherRig::Answer() {
  ASSERT_FALSE(waiting.empty());
  AnswerWith(server.Handle(waiting.front().request));
}

void DispatcherRig::AnswerAll() {
  while (!waiting.empty()) Answer();
}

std::vector<OutcomeCode> DispatcherRig::Codes(size_t plan) const {
  std::vector<OutcomeCode> codes;
  for (const Outcome& o : ended.at(plan).report.outcomes) codes.push_back(o.code);
  return codes;
}

Plan Numbered(uint64_t sequence, std::vector<std::vector<Operation>> stages,
              const std::string& uid) {
  Plan plan = MakePlan(std::move(stages));
  plan.envelope.sequence = sequence;
  plan.envelope.parent.uid = uid;
  return plan;
}

Json ChildOf(const std::string& name, const std::string& parent_uid) {
  Json child = ConfigMap(name);
  child["metadata"]["ownerReferences"][0]["uid"] = parent_uid;
  return child;
}

DispatcherRig WithTwoParentsAndOneRequestAtATime() {
  DispatcherOptions options;
  options.budget.start = options.budget.max = options.budget.min = 1;
  DispatcherRig rig(options);
  rig.Submit(Numbered(1, {{CreateOp(ChildOf("a", "p1"))}}, "p1"));
  rig.Submit(Numbered(2, {{CreateOp(ChildOf("b", "p2"))}}, "p2"));
  return rig;
}

bool DispatcherRig::Creates(const kube::ApiRequest& request, const std::string& config_map) {
  return request.method == "POST" && absl::StrContains(request.path, "/configmaps?") &&
         FindString(*ParseJson(request.body), {"metadata", "name"}) == config_map;
}

}  // namespace xebec::applier::testing
