// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/database.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "planner/core/child_state.h"
#include "planner/core/read_context.h"
#include "planner/kinds/database/claims.h"
#include "planner/kinds/database/credentials.h"
#include "planner/kinds/database/data_record.h"
#include "planner/kinds/database/database_objects.h"
#include "planner/kinds/database/database_reasons.h"
#include "planner/kinds/database/database_spec.h"
#include "planner/kinds/database/init_run.h"
#include "planner/kinds/database/missing_pods.h"
#include "planner/kinds/pod_reason.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

enum class Phase { kCreating, kInitializing, kRunning, kUpdating, kDegraded, kStopped };

constexpr std::pair<Phase, const char*> kPhases[] = {
    {Phase::kCreating, "Creating"}, {Phase::kInitializing, "Initializing"},
    {Phase::kRunning, "Running"},   {Phase::kUpdating, "Updating"},
    {Phase::kDegraded, "Degraded"}, {Phase::kStopped, "Stopped"}};

// An unknown or absent phase counts as Creating.
Phase ParsePhase(std::string_view name) {
  for (const auto& [phase, text] : kPhases) {
    if (text == name) return phase;
  }
  return Phase::kCreating;
}

const char* PhaseName(Phase phase) {
  for (const auto& [each, text] : kPhases) {
    if (each == phase) return text;
  }
  return "";
}

// The state of the StatefulSet.
struct SetState {
  const Child* live = nullptr;
  int64_t replicas = 0, ready = 0;
  bool rolled_out = false;  // Its controller has processed the desired spec.
  bool complete = false;    // All replicas are ready too.
  bool rolling = false;     // Its controller replaces Pods.
};

int64_t StatusInt(const Child& set, std::string_view field) {
  return FindInt(set.object, {"status", field}).value_or(0);
}

SetState Examine(const View& view, const DatabaseSpec& spec, const Child* live,
                 const DesiredChild& desired) {
  SetState set;
  set.live = live;
  if (live == nullptr) return set;
  set.replicas = StatusInt(*live, "replicas");
  set.ready = StatusInt(*live, "readyReplicas");
  set.rolling = FindString(live->object, {"status", "currentRevision"}) !=
                FindString(live->object, {"status", "updateRevision"});
  const int64_t generation = FindInt(live->object, {"metadata", "generation"}).value_or(0);
  set.rolled_out = IsAsDesired(CompareChild(view, desired).state) &&
                   StatusInt(*live, "observedGeneration") >= generation &&
                   set.replicas == spec.replicas &&
                   StatusInt(*live, "updatedReplicas") == spec.replicas;
  set.complete = set.rolled_out && set.ready == spec.replicas;
  return set;
}

// Plans one Database once.
class DatabasePlan {
 public:
  DatabasePlan(const View& view, const DatabaseSpec& spec)
      : view_(view),
        spec_(spec),
        live_(view.Find("StatefulSet", NamesOf(view).base)),
        data_(view, live_) {}

  std::optional<std::string> Refusal() const { return data_.Refusal(spec_); }

  DesiredState Desired() {
    state_.children = {DatabaseService(view_, spec_), DatabaseConfig(view_, spec_),
                       DatabaseStatefulSet(view_, spec_, live_)};
    set_ = Examine(view_, spec_, live_, state_.children.back());
    const Initialization init = PlanInit(view_, spec_, set_.ready > 0, &state_);
    initialized_ = init == Initialization::kComplete;
    const bool needs_secret = !set_.complete || init == Initialization::kRunning;
    PlanCredentials(view_, spec_, needs_secret, &state_);
    PlanClaims(view_, spec_, live_, set_.complete, &state_);
    lost_ = data_.Report(view_, spec_, initialized_, &state_);
    Report();
    return std::move(state_);
  }

 private:
  Phase NextPhase() const {
    const Phase before = ParsePhase(FindString(view_.parent, {"status", "phase"}));
    const bool was_up = before != Phase::kCreating && before != Phase::kInitializing;
    if (set_.live == nullptr) return Phase::kCreating;
    if (set_.complete && spec_.replicas == 0) return Phase::kStopped;
    if (set_.complete) return initialized_ ? Phase::kRunning : Phase::kInitializing;
    if (!was_up || !initialized_) {
      return set_.ready > 0 && !initialized_ ? Phase::kInitializing : Phase::kCreating;
    }
    return set_.rolled_out ? Phase::kDegraded : Phase::kUpdating;
  }

  Condition OfType(std::string_view type) const {
    for (const Condition& condition : state_.conditions) {
      if (condition.type == type) return {"Ready", "False", condition.reason, condition.message};
    }
    return {};
  }

  Condition Ready() {
    if (lost_) return OfType("DataLost");
    std::string message = absl::StrCat(set_.ready, " of ", spec_.replicas, " replicas are ready");
    if (!set_.complete) return NotComplete(std::move(message));
    if (spec_.replicas == 0) {
      return {"Ready", "True", std::string(database::kStopped), std::move(message)};
    }
    if (!initialized_) return OfType("Initialized");
    return {"Ready", "True", std::string(database::kDatabaseReady), std::move(message)};
  }

  Condition NotComplete(std::string message) {
    if (live_ != nullptr) {
      const std::vector<const Child*> pods = PodsOf(view_, *live_);
      if (const auto reason = FindPodReason(pods, ShownReason(view_, "Ready"))) {
        absl::StrAppend(&message, ": ", reason->message);
        return {"Ready", "False", reason->reason, std::move(message)};
      }
      if (const auto reason = MissingPods(static_cast<int64_t>(pods.size()))) {
        absl::StrAppend(&message, ": ", reason->message);
        return {"Ready", "False", reason->reason, std::move(message)};
      }
    }
    return {"Ready", "False", std::string(database::kReplicasNotReady), std::move(message)};
  }

  std::optional<PodReason> MissingPods(int64_t pods) {
    if (!LacksPods(pods)) return std::nullopt;
    return FindMissingPodsReason(view_, *live_, "Ready", database::kReplicasNotReady,
                                 /*replaces=*/set_.rolling, &state_);
  }

  // While a Pod terminates, its successor does not exist yet.
  bool LacksPods(int64_t pods) const {
    const std::vector<const Child*> all = view_.OfKind("Pod");
    const bool terminating = std::any_of(all.begin(), all.end(), [&](const Child* pod) {
      return pod->deleting && ControllerUid(pod->object) == live_->uid;
    });
    return pods < spec_.replicas && set_.replicas < spec_.replicas && !terminating;
  }

  void Report() {
    state_.status["phase"] = PhaseName(NextPhase());
    state_.status["replicas"] = set_.replicas;
    state_.status["readyReplicas"] = set_.ready;
    state_.status["selector"] = PodSelector(view_);
    state_.status["endpoint"] = absl::StrCat(NamesOf(view_).host, ":", spec_.port);
    Condition ready = Ready();
    const bool done = set_.rolled_out && (initialized_ || spec_.replicas == 0);
    const std::string reason = done ? std::string(database::kComplete) : ready.reason;
    state_.conditions.push_back({"Progressing", done ? "False" : "True", reason, ready.message});
    state_.conditions.push_back(std::move(ready));
  }

  const View& view_;
  const DatabaseSpec& spec_;
  const Child* const live_;  // the StatefulSet
  DataRecord data_;
  SetState set_;
  bool initialized_ = false, lost_ = false;
  DesiredState state_;
};

// Existing children are kept, and no condition compares them with the spec.
DesiredState Invalid(DesiredState state, const std::string& why) {
  state.invalid = why;
  state.children.clear();
  state.to_delete.clear();
  state.secrets.clear();
  state.resync_after.reset();
  std::erase_if(state.conditions, [](const Condition& each) {
    return each.type == "Progressing" || each.type == "StorageResized";
  });
  state.conditions.push_back({"Progressing", "False", std::string(kInvalidSpec), why});
  return state;
}

DesiredState DesiredDatabase(const View& view) {
  std::optional<std::string> error;
  const DatabaseSpec spec = ReadDatabaseSpec(view.parent, &error);
  DatabasePlan plan(view, spec);
  if (!error.has_value()) error = plan.Refusal();
  DesiredState state = plan.Desired();
  return error.has_value() ? Invalid(std::move(state), *error) : state;
}

ChildRule Rule(const ResourceType& type, std::vector<std::string> fields,
               std::string_view selector) {
  ChildRule rule;
  rule.type = type;
  rule.fields = std::move(fields);
  rule.label_selector = std::string(selector);
  return rule;
}

Kind MakeKind(const std::string& group) {
  Kind kind;
  kind.description.controller = "databases." + group;
  kind.description.parent = {group, "v1", "Database", "databases", false};
  kind.description.scalable = true;
  // StatefulSets and Jobs are selected without labels, so that an object that lost its label is
  // found.
  ChildRule set = Rule(StatefulSetType(), {"spec", "status"}, "");
  set.stateful = true;
  ChildRule claims = Rule(ClaimType(), {"spec.resources", "status.capacity"}, kDatabaseLabel);
  claims.stateful = true;
  claims.parent_label = std::string(kDatabaseLabel);
  ChildRule jobs = Rule(JobType(), {"status"}, "");
  jobs.stateful = true;  // A Job that succeeds while it is being replaced must not be deleted.
  kind.description.children = {Rule(ServiceType(), {"spec"}, kDatabaseLabel),
                               Rule(ConfigMapType(), {"data"}, kDatabaseLabel),
                               std::move(set),
                               std::move(jobs),
                               std::move(claims),
                               IndirectPodRule()};
  kind.desired = &DesiredDatabase;
  kind.condition_types = TypesOf(database::kConditions);
  return kind;
}

}  // namespace

std::vector<Kind> DatabaseKinds() {
  return {MakeKind("stable.imaginedata.com"), MakeKind("stable.imaginedata.co")};
}

}  // namespace xebec::planner
