// SPDX-License-Identifier: Apache-2.0
#include "planner/hooks/testing/fake_hook.h"

#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "planner/core/make_plan.h"
#include "planner/hooks/hook_codec.h"
#include "planner/kinds/operator/operator.h"
#include "xebec/hooks/v1/hook.pb.h"

namespace xebec::testing {
namespace {

namespace wire = ::xebec::hooks::v1;

const planner::KindRegistry& Registry() {
  static const planner::KindRegistry* const registry = [] {
    auto* made = new planner::KindRegistry();
    for (planner::Kind& kind : planner::OperatorKinds()) made->Register(std::move(kind));
    made->SetHookCodec(planner::HooksV1());
    return made;
  }();
  return *registry;
}

wire::SyncRequest Parse(const std::string& bytes) {
  wire::SyncRequest request;
  request.ParseFromString(bytes);
  return request;
}

int64_t IdOf(const wire::SyncRequest& request) {
  const auto configuration = ParseJson(request.configuration());
  return configuration.ok() ? FindInt(*configuration, {"id"}).value_or(0) : 0;
}

void AddChild(const char* api_version, const char* kind, const std::string& name, Json spec,
              wire::DesiredState* state) {
  const Json object = {{"apiVersion", api_version},
                       {"kind", kind},
                       {"metadata", {{"name", name}}},
                       {"spec", std::move(spec)}};
  state->add_children()->set_object(DumpJson(object));
}

void AddDeletion(const std::string& part, wire::DesiredState* state) {
  wire::Deletion* deletion = state->add_deletions();
  deletion->set_api_version("v1");
  deletion->set_kind("Part");
  deletion->set_name(part);
}

// Deletes the operator's parts that are not wanted. Returns the number of those that are right.
int64_t ReviewParts(const wire::ObjectGroup& group, const std::string& prefix,
                    const std::set<std::string>& wanted, const Json& spec,
                    wire::DesiredState* state) {
  int64_t right = 0;
  for (const std::string& text : group.objects()) {
    const Json part = *ParseJson(text);
    const std::string name = FindString(part, {"metadata", "name"});
    if (!absl::StartsWith(name, prefix)) continue;
    if (!wanted.contains(name)) {
      AddDeletion(name, state);
    } else if (const Json* has = Find(part, {"spec"}); has != nullptr && *has == spec) {
      ++right;
    }
  }
  return right;
}

}  // namespace

PlannerDescription OperatorPlanner(const std::string& revision) {
  PlannerDescription description{revision, {}};
  for (const planner::Kind& kind : Registry().kinds())
    description.kinds.push_back(kind.description);
  return description;
}

Plan PlanWithHooks(const Observation& observation) {
  return planner::MakePlan(observation, Registry());
}

HookQuestion ReadQuestion(const std::string& sync_request) {
  const wire::SyncRequest request = Parse(sync_request);
  const Json parent = *ParseJson(request.parent());
  return {FindString(parent, {"metadata", "uid"}),
          FindString(parent, {"metadata", "resourceVersion"}), IdOf(request)};
}

Json HookedSpec(int64_t value, int64_t id, const std::string& program) {
  return {{"value", value}, {"by", id}, {"program", program}};
}

std::string AnswerOfHook(const std::string& sync_request, const std::string& program) {
  const wire::SyncRequest request = Parse(sync_request);
  wire::SyncResponse response;
  wire::DesiredState* state = response.mutable_desired();
  if (request.phase() == wire::PHASE_FINALIZE) return response.SerializeAsString();
  const Json widget = *ParseJson(request.parent());
  const std::string prefix =
      absl::StrCat(FindString(widget, {"metadata", "name"}), "-", request.operator_());
  const int64_t value = FindInt(widget, {"spec", "value"}).value_or(0);
  const Json spec = HookedSpec(value, IdOf(request), program);
  std::set<std::string> wanted;
  for (int64_t i = 0; i < FindInt(widget, {"spec", "parts"}).value_or(0); ++i) {
    const std::string name = absl::StrCat(prefix, "-", i);
    wanted.insert(name);
    AddChild("v1", "Part", name, spec, state);
  }
  int64_t right = 0;
  for (const wire::ObjectGroup& group : request.children()) {
    if (group.kind() == "Part") right = ReviewParts(group, prefix + "-", wanted, spec, state);
    if (group.kind() == "Gadget") AddChild("example.com/v1", "Gadget", prefix, spec, state);
  }
  state->set_status(DumpJson(Json{{"parts", right}}));
  return response.SerializeAsString();
}

std::string UselessAnswer(size_t which) {
  wire::SyncResponse response;
  switch (which % 4) {
    case 0:
      return "\xff\xff<html>";
    case 1:
      AddChild("v1", "Part", "", Json::object(), response.mutable_desired());
      break;
    case 2:
      AddChild("v1", "Secret", "s", Json::object(), response.mutable_desired());
      break;
    default:
      response.set_error("not today");
      response.mutable_retry_after()->set_seconds(2);
  }
  return response.SerializeAsString();
}

}  // namespace xebec::testing
