// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "planner/core/read_context.h"
#include "planner/core/testing/random_scenes.h"
#include "tests/support/planning.h"
#include "tests/support/scripted_kind.h"

/// Laws that hold for every observation, tried on random worlds. A failure prints its seed.
namespace xebec::planner {
namespace {

using testing::CheckDeletes;
using testing::Dice;
using testing::Essence;
using testing::ForRandomScenes;
using testing::IsOf;
using testing::kKinds;
using testing::kSeeds;
using testing::Prefix;
using testing::RandomScene;
using testing::Scene;
using testing::TypeOf;

constexpr int kReconciles = 8;  // more than any parent without a conflict needs

Observation Shuffled(Observation observation, Dice& dice) {
  for (ObjectGroup& group : observation.children) {
    if (!group.objects.empty() && dice.OneIn(2)) group.objects.push_back(group.objects.front());
    group.objects.push_back(MakeObjectBytes(absl::StrCat(
        R"({"metadata":{"name":"a","namespace":"default","uid":"zz","resourceVersion":"99999999"}})")));
    dice.Shuffle(group.objects);
  }
  observation.children.push_back({{"", "v1", "Node", "nodes", true},
                                  {MakeObjectBytes(R"({"metadata":{"name":"n"}})")},
                                  false});
  dice.Shuffle(observation.children);
  return observation;
}

KindRegistry RegistryOf(const Scene& scene) {
  KindRegistry registry;
  registry.Register(scene.kind);
  return registry;
}

bool HasConflict(const Scene& scene) { return scene.ConditionOf("Ready") == "False NameConflict"; }

TEST(Laws, EqualObservationsGiveEqualPlansInAnyOrder) {
  ForRandomScenes(false, [](const Scene& scene, Dice& dice) {
    const Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
    const Plan plan = MakePlan(observation, RegistryOf(scene));
    EXPECT_EQ(plan, MakePlan(observation, RegistryOf(scene)));
    EXPECT_EQ(plan, MakePlan(Shuffled(observation, dice), RegistryOf(scene)));
  });
}

TEST(Laws, CarriedOutPlansConvergeAndThenNothingIsWritten) {
  ForRandomScenes(true, [](const Scene& scene, Dice&) {
    Scene copy = scene;
    const int reconciles = copy.Converge(kReconciles);
    // Every reconcile retries a name conflict; the watcher decides how often.
    if (HasConflict(copy)) return;
    EXPECT_LE(reconciles, 6);
    EXPECT_TRUE(WritesNothing(copy.Ask()));
  });
}

TEST(Laws, DesiredChildrenAreThereAfterConvergence) {
  ForRandomScenes(false, [](const Scene& scene, Dice&) {
    Scene copy = scene;
    copy.Converge(kReconciles);
    if (HasConflict(copy)) return;
    const Json parent = copy.Parent();
    for (const Json& child : parent["spec"]["children"]) {
      const Json* live =
          copy.world.Get(copy.Ref(TypeOf(child["kind"]), child["object"]["metadata"]["name"]));
      ASSERT_NE(live, nullptr) << child;
      for (const auto& [key, value] : child["object"]["spec"].items()) {
        EXPECT_EQ((*live)["spec"][key], value) << child;
      }
    }
  });
}

// With everything that the world has, as a watcher without any filter would send it.
Observation Polluted(const Scene& scene) {
  Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
  for (ObjectGroup& group : observation.children) {
    group.objects.clear();
    for (const ObjectRef& ref : scene.world.List(group.type.kind)) {
      group.objects.push_back(MakeObjectBytes(DumpJson(*scene.world.Get(ref))));
    }
  }
  return observation;
}

TEST(Laws, OnlyObjectsWhoseControllerIsTheParentAreDeletedOrChanged) {
  ForRandomScenes(true, [](const Scene& scene, Dice&) {
    const Plan plan = MakePlan(Polluted(scene), RegistryOf(scene));
    EXPECT_EQ(plan, scene.Ask());
    CheckDeletes(scene, plan);
    Scene leaving = scene;
    leaving.world.Edit(leaving.parent, [](Json& parent) {
      parent["metadata"]["finalizers"] = {"test/scripted"};
      parent["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    });
    CheckDeletes(leaving, MakePlan(Polluted(leaving), RegistryOf(leaving)));
  });
}

TEST(Laws, OthersObjectsNeverChange) {
  ForRandomScenes(false, [](const Scene& scene, Dice&) {
    Scene copy = scene;
    copy.Converge(kReconciles);
    for (const char* kind : kKinds) {
      for (const ObjectRef& ref : scene.world.List(kind)) {
        const Json& before = *scene.world.Get(ref);
        if (IsOf(copy.Parent(), before)) continue;
        ASSERT_NE(copy.world.Get(ref), nullptr) << Describe(ref);
        EXPECT_EQ(*copy.world.Get(ref), before) << Describe(ref);
      }
    }
  });
}

TEST(Laws, NothingIsWrittenOutsideTheDeclaredKinds) {
  ForRandomScenes(true, [](const Scene& scene, Dice&) {
    std::set<ResourceType> allowed = {scene.kind.description.parent};
    for (const ChildRule& rule : scene.kind.description.children) allowed.insert(rule.type);
    for (const Stage& stage : scene.Ask().stages) {
      for (const Operation& operation : stage.operations) {
        EXPECT_TRUE(allowed.contains(operation.target.type)) << operation.id;
      }
    }
  });
}

TEST(Laws, EveryWriteHasAPreconditionThatMakesItSafe) {
  ForRandomScenes(true, [](const Scene& scene, Dice&) {
    std::set<std::string> ids;
    for (const Stage& stage : scene.Ask().stages) {
      for (const Operation& operation : stage.operations) {
        EXPECT_TRUE(ids.insert(operation.id).second) << operation.id;
        EXPECT_NE(operation.precondition.absent, !operation.precondition.uid.empty())
            << operation.id;
      }
    }
  });
}

TEST(Laws, PrefixOfAPlanThenTheWholeGivesTheSameAsOnce) {
  ForRandomScenes(
      true,
      [](const Scene& scene, Dice&) {
        Scene once = scene;
        once.Converge(kReconciles);
        const Plan plan = scene.Ask();
        for (size_t count = 0; count <= CountOperations(plan); ++count) {
          Scene crashed = scene;
          crashed.world.Carry(Prefix(plan, count));
          crashed.Converge(kReconciles);
          EXPECT_EQ(Essence(crashed), Essence(once)) << count;
        }
      },
      kSeeds / 4);
}

TEST(Laws, PlanCarriedOutTwiceGivesTheSameAsOnce) {
  ForRandomScenes(true, [](const Scene& scene, Dice&) {
    Scene once = scene;
    const Plan plan = once.Reconcile();
    Scene twice = once;
    twice.world.Carry(plan);
    once.Converge(kReconciles);
    twice.Converge(kReconciles);
    EXPECT_EQ(Essence(twice), Essence(once));
  });
}

// Puts a value of another type, or none, somewhere into the document.
void Damage(Json& json, Dice& dice) {
  static const Json kValues[] = {nullptr,        5,    -1, true, "x", "", Json::array(),
                                 Json::object(), 1e300};
  if (json.is_structured() && !json.empty() && !dice.OneIn(4)) {
    auto at = json.begin();
    std::advance(at, dice.Roll(static_cast<int>(json.size())));
    if (dice.OneIn(8)) {
      json.erase(at);
    } else {
      Damage(*at, dice);
    }
    return;
  }
  json = kValues[dice.Roll(std::size(kValues))];
}

ObjectBytes Damaged(const ObjectBytes& bytes, Dice& dice) {
  Json json = *ParseJson(*bytes);
  const int times = 1 + dice.Roll(3);
  for (int i = 0; i < times; ++i) Damage(json, dice);
  std::string text = DumpJson(json);
  if (dice.OneIn(10) && !text.empty()) text[static_cast<size_t>(dice.Roll(text.size()))] ^= 1;
  return MakeObjectBytes(std::move(text));
}

TEST(Laws, DamagedObservationsAreAlwaysAnswered) {
  for (int seed = 0; seed < 10 * kSeeds; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Dice dice(seed);
    Scene scene = RandomScene(dice, dice.OneIn(2));
    scene.Reconcile();
    if (dice.OneIn(3)) scene.world.Delete(scene.parent);
    if (scene.world.Get(scene.parent) == nullptr) continue;
    Observation observation = scene.world.Observe(scene.parent, scene.kind.description);
    observation.parent = Damaged(observation.parent, dice);
    for (ObjectGroup& group : observation.children) {
      for (ObjectBytes& bytes : group.objects) {
        if (dice.OneIn(3)) bytes = Damaged(bytes, dice);
      }
    }
    const Plan plan = MakePlan(observation, RegistryOf(scene));
    EXPECT_EQ(plan, MakePlan(observation, RegistryOf(scene)));
    EXPECT_TRUE(plan.verdict == Verdict::kOk || !plan.notes.empty());
  }
}

}  // namespace
}  // namespace xebec::planner
