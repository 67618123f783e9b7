// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/podset/pod_set.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "common/model/names.h"
#include "planner/kinds/pod_state.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/podset/pod_set_reasons.h"
#include "planner/kinds/podset/pod_slots.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/spec_reader.h"

namespace xebec::planner {
namespace {

constexpr int64_t kMaxReplicas = 1000;
constexpr std::string_view kVersionLabel = "v0.1";
constexpr std::string_view kParentKindLabel = "xebec.dev/parent-kind";
// A Pod that ends sooner after its creation is replaced only after this time, so that a node or
// webhook that refuses every Pod does not cause a hot loop.
constexpr absl::Duration kLeastLife = absl::Seconds(5);
// Indices in DesiredState::conditions.
constexpr size_t kProgressing = 1;

struct Settings {
  int64_t replicas = 1;
  int64_t max_unavailable = 1;
  Json container;
  std::string template_digest;  // of the container
  Json pull_secrets;
};

// With an empty command the image runs its own; sleep is the default of sets without command and
// args.
void ReadCommand(SpecReader* spec, Json* container) {
  std::vector<std::string> command = spec->Strings("command");
  const std::vector<std::string> args = spec->Strings("args");
  if (!spec->Has("command") && args.empty()) command = {"sleep", "3600"};
  if (!command.empty()) (*container)["command"] = command;
  if (!args.empty()) (*container)["args"] = args;
}

Settings ReadSettings(SpecReader* spec) {
  Settings settings;
  const char* count = !spec->Has("replicas") && spec->Has("size") ? "size" : "replicas";
  settings.replicas = spec->Int(count, 1, 0, kMaxReplicas);
  settings.max_unavailable = spec->Int("maxUnavailable", 1, 1, kMaxReplicas);
  settings.container = {{"name", "busybox"}, {"image", spec->Image("image", "busybox")}};
  ReadCommand(spec, &settings.container);
  if (Json env = spec->Env(); !env.empty()) settings.container["env"] = std::move(env);
  if (Json resources = spec->Object("resources"); !resources.empty()) {
    settings.container["resources"] = std::move(resources);
  }
  settings.template_digest = TemplateDigest(settings.container);
  settings.pull_secrets = spec->Objects("imagePullSecrets");
  return settings;
}

// A PodSet and an AppService may have the same name; the label of the kind distinguishes their
// Pods.
Json Labels(const View& view) {
  return {{"app", LabelValue(view.name)},
          {"version", std::string(kVersionLabel)},
          {std::string(kParentKindLabel), view.kind.parent.kind}};
}

// `live` is the existing Pod, or null for a new one.
DesiredChild DesiredPod(const View& view, const Settings& settings, const std::string& name,
                        const Child* live, Json container) {
  DesiredChild child;
  child.type = PodType();
  child.object["metadata"]["name"] = name;
  child.object["metadata"]["labels"] = Labels(view);
  child.object["metadata"]["annotations"][std::string(kTemplateAnnotation)] =
      settings.template_digest;
  child.object["spec"]["containers"] = Json::array({std::move(container)});
  SetPullSecrets(live, settings.pull_secrets, &child.object);
  child.on_created = {PodCreated(name)};
  return child;
}

absl::Duration UntilOldEnough(const View& view, const Child& pod) {
  const auto created = FindTime(pod.object, {"metadata", "creationTimestamp"});
  if (!created.has_value() || view.now == absl::InfinitePast()) return absl::ZeroDuration();
  const absl::Duration left = *created + kLeastLife - view.now;
  return std::clamp(left, absl::ZeroDuration(), kLeastLife);
}

PodFact::State FactState(const Child& pod) {
  switch (StateOf(pod)) {
    case PodState::kLive:
      return PodFact::State::kLive;
    case PodState::kFinished:
      return PodFact::State::kFinished;
    case PodState::kTerminating:
      return PodFact::State::kTerminating;
    case PodState::kUnknown:
      break;
  }
  return PodFact::State::kUnknown;
}

PodFact FactOf(const View& view, const Settings& settings, const Child& pod) {
  PodFact fact;
  fact.name = pod.name;
  fact.ordinal = PodSetOrdinal(view.name, pod.name);
  fact.state = FactState(pod);
  fact.ready = IsReady(pod);
  fact.current = RunsTemplate(pod, settings.container, settings.template_digest);
  fact.young = UntilOldEnough(view, pod) > absl::ZeroDuration();
  return fact;
}

std::string WhyDeleted(PodAction action, const Child& pod, int64_t replicas) {
  if (action == PodAction::kSurplus) return absl::StrCat("more than ", replicas, " replicas");
  if (action == PodAction::kReplace) return "its image, command, args, env or resources changed";
  return absl::StrCat("it has ended (", FindString(pod.object, {"status", "phase"}), ")");
}

// Plans one set once.
class PodSetPlan {
 public:
  PodSetPlan(const View& view, Settings settings)
      : view_(view), settings_(std::move(settings)), pods_(view.OfKind("Pod")) {
    for (const Child* pod : pods_) facts_.push_back(FactOf(view, settings_, *pod));
    decision_ = DecideSlots(facts_, settings_.replicas, settings_.max_unavailable);
  }

  DesiredState Desired() {
    Write();
    Report();
    return std::move(state_);
  }

 private:
  void Write() {
    for (int64_t ordinal : decision_.create) {
      const std::string name = PodSetPodName(view_.name, ordinal);
      state_.children.push_back(DesiredPod(view_, settings_, name, nullptr, settings_.container));
    }
    for (size_t i = 0; i < pods_.size(); ++i) {
      // Pods of another template are not applied until they are replaced.
      if (decision_.actions[i] == PodAction::kKeep && !facts_[i].current) continue;
      WriteExisting(*pods_[i], decision_.actions[i]);
    }
  }

  void WriteExisting(const Child& pod, PodAction action) {
    if (action == PodAction::kKeep) {
      Json container = AsFarAsMutable(pod, settings_.container);
      state_.children.push_back(DesiredPod(view_, settings_, pod.name, &pod, std::move(container)));
    } else if (action != PodAction::kWait) {
      const std::string why = WhyDeleted(action, pod, settings_.replicas);
      state_.to_delete.push_back(
          {PodType(), pod.name, 0, Propagation::kBackground, {PodDeleted(pod.name, why)}, why});
    } else if (StateOf(pod) == PodState::kFinished) {
      ResyncAfter(UntilOldEnough(view_, pod), &state_);
    }
  }

  std::vector<std::string> LiveNames(int64_t* ready) const {
    std::vector<std::tuple<int64_t, std::string>> live;
    for (const PodFact& fact : facts_) {
      if (fact.state != PodFact::State::kLive) continue;
      live.emplace_back(fact.ordinal.value_or(kMaxReplicas), fact.name);
      *ready += fact.ready ? 1 : 0;
    }
    std::sort(live.begin(), live.end());
    std::vector<std::string> names;
    names.reserve(live.size());
    for (auto& [ordinal, name] : live) names.push_back(std::move(name));
    return names;
  }

  void Report() {
    int64_t ready = 0;
    const std::vector<std::string> names = LiveNames(&ready);
    state_.status = {{"replicas", names.size()},
                     {"readyReplicas", ready},
                     {"podNames", names},
                     {"selector", SelectorText()}};
    ReportConditions(static_cast<int64_t>(names.size()));
    ReportStuckPods(view_, &state_);
  }

  std::string SelectorText() const {
    std::string text;
    const Json labels = Labels(view_);
    for (const auto& [key, value] : labels.items()) {
      absl::StrAppend(&text, text.empty() ? "" : ",", key, "=", value.get<std::string>());
    }
    return text;
  }

  std::vector<const Child*> LivePods() const {
    std::vector<const Child*> live;
    for (size_t i = 0; i < pods_.size(); ++i) {
      if (facts_[i].state == PodFact::State::kLive) live.push_back(pods_[i]);
    }
    return live;
  }

  void ReportConditions(int64_t live) {
    const int64_t wanted = settings_.replicas;
    const bool done = decision_.current == wanted && live == wanted && state_.to_delete.empty();
    std::string message = absl::StrCat(decision_.ready, " of ", wanted, " Pods are ready");
    if (decision_.current < decision_.ready) {
      absl::StrAppend(&message, ", ", decision_.ready - decision_.current,
                      " of them from the previous template");
    }
    state_.conditions.push_back({"Ready", done ? "True" : "False",
                                 std::string(done ? podset::kPodsReady : podset::kPodsNotReady),
                                 message});
    state_.conditions.push_back({"Progressing", done ? "False" : "True",
                                 std::string(done ? podset::kComplete : Doing(live)), message});
    ExplainNotReady(view_, LivePods(), &state_.conditions);
  }

  std::string_view Doing(int64_t live) const {
    const bool outdated = std::any_of(facts_.begin(), facts_.end(), [](const PodFact& fact) {
      return fact.state == PodFact::State::kLive && !fact.current;
    });
    if (outdated) return podset::kReplacing;
    return live == settings_.replicas ? podset::kWaitingForPods : podset::kScaling;
  }

  const View& view_;
  const Settings settings_;
  const std::vector<const Child*> pods_;
  std::vector<PodFact> facts_;
  SlotDecision decision_;
  DesiredState state_;
};

// Existing Pods are kept and reported.
DesiredState Invalid(DesiredState state, const std::string& why) {
  state.invalid = why;
  state.children.clear();
  state.to_delete.clear();
  state.conditions[kProgressing] = {"Progressing", "False", std::string(kInvalidSpec), why};
  return state;
}

DesiredState DesiredPodSet(const View& view) {
  SpecReader spec(view.parent);
  Settings settings = ReadSettings(&spec);
  DesiredState state = PodSetPlan(view, std::move(settings)).Desired();
  return spec.error().has_value() ? Invalid(std::move(state), *spec.error()) : state;
}

Kind MakeKind(const std::string& kind, const std::string& plural) {
  Kind result;
  result.description.controller = plural + ".app.example.com";
  result.description.parent = {"app.example.com", "v1alpha1", kind, plural, false};
  result.description.children = {PodRule()};
  result.description.scalable = true;
  result.desired = &DesiredPodSet;
  result.condition_types = TypesOf(podset::kConditions);
  return result;
}

}  // namespace

std::vector<Kind> PodSetKinds() {
  return {MakeKind("PodSet", "podsets"), MakeKind("AppService", "appservices")};
}

}  // namespace xebec::planner
