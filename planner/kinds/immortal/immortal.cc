// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/immortal/immortal.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "planner/core/conditions.h"
#include "planner/kinds/immortal/back_off.h"
#include "planner/kinds/immortal/immortal_reasons.h"
#include "planner/kinds/immortal/start_count.h"
#include "planner/kinds/pod_state.h"
#include "planner/kinds/pods.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/spec_reader.h"

namespace xebec::planner {
namespace {

constexpr std::string_view kOnFailureGroup = "immortalcontainers.flugel.it";
// The status write usually causes a reconcile before this time.
constexpr absl::Duration kSoon = absl::Seconds(1);
// Without a status that records the pause, an ended Pod must have this age before it is replaced.
constexpr absl::Duration kPauseWithoutStatus = absl::Seconds(10);

// Returns false if the parent's CRD has no status, or drops undeclared fields as the CRD of an
// original operator does. Every status that we write contains observedGeneration.
bool KeepsRecords(const View& view) {
  if (view.without_status) return false;
  return Find(view.parent, {"status"}) == nullptr ||
         Find(view.parent, {"status", "observedGeneration"}) != nullptr;
}

// Orders live Pods before unknown before ended ones; then by the latest start.
auto Rank(const Child& pod, const StartCount& starts) {
  const PodState state = StateOf(pod);
  const int life = state == PodState::kLive ? 2 : state == PodState::kUnknown ? 1 : 0;
  return std::make_tuple(life, StartOf(pod, starts), pod.name);
}

// Plans one ImmortalContainer once.
class ImmortalPlan {
 public:
  ImmortalPlan(const View& view, ImmortalSpec spec)
      : view_(view),
        spec_(std::move(spec)),
        starts_(CountStarts(view)),
        back_off_(ReadBackOff(view)) {}

  DesiredState Desired() {
    ChoosePod();
    if (pod_ != nullptr) {
      StateOf(*pod_) == PodState::kFinished ? ReplaceEnded() : KeepOrReplace();
    } else if (view_.OfKind("Pod").empty()) {
      Start();
    }
    Report();
    return std::move(state_);
  }

 private:
  // Keeps one of several Pods that are not terminating; two live Pods are never kept.
  void ChoosePod() {
    std::vector<const Child*> standing;
    for (const Child* pod : view_.OfKind("Pod")) {
      if (!pod->deleting) standing.push_back(pod);
    }
    for (const Child* pod : standing) {
      if (pod_ == nullptr || Rank(*pod_, starts_) < Rank(*pod, starts_)) {
        pod_ = pod;
      }
    }
    for (const Child* pod : standing) {
      if (pod != pod_) Remove(*pod, "there is another Pod");
    }
  }

  bool StartIsRecorded(const Child& pod) const {
    if (StartOf(pod, starts_) <= starts_.recorded) return true;
    return view_.without_status ||
           (!KeepsRecords(view_) && Find(view_.parent, {"status", "startTimes"}) == nullptr);
  }

  // Deletes the Pod if its start is recorded; otherwise records it first.
  void Remove(const Child& pod, const std::string& why) {
    if (!StartIsRecorded(pod)) return ResyncAfter(kSoon, &state_);
    state_.to_delete.push_back(
        {PodType(), pod.name, 0, Propagation::kBackground, {PodDeleted(pod.name, why)}, why});
  }

  void KeepOrReplace() {
    DesiredChild child = ImmortalPod(view_, spec_, StartOf(*pod_, starts_), pod_);
    Json& container = child.object["spec"]["containers"][0];
    back_off_.next_start.reset();
    if (StateOf(*pod_) == PodState::kUnknown) return;
    outdated_ = !RunsTemplate(*pod_, container, TemplateDigest(container));
    if (outdated_) return Remove(*pod_, "its image changed");
    container = AsFarAsMutable(*pod_, std::move(container));
    child.object["metadata"]["name"] = pod_->name;
    // Immutable: a Pod of an original operator stays unchanged.
    const std::string policy = FindString(pod_->object, {"spec", "restartPolicy"});
    if (!spec_.restart_policy.empty() && !policy.empty()) {
      child.object["spec"]["restartPolicy"] = policy;
    }
    state_.children.push_back(std::move(child));
  }

  // Records the end first. Deletes the Pod after the pause, so that its logs can be read until
  // then.
  void ReplaceEnded() {
    const int64_t start = StartOf(*pod_, starts_);
    absl::Duration left;
    if (!KeepsRecords(view_)) {
      left = PauseByAge();
    } else if (back_off_.ended_start < start) {
      back_off_ = AfterEnd(back_off_, start, *pod_, view_.now);
      return ResyncAfter(kSoon, &state_);
    } else {
      left = PauseLeft(back_off_, view_.now);
    }
    if (left > absl::ZeroDuration()) return ResyncAfter(left, &state_);
    const std::string phase = FindString(pod_->object, {"status", "phase"});
    Remove(*pod_, absl::StrCat("it has ended (", phase, ")"));
  }

  absl::Duration PauseByAge() const {
    const auto created = FindTime(pod_->object, {"metadata", "creationTimestamp"});
    if (!created.has_value() || view_.now == absl::InfinitePast()) return absl::ZeroDuration();
    return std::clamp(*created + kPauseWithoutStatus - view_.now, absl::ZeroDuration(),
                      kPauseWithoutStatus);
  }

  void Start() {
    const absl::Duration left = PauseLeft(back_off_, view_.now);
    if (left > absl::ZeroDuration()) return ResyncAfter(left, &state_);
    const int64_t start = starts_.count + 1;
    DesiredChild child = ImmortalPod(view_, spec_, start);
    child.on_created = {
        PodCreated(ImmortalPodName(view_.name), absl::StrCat(" (start ", start, ")"))};
    state_.children.push_back(std::move(child));
  }

  void Report() {
    const bool live = pod_ != nullptr && StateOf(*pod_) == PodState::kLive;
    state_.status["currentPod"] = live ? pod_->name : "";
    state_.status["startTimes"] = starts_.count;
    state_.status["image"] = spec_.image.empty() ? Json() : Json(spec_.image);
    state_.status["endedStart"] = OrNull(back_off_.ended_start);
    state_.status["quickEnds"] = OrNull(back_off_.quick_ends);
    state_.status["nextStart"] =
        back_off_.next_start.has_value() ? Json(Rfc3339(*back_off_.next_start)) : Json();
    ReportReady(live);
    ReportBackOff();
    ReportStuckPods(view_, &state_);
  }

  static Json OrNull(int64_t value) { return value > 0 ? Json(value) : Json(); }

  Condition Ready(bool live) const {
    const auto make = [](const char* status, std::string_view reason, std::string message) {
      return Condition{"Ready", status, std::string(reason), std::move(message)};
    };
    if (outdated_) {
      return make("False", immortal::kPodOutdated,
                  absl::StrCat("Pod \"", pod_->name, "\" runs another image and is replaced"));
    }
    if (live) {
      const bool ready = IsReady(*pod_);
      return make(ready ? "True" : "False", ready ? immortal::kPodReady : immortal::kPodNotReady,
                  absl::StrCat("Pod \"", pod_->name, "\" runs, start ", starts_.count));
    }
    if (pod_ != nullptr) {
      const bool ended = StateOf(*pod_) == PodState::kFinished;
      return make("False", ended ? immortal::kPodEnded : immortal::kPodUnknown,
                  absl::StrCat("Pod \"", pod_->name, "\" is ",
                               FindString(pod_->object, {"status", "phase"})));
    }
    if (view_.OfKind("Pod").empty()) return make("False", immortal::kNoPod, "No Pod exists");
    return make("False", immortal::kPodTerminating,
                "The next Pod starts when the previous one is gone");
  }

  void ReportReady(bool live) {
    state_.conditions.push_back(Ready(live));
    if (live && !outdated_) ExplainNotReady(view_, {pod_}, &state_.conditions);
  }

  void ReportBackOff() {
    if (!back_off_.next_start.has_value()) {
      state_.conditions.push_back({"BackOff", "", "", ""});
      return;
    }
    const std::string message =
        absl::StrCat("Ended by itself ", back_off_.quick_ends,
                     " times in a row within ten minutes of its start; next start at ",
                     Rfc3339(*back_off_.next_start), ". A change of the spec starts it at once");
    state_.conditions.push_back({"BackOff", "True", "EndsRepeatedly", message});
    state_.events.push_back({EventCondition::kAnyChange, true, "EndsRepeatedly", "Pause", message});
  }

  const View& view_;
  const ImmortalSpec spec_;
  const StartCount starts_;
  BackOff back_off_;
  const Child* pod_ = nullptr;
  bool outdated_ = false;  // pod_ is live and does not run the desired image.
  DesiredState state_;
};

DesiredState DesiredImmortal(const View& view) {
  SpecReader spec(view.parent);
  ImmortalSpec wanted;
  wanted.image = spec.Image("image", "");
  if (wanted.image.empty()) spec.Fail("image", "is missing; set it to the image to run");
  wanted.pull_secrets = spec.Objects("imagePullSecrets");
  if (view.kind.parent.group == kOnFailureGroup) wanted.restart_policy = "OnFailure";
  DesiredState state = ImmortalPlan(view, std::move(wanted)).Desired();
  if (spec.error().has_value()) {
    state.invalid = spec.error();
    state.children.clear();
    state.to_delete.clear();
    state.resync_after.reset();
  }
  return state;
}

Kind MakeKind(const std::string& group) {
  Kind kind;
  kind.description.controller = "immortalcontainers." + group;
  kind.description.parent = {group, "v1alpha1", "ImmortalContainer", "immortalcontainers", false};
  kind.description.children = {PodRule()};
  kind.desired = &DesiredImmortal;
  kind.condition_types = TypesOf(immortal::kConditions);
  return kind;
}

}  // namespace

std::vector<Kind> ImmortalContainerKinds() {
  return {MakeKind("immortalcontainer.flugel.it"), MakeKind("immortalcontainers.flugel.it")};
}

}  // namespace xebec::planner
