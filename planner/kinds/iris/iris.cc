// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/iris/iris.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/model/names.h"
#include "planner/core/child_state.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/spec_reader.h"

namespace xebec::planner {
namespace {

constexpr const char* kLabel = "iris/deployment-name";
constexpr const char* kDefaultImage = "store/intersystems/iris-community:2020.4.0.524.0";
constexpr size_t kMaxDeploymentName = 64;

struct Spec {
  std::string deployment;
  int64_t replicas = 1;
  std::string image;
  Json env, resources;
};

Spec ReadSpec(const View& view, SpecReader* reader) {
  Spec spec;
  spec.deployment = reader->String("deploymentName", view.name, kMaxDeploymentName);
  spec.replicas = reader->Int("replicas", 1, 0, std::numeric_limits<int32_t>::max());
  spec.image = reader->Image("image", kDefaultImage);
  spec.env = reader->Env();
  spec.resources = reader->Object("resources");
  if (!IsDns1123Subdomain(spec.deployment)) {
    reader->Fail("deploymentName", absl::StrCat("\"", spec.deployment,
                                                "\" must be lower-case letters, digits, \"-\" and "
                                                "\".\", alphanumeric at the ends (DNS-1123)"));
  }
  return spec;
}

Json Container(const Spec& spec) {
  Json container = {{"name", "iris"}, {"image", spec.image}};
  if (!spec.env.empty()) container["env"] = spec.env;
  if (!spec.resources.empty()) container["resources"] = spec.resources;
  return container;
}

// Exactly what the original operator writes: its Deployments are taken over without a rollout.
Json Deployment(const Spec& spec) {
  const Json labels = {{kLabel, LabelValue(spec.deployment)}};
  return {{"metadata", {{"name", spec.deployment}}},
          {"spec",
           {{"replicas", spec.replicas},
            {"selector", {{"matchLabels", labels}}},
            {"template",
             {{"metadata", {{"labels", labels}}},
              {"spec", {{"containers", Json::array({Container(spec)})}}}}}}}};
}

EventFact Event(const char* reason, const char* action, std::string note) {
  EventFact event;
  event.reason = reason;
  event.action = action;
  event.note = std::move(note);
  return event;
}

DesiredChild DesiredDeployment(const View& view, const Spec& spec) {
  DesiredChild child;
  child.type = DeploymentType();
  child.object = Deployment(spec);
  child.on_created = {
      Event("Created", "Create", absl::StrCat("Created deployment \"", spec.deployment, "\""))};
  const Child* live = view.Find("Deployment", spec.deployment);
  // An API server always shows replicas; 1 is its default.
  if (live != nullptr && FindInt(live->object, {"spec", "replicas"}).value_or(1) != spec.replicas) {
    child.on_changed = {Event("Scaled", "Scale",
                              absl::StrCat("Scaled deployment \"", spec.deployment, "\" to ",
                                           spec.replicas, " replicas"))};
  }
  return child;
}

// Deployments of names that the Iris had before. They go once the new one is there.
std::vector<ChildToDelete> FormerDeployments(const View& view, const Spec& spec) {
  std::vector<ChildToDelete> to_delete;
  for (const Child* child : view.OfKind("Deployment")) {
    if (child->name == spec.deployment) continue;
    ChildToDelete each;
    each.type = DeploymentType();
    each.name = child->name;
    each.stage = 1;
    each.reason = absl::StrCat("spec.deploymentName is \"", spec.deployment, "\" now");
    each.on_deleted = {
        Event("Deleted", "Delete", absl::StrCat("Deleted deployment \"", child->name, "\""))};
    to_delete.push_back(std::move(each));
  }
  return to_delete;
}

// What the Deployment reports, as far as it is about the spec that is wanted.
struct Progress {
  int64_t ready = 0;    // readyReplicas, whatever they run
  int64_t total = 0;    // replicas
  int64_t current = 0;  // ready and of the wanted spec
  int64_t wanted = 0;   // what is asked for, or what the API server has made of it (Rewritten)
  bool complete = false;
  std::string failure;  // reason of the Deployment's own condition
  std::string message;
};

const Json* DeploymentCondition(const Json& live, std::string_view type) {
  const Json* list = Find(live, {"status", "conditions"});
  if (list == nullptr || !list->is_array()) return nullptr;
  for (const Json& each : *list) {
    if (FindString(each, {"type"}) == type) return &each;
  }
  return nullptr;
}

void ReadFailure(const Json& live, Progress* progress) {
  const Json* failing = DeploymentCondition(live, "ReplicaFailure");
  if (failing == nullptr || FindString(*failing, {"status"}) != "True") {
    failing = DeploymentCondition(live, "Progressing");
    if (failing == nullptr || FindString(*failing, {"status"}) != "False") return;
  }
  progress->failure = FindString(*failing, {"reason"});
  progress->message = FindString(*failing, {"message"});
}

Progress ReadProgress(const ChildComparison& comparison, const Spec& spec) {
  Progress progress{.wanted = spec.replicas};
  if (comparison.live == nullptr) return progress;
  const Json& live = comparison.live->object;
  const auto count = [&](const char* field) {
    return std::max<int64_t>(FindInt(live, {"status", field}).value_or(0), 0);
  };
  progress.ready = count("readyReplicas");
  progress.total = count("replicas");
  const bool reported = FindInt(live, {"status", "observedGeneration"}).value_or(0) >=
                        FindInt(live, {"metadata", "generation"}).value_or(0);
  if (!reported || !IsAsDesired(comparison.state)) return progress;
  progress.current = std::min(progress.ready, count("updatedReplicas"));
  progress.wanted = FindInt(live, {"spec", "replicas"}).value_or(spec.replicas);
  progress.complete = progress.current >= progress.wanted && progress.total == progress.wanted;
  ReadFailure(live, &progress);
  return progress;
}

// Until the first Pod is ready the number asked for stands for the number there is, so that a new
// Iris is not written for every step of its Deployment.
Json Status(const Spec& spec, const Progress& progress) {
  const bool underway = progress.ready == 0 && progress.failure.empty();
  return {{"readyReplicas", progress.ready},
          {"replicas", underway ? spec.replicas : progress.total},
          {"selector", absl::StrCat(kLabel, "=", LabelValue(spec.deployment))}};
}

std::string Sentence(const Progress& progress) {
  return absl::StrCat(std::min(progress.current, progress.wanted), " of ", progress.wanted,
                      " replicas are ready");
}

std::vector<Condition> Conditions(const Progress& progress) {
  const std::string sentence = Sentence(progress);
  if (progress.complete) {
    return {{"Ready", "True", "DeploymentReady", sentence},
            {"Progressing", "False", "DeploymentReady", sentence}};
  }
  if (progress.failure.empty()) {
    return {{"Ready", "False", "Deploying", sentence},
            {"Progressing", "True", "Deploying", sentence}};
  }
  const std::string message = absl::StrCat(sentence, ": ", progress.message);
  std::vector<Condition> conditions = {{"Ready", "False", progress.failure, message},
                                       {"Progressing", "False", progress.failure, message}};
  // As kstatus reads the Deployment itself.
  if (progress.failure == "ProgressDeadlineExceeded") {
    conditions.push_back({"Stalled", "True", progress.failure, message});
  }
  return conditions;
}

DesiredState Desired(const View& view) {
  DesiredState state;
  SpecReader reader(view.parent);
  const Spec spec = ReadSpec(view, &reader);
  if (reader.error().has_value()) {
    state.invalid = reader.error();
    return state;
  }
  DesiredChild child = DesiredDeployment(view, spec);
  const Progress progress = ReadProgress(CompareChild(view, child), spec);
  state.children.push_back(std::move(child));
  state.to_delete = FormerDeployments(view, spec);
  state.status = Status(spec, progress);
  state.conditions = Conditions(progress);
  return state;
}

KindDescription Describe(const std::string& group, const std::string& plural) {
  KindDescription description;
  description.controller = absl::StrCat(plural, ".", group);
  description.parent = {group, "v1alpha1", "Iris", plural, false};
  description.scalable = true;
  ChildRule deployments;
  deployments.type = DeploymentType();
  deployments.fields = {"spec",
                        "status.readyReplicas",
                        "status.replicas",
                        "status.observedGeneration",
                        "status.conditions",
                        "status.updatedReplicas",
                        "status.availableReplicas"};
  description.children.push_back(std::move(deployments));
  return description;
}

}  // namespace

std::vector<Kind> IrisKinds() {
  return {{Describe("test.myardyas.club", "iris"), Desired},
          {Describe("example.com", "irises"), Desired}};
}

}  // namespace xebec::planner
