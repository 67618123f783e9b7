// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "planner/core/testing/random_scenes.h"
#include "tests/support/planning.h"
#include "tests/support/scripted_kind.h"

/// Laws of parents with a finalizer that are deleted, tried on random worlds: whatever is cut off
/// wherever, what is the parent's goes in order, all of it, and nothing else does. A failure prints
/// its seed.
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

constexpr int kReconciles = 40;

std::vector<ObjectRef> OwnedBy(const Scene& scene, const Json& parent) {
  std::vector<ObjectRef> owned;
  for (const char* kind : kKinds) {
    for (const ObjectRef& ref : scene.world.List(kind)) {
      if (IsOf(parent, *scene.world.Get(ref))) owned.push_back(ref);
    }
  }
  return owned;
}

bool IsDeleting(const Scene& scene, const ObjectRef& ref) {
  return Find(*scene.world.Get(ref), {"metadata", "deletionTimestamp"}) != nullptr;
}

void FinishTerminating(Scene& scene) {
  for (const char* kind : kKinds) {
    for (const ObjectRef& ref : scene.world.List(kind)) {
      if (IsDeleting(scene, ref)) scene.world.Finish(ref);
    }
  }
}

bool IsGone(const Scene& scene) { return scene.world.Get(scene.parent) == nullptr; }

/// Converged, then deleted by its user; its children linger.
Scene Leaving(Scene scene) {
  scene.Converge(kReconciles);
  scene.world.linger = true;
  scene.world.Delete(scene.parent);
  return scene;
}

/// Reconciles, and lets terminating children go, until the parent is gone.
void Leave(Scene& scene) {
  for (int i = 0; i < kReconciles && !IsGone(scene); ++i) {
    scene.Reconcile();
    FinishTerminating(scene);
  }
}

void ExpectGoneWithAllThatWasIts(const Scene& scene, const Json& parent, const std::string& where) {
  EXPECT_TRUE(IsGone(scene)) << where;
  for (const ObjectRef& ref : OwnedBy(scene, parent)) {
    ADD_FAILURE() << where << ": left behind: " << Describe(ref);
  }
}

/// The plan of the next reconcile, made with live lists if it requires them.
Plan NextPlan(const Scene& scene) {
  const Plan plan = scene.Ask();
  return plan.live_lists.empty() ? plan : scene.Ask(/*live=*/true);
}

/// Calls check(scene, plan, step) before each reconcile of a parent that is being deleted.
template <typename Check>
void ForEachStepOfTheEnd(Scene scene, Check check) {
  for (int step = 0; step < kReconciles && !IsGone(scene); ++step) {
    const Plan plan = NextPlan(scene);
    check(scene, plan, absl::StrCat("step ", step));
    scene.world.Carry(plan);
    FinishTerminating(scene);
  }
  EXPECT_TRUE(IsGone(scene));
}

TEST(LeavingLaws, ParentCutOffAnywhereOnItsWayOutLeavesTheSameAsWithoutACut) {
  ForRandomScenes(
      true,
      [](const Scene& scene, Dice&) {
        const Scene leaving = Leaving(scene);
        const Json parent = leaving.Parent();
        Scene once = leaving;
        Leave(once);
        ExpectGoneWithAllThatWasIts(once, parent, "uncut");
        ForEachStepOfTheEnd(leaving, [&](const Scene& before, const Plan& plan, auto step) {
          for (size_t count = 0; count <= CountOperations(plan); ++count) {
            Scene crashed = before;
            crashed.world.Carry(Prefix(plan, count));
            Leave(crashed);
            EXPECT_EQ(Essence(crashed), Essence(once)) << step << " cut after " << count;
            EXPECT_TRUE(IsGone(crashed)) << step << " cut after " << count;
          }
        });
      },
      kSeeds / 4);
}

TEST(LeavingLaws, PlanOfTheEndCarriedOutTwiceGivesTheSameAsOnce) {
  ForRandomScenes(
      true,
      [](const Scene& scene, Dice&) {
        const Scene leaving = Leaving(scene);
        Scene once = leaving;
        Leave(once);
        ForEachStepOfTheEnd(leaving, [&](const Scene& before, const Plan& plan, auto step) {
          Scene twice = before;
          twice.world.Carry(plan);
          FinishTerminating(twice);
          twice.world.Carry(plan);
          Leave(twice);
          EXPECT_EQ(Essence(twice), Essence(once)) << step;
        });
      },
      kSeeds / 4);
}

TEST(LeavingLaws, PlanFromBeforeTheDeletionCarriedOutAfterItLeavesNothingBehind) {
  ForRandomScenes(true, [](const Scene& scene, Dice&) {
    const Plan plan = scene.Ask();
    for (size_t count = 0; count <= CountOperations(plan); ++count) {
      Scene late = scene;
      const Json parent = late.Parent();
      late.world.linger = true;
      late.world.Delete(late.parent);
      const bool had_finalizer = Find(parent, {"metadata", "finalizers"}) != nullptr;
      if (!had_finalizer) late.world.Finish(late.parent);
      late.world.Carry(Prefix(plan, count));
      Leave(late);
      // Without the finalizer the garbage collector does the rest, which knows no labels.
      if (!had_finalizer) continue;
      ExpectGoneWithAllThatWasIts(late, parent, absl::StrCat("cut after ", count));
    }
  });
}

TEST(LeavingLaws, NothingGoesBeforeWhatHasALowerStageIsGone) {
  const auto law = [](const Scene& scene, Dice&) {
    const Scene leaving = Leaving(scene);
    std::map<ObjectRef, int> stages;
    const Json parent = leaving.Parent();
    for (const Json& to_delete : parent["spec"]["toDeleteAtEnd"]) {
      stages[leaving.Ref(TypeOf(to_delete["kind"]), to_delete["name"])] = to_delete["stage"];
    }
    ForEachStepOfTheEnd(leaving, [&](const Scene& before, const Plan& plan, auto step) {
      CheckDeletes(before, plan);
      for (const Stage& stage : plan.stages) {
        for (const Operation& operation : stage.operations) {
          for (const ObjectRef& ref : OwnedBy(before, parent)) {
            // The parent's own finalizer comes after all stages.
            const bool finalizer = operation.target == before.parent;
            const int own = finalizer ? 100 : stages[operation.target];
            EXPECT_GE(stages[ref], own)
                << step << ": " << operation.id << " before " << Describe(ref);
          }
        }
      }
    });
  };
  ForRandomScenes(true, law, kSeeds / 2);
}

bool RemovesFinalizer(const Plan& plan) {
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      if (std::holds_alternative<RemoveFinalizer>(operation.action)) return true;
    }
  }
  return false;
}

void FinishOne(Scene& scene, Dice& dice) {
  std::vector<ObjectRef> all = scene.world.List(kKinds[dice.Roll(std::size(kKinds))]);
  if (all.empty()) return;
  const ObjectRef& ref = all[static_cast<size_t>(dice.Roll(static_cast<int>(all.size())))];
  if (IsDeleting(scene, ref)) scene.world.Finish(ref);
}

TEST(LeavingLaws, FinalizerStaysWhileSomethingIsOwnedOrNotCertain) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Dice dice(seed);
    Scene scene = Leaving(RandomScene(dice, true));
    for (int step = 0; step < 300 && !IsGone(scene); ++step) {
      const bool live = dice.OneIn(2);
      const Plan plan = scene.Ask(live);
      EXPECT_FALSE(RemovesFinalizer(plan) && (!live || !OwnedBy(scene, scene.Parent()).empty()));
      CheckDeletes(scene, plan);
      scene.world.Carry(plan);
      FinishOne(scene, dice);
    }
    EXPECT_TRUE(IsGone(scene));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace xebec::planner
