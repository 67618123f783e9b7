// SPDX-License-Identifier: Apache-2.0
#include "planner/core/testing/random_scenes.h"

#include <utility>

#include "tests/support/scripted_kind.h"

namespace xebec::testing {
namespace {

constexpr const char* kNames[] = {"a", "b", "c", "d"};

Json RandomContent(Dice& dice) {
  Json content = Json::object();
  for (const char* key : {"x", "y"}) {
    if (!dice.OneIn(3)) content[key] = std::to_string(dice.Roll(3));
  }
  return content;
}

Json RandomSpec(Dice& dice) {
  Json spec = {{"children", Json::array()}, {"doomed", Json::array()}, {"secrets", Json::array()}};
  for (const char* kind : kKinds) {
    for (const char* name : kNames) {
      const int what = dice.Roll(4);
      if (what <= 1) {
        Json object = {{"metadata", {{"name", name}}}, {"spec", RandomContent(dice)}};
        spec["children"].push_back(
            {{"kind", kind}, {"stage", dice.Roll(3)}, {"object", std::move(object)}});
      } else if (what == 2) {
        spec["doomed"].push_back({{"kind", kind}, {"name", name}, {"stage", dice.Roll(3)}});
      }
    }
  }
  spec["status"] = {{"count", dice.Roll(5)}};
  return spec;
}

// Objects that are there before Xebec: ours of an original operator, other people's, nobody's.
void AddStrangers(Scene& scene, Dice& dice) {
  for (const char* kind : kKinds) {
    for (const char* name : kNames) {
      if (!dice.OneIn(3)) continue;
      Json object = {{"metadata", {{"name", name}}}, {"spec", RandomContent(dice)}};
      const int owner = dice.Roll(3);
      if (owner > 0) {
        const std::string uid =
            owner == 1 ? scene.Parent()["metadata"]["uid"].get<std::string>() : "stranger";
        object["metadata"]["ownerReferences"] =
            Json::array({{{"uid", uid}, {"controller", true}, {"name", "x"}, {"kind", "X"}}});
      }
      scene.world.Put(TypeOf(kind), std::move(object));
    }
  }
}

}  // namespace

ResourceType TypeOf(const std::string& kind) {
  return kind == "ConfigMap" ? ScriptedConfigMap() : ScriptedDeployment();
}

Scene RandomScene(Dice& dice, bool finalizer) {
  Scene scene(finalizer ? ScriptedKindWithFinalizer() : ScriptedKind(),
              {{"metadata", {{"name", "p"}}}, {"spec", RandomSpec(dice)}});
  scene.world.Put(ScriptedConfigMap(), {{"metadata", {{"name", "keeper"}, {"uid", "stranger"}}}});
  AddStrangers(scene, dice);
  return scene;
}

// Something happens to the parent or its children.
void Disturb(Scene& scene, Dice& dice) {
  const std::vector<ObjectRef> maps = scene.world.List(kKinds[dice.Roll(2)]);
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
