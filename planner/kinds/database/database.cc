// SPDX-License-Identifier: Apache-2.0
#include "planner/kinds/database/database.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/base/strings.h"
#include "planner/core/child_state.h"
#include "planner/kinds/database/claims.h"
#include "planner/kinds/database/credentials.h"
#include "planner/kinds/database/database_objects.h"
#include "planner/kinds/database/database_spec.h"
#include "planner/kinds/database/init_run.h"
#include "planner/kinds/resources.h"

namespace xebec::planner {
namespace {

// How the StatefulSet stands.
struct SetState {
  const Child* live = nullptr;
  int64_t replicas = 0, ready = 0;
  bool rolled_out = false;  // What its controller reports is about what we want, and is complete.
  bool complete = false;    // And all replicas are ready.
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
  const int64_t generation = FindInt(live->object, {"metadata", "generation"}).value_or(0);
  set.rolled_out = IsAsDesired(CompareChild(view, desired).state) &&
                   StatusInt(*live, "observedGeneration") >= generation &&
                   set.replicas == spec.replicas &&
                   StatusInt(*live, "updatedReplicas") == spec.replicas;
  set.complete = set.rolled_out && set.ready == spec.replicas;
  return set;
}

std::string Phase(const View& view, const DatabaseSpec& spec, const SetState& set,
                  bool initialized) {
  const std::string before = FindString(view.parent, {"status", "phase"});
  const bool was_up = !before.empty() && before != "Creating" && before != "Initializing";
  if (set.live == nullptr) return "Creating";
  if (set.complete)
    return !initialized ? "Initializing" : spec.replicas == 0 ? "Stopped" : "Running";
  if (!was_up) return set.ready > 0 && !initialized ? "Initializing" : "Creating";
  return set.rolled_out ? "Degraded" : "Updating";
}

Condition ReadyCondition(const DatabaseSpec& spec, const SetState& set, const DesiredState& state,
                         bool initialized) {
  std::string message = absl::StrCat(set.ready, " of ", spec.replicas, " replicas are ready");
  if (!set.complete) return {"Ready", "False", "ReplicasNotReady", std::move(message)};
  if (initialized) return {"Ready", "True", "DatabaseReady", std::move(message)};
  for (const Condition& condition : state.conditions) {
    if (condition.type == "Initialized")
      return {"Ready", "False", condition.reason, condition.message};
  }
  return {"Ready", "False", "NotInitialized", std::move(message)};
}

void Report(const View& view, const DatabaseSpec& spec, const SetState& set, bool initialized,
            DesiredState* state) {
  state->status["phase"] = Phase(view, spec, set, initialized);
  state->status["replicas"] = set.replicas;
  state->status["readyReplicas"] = set.ready;
  state->status["selector"] = PodSelector(view);
  state->status["endpoint"] = absl::StrCat(NamesOf(view).host, ":", spec.port);
  Condition ready = ReadyCondition(spec, set, *state, initialized);
  const bool done = set.rolled_out && initialized;
  state->conditions.push_back(
      {"Progressing", done ? "False" : "True", done ? "Complete" : ready.reason, ready.message});
  state->conditions.push_back(std::move(ready));
}

DesiredState DesiredDatabase(const View& view) {
  std::optional<std::string> error;
  const DatabaseSpec spec = ReadDatabaseSpec(view.parent, &error);
  const Child* live = view.Find("StatefulSet", NamesOf(view).base);
  DesiredState state;
  state.children = {DatabaseService(view, spec), DatabaseConfig(view, spec),
                    DatabaseStatefulSet(view, spec, live)};
  const SetState set = Examine(view, spec, live, state.children.back());
  PlanCredentials(view, set.complete, &state);
  const bool initialized = PlanInit(view, spec, set.ready > 0, &state);
  PlanClaims(view, spec, live, &state);
  Report(view, spec, set, initialized, &state);
  if (error.has_value()) {
    state.invalid = std::move(error);
    state.children.clear();
    state.secrets.clear();
    state.resync_after.reset();
  }
  return state;
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
  ChildRule set = Rule(StatefulSetType(), {"spec", "status"}, kDatabaseLabel);
  set.stateful = true;
  ChildRule claims = Rule(ClaimType(), {"spec.resources", "status.capacity"}, kDatabaseLabel);
  claims.stateful = true;
  claims.parent_label = std::string(kDatabaseLabel);
  // Jobs without a selector: one that lost its label must not be taken for gone.
  kind.description.children = {Rule(ServiceType(), {"spec"}, kDatabaseLabel),
                               Rule(ConfigMapType(), {"data"}, kDatabaseLabel), std::move(set),
                               Rule(JobType(), {"status"}, ""), std::move(claims)};
  kind.desired = &DesiredDatabase;
  return kind;
}

}  // namespace

std::vector<Kind> DatabaseKinds() {
  return {MakeKind("stable.imaginedata.com"), MakeKind("stable.imaginedata.co")};
}

}  // namespace xebec::planner
