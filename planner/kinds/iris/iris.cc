// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/iris/iris.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/model/fields.h"
#include "common/model/names.h"
#include "common/model/well_known.h"
#include "planner/core/child_state.h"
#include "planner/kinds/iris/iris_reasons.h"
#include "planner/kinds/pod_reason.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/spec_reader.h"

namespace xebec::planner {
namespace {

constexpr const char* kLabel = "iris/deployment-name";
constexpr const char* kDefaultImage = "store/intersystems/iris-community:2020.4.0.524.0";
constexpr size_t kMaxDeploymentName = 64;
// Shorter than the limit, because Kubernetes appends to the names of ReplicaSets.
constexpr size_t kMaxDefaultName = 242;

struct Spec {
  std::string deployment;
  int64_t replicas = 1;
  std::string image;
  Json env, resources, pull_secrets;
};

Spec ReadSpec(const View& view, SpecReader* reader) {
  Spec spec;
  spec.deployment =
      reader->String("deploymentName", BoundedName(view.name, kMaxDefaultName), kMaxDeploymentName);
  spec.replicas = reader->Int("replicas", 1, 0, std::numeric_limits<int32_t>::max());
  spec.image = reader->Image("image", kDefaultImage);
  spec.env = reader->Env();
  spec.resources = reader->Object("resources");
  spec.pull_secrets = reader->Objects("imagePullSecrets");
  if (!IsDns1123Subdomain(spec.deployment)) {
    reader->Fail("deploymentName",
                 absl::StrCat("\"", spec.deployment,
                              "\" must consist of lower-case letters, digits, "
                              "\"-\" and \".\", and start and end with a letter or "
                              "digit"));
  }
  return spec;
}

Json Container(const Spec& spec) {
  Json container = {{"name", "iris"}, {"image", spec.image}};
  if (!spec.env.empty()) container["env"] = spec.env;
  if (!spec.resources.empty()) container["resources"] = spec.resources;
  return container;
}

// The Deployment that the original operator writes.
Json Deployment(const Spec& spec) {
  const Json labels = {{kLabel, LabelValue(spec.deployment)}};
  Json object = {{"metadata", {{"name", spec.deployment}}},
                 {"spec",
                  {{"replicas", spec.replicas},
                   {"selector", {{"matchLabels", labels}}},
                   {"template",
                    {{"metadata", {{"labels", labels}}},
                     {"spec", {{"containers", Json::array({Container(spec)})}}}}}}}};
  if (!spec.pull_secrets.empty()) {
    object["spec"]["template"]["spec"]["imagePullSecrets"] = spec.pull_secrets;
  }
  return object;
}

// The selector is immutable.
void KeepSelector(const Child* live, Json* object) {
  const Json* selector = live == nullptr ? nullptr : Find(live->object, {"spec", "selector"});
  if (selector != nullptr && selector->is_object()) (*object)["spec"]["selector"] = Json(*selector);
}

std::string SelectorText(const Json& deployment) {
  std::string text;
  const Json* labels = Find(deployment, {"spec", "selector", "matchLabels"});
  if (labels == nullptr || !labels->is_object()) return text;
  for (const auto& [key, value] : labels->items()) {
    if (!value.is_string()) continue;
    absl::StrAppend(&text, text.empty() ? "" : ",", key, "=", value.get<std::string>());
  }
  return text;
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
  const Child* live = view.Find("Deployment", spec.deployment);
  KeepSelector(live, &child.object);
  LabelPods(view, live, &child.object);
  child.on_created = {
      Event("Created", "Create", absl::StrCat("Created deployment \"", spec.deployment, "\""))};
  // An API server always shows replicas; 1 is its default.
  if (live != nullptr && FindInt(live->object, {"spec", "replicas"}).value_or(1) != spec.replicas) {
    child.on_changed = {Event("Scaled", "Scale",
                              absl::StrCat("Scaled deployment \"", spec.deployment, "\" to ",
                                           spec.replicas, " replicas"))};
  }
  return child;
}

// Returns false for a Deployment that a user assigned to the Iris and Xebec has never written.
bool WasManaged(const Child& deployment) {
  return !FindString(deployment.object, {"metadata", "annotations", kDigestAnnotation}).empty() ||
         Find(deployment.object, {"spec", "selector", "matchLabels", kLabel}) != nullptr;
}

// The Deployments of former names. They are deleted once the new one exists.
std::vector<ChildToDelete> FormerDeployments(const View& view, const Spec& spec) {
  std::vector<ChildToDelete> to_delete;
  for (const Child* child : view.OfKind("Deployment")) {
    if (child->name == spec.deployment || !WasManaged(*child)) continue;
    ChildToDelete each;
    each.type = DeploymentType();
    each.name = child->name;
    each.stage = 1;
    each.reason = absl::StrCat("spec.deploymentName is now \"", spec.deployment, "\"");
    each.on_deleted = {
        Event("Deleted", "Delete", absl::StrCat("Deleted deployment \"", child->name, "\""))};
    to_delete.push_back(std::move(each));
  }
  return to_delete;
}

// The status of the Deployment for the desired spec.
struct Progress {
  int64_t ready = 0;    // readyReplicas, of any spec
  int64_t total = 0;    // replicas
  int64_t current = 0;  // ready and of the desired spec
  int64_t wanted = 0;   // spec.replicas, or the value that the API server stores (Rewritten)
  bool complete = false;
  bool stalled = false;  // The Deployment has exceeded its progress deadline.
  std::string failure;   // Reason of its condition or of its Pods; empty if there is none.
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
  const Json* stuck = DeploymentCondition(live, "Progressing");
  if (stuck != nullptr && FindString(*stuck, {"status"}) != "False") stuck = nullptr;
  progress->stalled =
      stuck != nullptr && FindString(*stuck, {"reason"}) == iris::kProgressDeadlineExceeded;
  const Json* failing = DeploymentCondition(live, "ReplicaFailure");
  if (failing == nullptr || FindString(*failing, {"status"}) != "True") failing = stuck;
  if (failing == nullptr) return;
  progress->message = FindString(*failing, {"message"});
  progress->failure =
      std::string(RefusalReason(progress->message, FindString(*failing, {"reason"})));
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

Json Status(const Json& deployment, const Progress& progress) {
  return {{"readyReplicas", progress.ready},
          {"replicas", progress.total},
          {"selector", SelectorText(deployment)}};
}

std::string Sentence(const Progress& progress) {
  return absl::StrCat(std::min(progress.current, progress.wanted), " of ", progress.wanted,
                      " replicas are ready");
}

// Returns why the Deployment is not ready. The reasons of its Pods are preferred.
void Explain(const View& view, const Child& live, Progress* progress) {
  if (progress->complete) return;
  const auto reason = FindPodReason(PodsOf(view, live), ShownReason(view, "Ready"));
  if (!reason.has_value()) return;
  progress->failure = reason->reason;
  progress->message = reason->message;
}

std::vector<Condition> Conditions(const Progress& progress) {
  const std::string sentence = Sentence(progress);
  if (progress.complete) {
    return {{"Ready", "True", std::string(iris::kDeploymentReady), sentence}};
  }
  if (progress.failure.empty()) {
    return {{"Ready", "False", std::string(iris::kDeploying), sentence}};
  }
  const std::string message = absl::StrCat(sentence, ": ", progress.message);
  std::vector<Condition> conditions = {{"Ready", "False", progress.failure, message}};
  // Like kstatus for the Deployment itself.
  if (progress.stalled) {
    conditions.push_back(
        {"Stalled", "True", std::string(iris::kProgressDeadlineExceeded), message});
  }
  return conditions;
}

// Until the Deployment controller has observed a new generation, the status of the Iris is the same
// as before the write.
bool GivesNewGeneration(const ChildComparison& comparison, const Json& desired) {
  if (comparison.state != ChildState::kDiffers) return comparison.state == ChildState::kAbsent;
  return !Covers(comparison.live->object, {{"spec", desired.at("spec")}});
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
  const ChildComparison comparison = CompareChild(view, child);
  Progress progress = ReadProgress(comparison, spec);
  if (comparison.live != nullptr) Explain(view, *comparison.live, &progress);
  state.status = Status(child.object, progress);
  state.to_delete = FormerDeployments(view, spec);
  state.covers_writes = GivesNewGeneration(comparison, child.object);
  state.children.push_back(std::move(child));
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
                        "status.updatedReplicas"};
  description.children = {std::move(deployments), IndirectPodRule()};
  return description;
}

}  // namespace

std::vector<Kind> IrisKinds() {
  return {{Describe("test.myardyas.club", "iris"), Desired, TypesOf(iris::kConditions)},
          {Describe("example.com", "irises"), Desired, TypesOf(iris::kConditions)}};
}

}  // namespace xebec::planner
