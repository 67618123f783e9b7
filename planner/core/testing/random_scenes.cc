// SPDX-License-Identifier: Apache-2.0
#include "planner/core/testing/random_scenes.h"

#include <iterator>
#include <utility>

#include "common/model/names.h"
#include "planner/core/read_context.h"
#include "tests/support/scripted_kind.h"

namespace xebec::testing {
namespace {

constexpr const char* kNames[] = {"a", "b", "c", "d"};
constexpr char kClaimLabel[] = "test/scripted";

bool IsClaim(const std::string& kind) { return kind == "Claim"; }

Json RandomContent(Dice& dice) {
  Json content = Json::object();
  for (const char* key : {"x", "y"}) {
    if (!dice.OneIn(3)) content[key] = std::to_string(dice.Roll(3));
  }
  return content;
}

Json RandomSpec(Dice& dice) {
  Json spec = {{"children", Json::array()},
               {"toDelete", Json::array()},
               {"toDeleteAtEnd", Json::array()},
               {"secrets", Json::array()}};
  for (const char* kind : kKinds) {
    for (const char* name : kNames) {
      const int what = dice.Roll(4);
      if (what <= 1) {
        Json object = {{"metadata", {{"name", name}}}, {"spec", RandomContent(dice)}};
        if (IsClaim(kind)) object["metadata"]["labels"] = {{kClaimLabel, "p"}};
        spec["children"].push_back(
            {{"kind", kind}, {"stage", dice.Roll(3)}, {"object", std::move(object)}});
      } else if (what == 2) {
        spec["toDelete"].push_back({{"kind", kind}, {"name", name}, {"stage", dice.Roll(3)}});
      }
      // Every Claim, so that the result does not depend on the time of the list.
      if (IsClaim(kind) || dice.OneIn(2)) {
        spec["toDeleteAtEnd"].push_back({{"kind", kind}, {"name", name}, {"stage", dice.Roll(4)}});
      }
    }
  }
  spec["status"] = {{"count", dice.Roll(5)}};
  return spec;
}

// Objects that exist before Xebec: children of an original operator, objects of others, and unowned
// objects.
void AddUnownedObjects(Scene& scene, Dice& dice) {
  for (const char* kind : kKinds) {
    for (const char* name : kNames) {
      if (!dice.OneIn(3)) continue;
      Json object = {{"metadata", {{"name", name}}}, {"spec", RandomContent(dice)}};
      const int owner = dice.Roll(3);
      if (owner > 0 && IsClaim(kind)) {
        object["metadata"]["labels"] = {{kClaimLabel, owner == 1 ? "p" : "unowned object"}};
      } else if (owner > 0) {
        const std::string uid =
            owner == 1 ? scene.Parent()["metadata"]["uid"].get<std::string>() : "unowned object";
        object["metadata"]["ownerReferences"] =
            Json::array({{{"uid", uid}, {"controller", true}, {"name", "x"}, {"kind", "X"}}});
      }
      scene.world.Put(TypeOf(kind), std::move(object));
    }
  }
}

}  // namespace

ResourceType TypeOf(const std::string& kind) {
  return kind == "ConfigMap" ? ScriptedConfigMap()
         : IsClaim(kind)     ? ScriptedClaim()
                             : ScriptedDeployment();
}

bool IsOf(const Json& parent, const Json& object) {
  if (!IsClaim(FindString(object, {"kind"}))) {
    return planner::ControllerUid(object) == FindString(parent, {"metadata", "uid"});
  }
  return FindString(object, {"metadata", "labels", kClaimLabel}) ==
         LabelValue(FindString(parent, {"metadata", "name"}));
}

Scene RandomScene(Dice& dice, bool finalizer) {
  Scene scene(finalizer ? ScriptedKindWithFinalizer() : ScriptedKind(),
              {{"metadata", {{"name", "p"}}}, {"spec", RandomSpec(dice)}});
  scene.world.Put(ScriptedConfigMap(),
                  {{"metadata", {{"name", "keeper"}, {"uid", "unowned object"}}}});
  AddUnownedObjects(scene, dice);
  return scene;
}

std::map<ObjectRef, Json> Essence(const Scene& scene) {
  std::map<ObjectRef, Json> out;
  for (const char* kind : kKinds) {
    for (const ObjectRef& ref : scene.world.List(kind)) {
      Json object = *scene.world.Get(ref);
      for (const char* key : {"uid", "resourceVersion", "generation"})
        object["metadata"].erase(key);
      out[ref] = std::move(object);
    }
  }
  return out;
}

Plan Prefix(Plan plan, size_t count) {
  plan.status.reset();
  for (Stage& stage : plan.stages) {
    const size_t kept = std::min(count, stage.operations.size());
    stage.operations.resize(kept);
    count -= kept;
  }
  return plan;
}

void CheckDeletes(const Scene& scene, const Plan& plan) {
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (!std::holds_alternative<Delete>(operation.action)) continue;
      const Json* live = scene.world.Get(operation.target);
      ASSERT_NE(live, nullptr) << operation.id;
      EXPECT_TRUE(IsOf(scene.Parent(), *live)) << operation.id;
      EXPECT_EQ(operation.precondition.uid, (*live)["metadata"]["uid"]) << operation.id;
    }
  }
}

void Disturb(Scene& scene, Dice& dice) {
  const std::vector<ObjectRef> maps = scene.world.List(kKinds[dice.Roll(std::size(kKinds))]);
  if (dice.OneIn(3) || maps.empty()) {
    scene.world.Edit(scene.parent, [&](Json& parent) { parent["spec"] = RandomSpec(dice); });
    return;
  }
  const ObjectRef& ref = maps[static_cast<size_t>(dice.Roll(static_cast<int>(maps.size())))];
  if (ref.name == "keeper") return;
  if (dice.OneIn(2)) return scene.world.Delete(ref);
  scene.world.Edit(ref, [&](Json& object) { object["spec"] = RandomContent(dice); });
}

}  // namespace xebec::testing
