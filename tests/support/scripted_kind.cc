// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_kind.h"

#include <string>
#include <utility>

namespace xebec::testing {
namespace {

using planner::ChildToDelete;
using planner::Condition;
using planner::DesiredChild;
using planner::DesiredSecret;
using planner::DesiredState;
using planner::Kind;
using planner::View;

ResourceType TypeOf(const Json& entry) {
  const std::string kind = FindString(entry, {"kind"});
  if (kind == "Deployment") return ScriptedDeployment();
  if (kind == "Claim") return ScriptedClaim();
  if (kind == "ConfigMap") return ScriptedConfigMap();
  return {"undeclared.example", "v1", kind, "undeclareds", false};
}

int StageOf(const Json& entry) { return static_cast<int>(FindInt(entry, {"stage"}).value_or(0)); }

EventFact Fact(std::string reason, std::string note) {
  EventFact fact;
  fact.reason = std::move(reason);
  fact.action = "Test";
  fact.note = std::move(note);
  return fact;
}

template <typename Each>
void ForEach(const View& view, const char* list, Each each) {
  const Json* entries = Find(view.parent, {"spec", list});
  if (entries == nullptr || !entries->is_array()) return;
  for (const Json& entry : *entries) each(entry);
}

DesiredChild ChildOf(const Json& entry) {
  DesiredChild child;
  child.type = TypeOf(entry);
  const Json* object = Find(entry, {"object"});
  if (object != nullptr) child.object = *object;
  child.stage = StageOf(entry);
  child.owned = child.type != ScriptedClaim();
  const std::string name = FindString(child.object, {"metadata", "name"});
  child.on_created = {Fact("Created", "Created " + name)};
  child.on_changed = {Fact("Changed", "Changed " + name)};
  return child;
}

ChildToDelete ChildToDeleteOf(const Json& entry) {
  ChildToDelete to_delete;
  to_delete.type = TypeOf(entry);
  to_delete.name = FindString(entry, {"name"});
  to_delete.stage = StageOf(entry);
  to_delete.on_deleted = {Fact("Deleted", "Deleted " + to_delete.name)};
  return to_delete;
}

DesiredSecret SecretOf(const Json& entry) {
  DesiredSecret secret;
  secret.name = FindString(entry, {"name"});
  secret.stage = StageOf(entry);
  const Json* keys = Find(entry, {"keys"});
  if (keys != nullptr) secret.generated_keys = keys->get<std::vector<std::string>>();
  return secret;
}

DesiredState Desired(const View& view) {
  DesiredState state;
  if (FindBool(view.parent, {"spec", "throws"}).value_or(false)) {
    view.parent.at("kind").get<int>();  // a type error
  }
  const std::string invalid = FindString(view.parent, {"spec", "invalid"});
  if (!invalid.empty()) state.invalid = invalid;
  ForEach(view, "children", [&](const Json& e) { state.children.push_back(ChildOf(e)); });
  ForEach(view, view.finalizing ? "toDeleteAtEnd" : "toDelete",
          [&](const Json& e) { state.to_delete.push_back(ChildToDeleteOf(e)); });
  ForEach(view, "secrets", [&](const Json& e) { state.secrets.push_back(SecretOf(e)); });
  ForEach(view, "conditions", [&](const Json& e) {
    state.conditions.push_back({FindString(e, {"type"}), FindString(e, {"status"}),
                                FindString(e, {"reason"}), FindString(e, {"message"})});
  });
  ForEach(view, "events", [&](const Json& e) {
    state.events.push_back(Fact(FindString(e, {"reason"}), FindString(e, {"note"})));
  });
  const Json* status = Find(view.parent, {"spec", "status"});
  if (status != nullptr) state.status = *status;
  if (state.conditions.empty()) state.conditions = {{"Ready", "True", "AsDesired", ""}};
  const auto resync = FindInt(view.parent, {"spec", "resyncSeconds"});
  if (resync.has_value()) state.resync_after = absl::Seconds(*resync);
  ForEach(view, "eventReads", [&](const Json& name) {
    state.event_reads.push_back({ScriptedDeployment(), view.ns, name.get<std::string>()});
  });
  state.covers_writes = true;  // nothing depends on the children
  return state;
}

}  // namespace

ResourceType ScriptedConfigMap() { return {"", "v1", "ConfigMap", "configmaps", false}; }
ResourceType ScriptedDeployment() { return {"apps", "v1", "Deployment", "deployments", false}; }
ResourceType ScriptedClaim() { return {"", "v1", "Claim", "claims", false}; }

Kind ScriptedKind() {
  KindDescription description;
  description.controller = "scripted";
  description.parent = {"test.example", "v1", "Scripted", "scripteds", false};
  description.children.resize(3);
  description.children[0].type = ScriptedConfigMap();
  description.children[1].type = ScriptedDeployment();
  description.children[1].fields = {"spec", "status.readyReplicas"};
  description.children[2].type = ScriptedClaim();
  description.children[2].parent_label = "test/scripted";
  description.children[2].stateful = true;
  return {std::move(description), Desired};
}

Kind ScriptedKindWithFinalizer() {
  Kind kind = ScriptedKind();
  kind.description.finalizer = "test/scripted";
  return kind;
}

}  // namespace xebec::testing
