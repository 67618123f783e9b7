// SPDX-License-Identifier: Apache-2.0
// What must hold for Operators in the simulated world.
#include <algorithm>
#include <set>
#include <utility>

#include "planner/hooks/testing/fake_hook.h"
#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {
namespace {

// An Operator as it should run in the end.
struct Running {
  Json object;
  Declaration declaration;
  bool refused = false;
  bool plans() const { return !refused && !declaration.paused; }
};

// All Operators, the oldest first. Of two that write the status, the younger one is refused.
std::vector<Running> RunningOf(const FakeCluster& cluster) {
  std::vector<Running> all;
  for (const auto& [key, object] : cluster.All(OperatorType())) {
    all.push_back({object, *ReadDeclaration(object)});
  }
  std::stable_sort(all.begin(), all.end(), [](const Running& a, const Running& b) {
    const auto created = [](const Running& each) {
      return FindString(each.object, {"metadata", "creationTimestamp"});
    };
    return created(a) < created(b);
  });
  bool written = false;
  for (Running& each : all) {
    each.refused = each.declaration.status && written;
    written |= each.declaration.status;
  }
  return all;
}

std::set<std::string> FinalizersOf(const Json& object) {
  std::set<std::string> finalizers;
  const Json* list = Find(object, {"metadata", "finalizers"});
  if (list == nullptr) return finalizers;
  for (const Json& each : *list) finalizers.insert(each.get<std::string>());
  return finalizers;
}

// The differences between a widget and what the Operators make of it.
class WidgetCheck {
 public:
  WidgetCheck(const FakeCluster& cluster, const FakeHooks& hooks, const std::string& name)
      : cluster_(cluster),
        hooks_(hooks),
        name_(name),
        widget_(*cluster.Find(WidgetType(), Key(name))) {}

  std::vector<std::string> Run(const std::vector<Running>& running, bool wanted, int parts,
                               int value) {
    CheckFinalizers(running);
    const bool waits = std::any_of(running.begin(), running.end(), [&](const Running& each) {
      return !each.plans() && Holds(each);
    });
    if (!wanted && !waits) Add("should be gone");
    for (const Running& each : running) {
      if (wanted && each.plans()) CheckOperator(each, parts, value);
    }
    return std::move(differences_);
  }

 private:
  static ObjectKey Key(const std::string& name) { return {"default", name}; }
  void Add(const std::string& what) { differences_.push_back(name_ + " " + what); }
  bool Holds(const Running& running) const {
    return FinalizersOf(widget_).contains(FinalizerOf(running.declaration));
  }

  // Those of Operators that are gone are forgotten.
  void CheckFinalizers(const std::vector<Running>& running) {
    std::set<std::string> finalizers = FinalizersOf(widget_);
    for (const Running& each : running) finalizers.erase(FinalizerOf(each.declaration));
    for (const std::string& each : finalizers) Add("keeps the finalizer " + each);
  }

  void CheckOperator(const Running& running, int parts, int value) {
    const Declaration& declaration = running.declaration;
    if (Holds(running) != declaration.finalizer) Add("has not the finalizers that it should have");
    const Json spec = xebec::testing::HookedSpec(
        value, FindInt(running.object, {"spec", "configuration", "id"}).value_or(0),
        hooks_.ProgramAt(declaration.hook));
    const std::string prefix = name_ + "-" + declaration.name;
    for (int i = 0; i < parts; ++i) CheckChild(PartType(), prefix + "-" + std::to_string(i), spec);
    for (int i = parts; i < 4; ++i) {
      const std::string extra = prefix + "-" + std::to_string(i);
      if (cluster_.Find(PartType(), Key(extra)) != nullptr) Add("still has " + extra);
    }
    if (declaration.children.size() > 1) CheckChild(GadgetType(), prefix, spec);
    if (!declaration.status) return;
    const bool told = FindInt(widget_, {"status", "parts"}) == parts &&
                      FindInt(widget_, {"status", "observedGeneration"}) ==
                          FindInt(widget_, {"metadata", "generation"});
    if (!told) Add("has the status " + DumpJson(widget_.value("status", Json())));
  }

  void CheckChild(const ResourceType& type, const std::string& name, const Json& spec) {
    const Json* child = cluster_.Find(type, Key(name));
    if (child == nullptr) return Add("lacks " + name);
    if (child->value("spec", Json()) != spec) Add("has another " + name);
  }

  const FakeCluster& cluster_;
  const FakeHooks& hooks_;
  const std::string name_;
  const Json& widget_;
  std::vector<std::string> differences_;
};

}  // namespace

// The laws of declared controllers for a plan that is sent.
void World::CheckDeclaredPlan(const Plan& plan) {
  if (plan.envelope.parent.ref.type == OperatorType()) return;
  Violate(hook_laws_.OnSent(plan));
  if (!quiet_) return;
  const Json* declaring = cluster_.Find(OperatorType(), {"", plan.envelope.controller});
  if (declaring == nullptr) return Violate("a plan of an operator that is gone was sent");
  if (FindBool(*declaring, {"spec", "paused"}).value_or(false))
    Violate("a plan of a paused operator was sent");
}

// What is left to do, and what Operators show wrongly.
void World::CheckOperators(std::vector<std::string>* differences) const {
  const std::vector<Running> running = RunningOf(cluster_);
  for (const auto& [name, want] : wanted_) {
    if (cluster_.Find(WidgetType(), {"default", name}) == nullptr)
      differences->push_back(name + " is missing");
  }
  for (const auto& [key, widget] : cluster_.All(WidgetType())) {
    const auto want = wanted_.find(key.name);
    const bool wanted = want != wanted_.end();
    const auto [parts, value] = wanted ? want->second : std::pair(0, 0);
    WidgetCheck check(cluster_, hooks_, key.name);
    for (std::string& each : check.Run(running, wanted, parts, value)) {
      differences->push_back(std::move(each));
    }
  }
  const auto widgets = static_cast<int64_t>(cluster_.All(WidgetType()).size());
  for (const Running& each : running) {
    const std::string name = "operator " + each.declaration.name;
    if (each.declaration.deleting) differences->push_back(name + " should be gone");
    Json status = each.object.value("status", Json::object());
    const bool told = FindInt(status, {"parents"}) == (each.refused ? 0 : widgets) &&
                      (FindInt(status, {"problems"}) == 0 || !each.plans()) &&
                      FindInt(status, {"observedGeneration"}) == each.declaration.generation;
    status.erase("conditions");
    if (!told) differences->push_back(name + " has the status " + DumpJson(status));
  }
}

}  // namespace xebec::watcher::testing
