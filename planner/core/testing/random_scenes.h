// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/base/testing/rounds.h"
#include "tests/support/planning.h"

/// Clusters with parents, children and unowned objects, made from a seed, and random changes in
/// them.
namespace xebec::testing {

inline constexpr int kSeeds = Rounds(100);
/// Claims are owned indirectly: by a label with the parent's name.
inline constexpr const char* kKinds[] = {"ConfigMap", "Deployment", "Claim"};

class Dice {
 public:
  explicit Dice(int seed) : engine_(static_cast<uint32_t>(seed)) {}
  int Roll(int sides) { return static_cast<int>(engine_() % static_cast<uint32_t>(sides)); }
  bool OneIn(int sides) { return Roll(sides) == 0; }
  template <typename T>
  void Shuffle(std::vector<T>& items) {
    std::shuffle(items.begin(), items.end(), engine_);
  }

 private:
  std::mt19937 engine_;
};

/// The types of `kKinds`.
ResourceType TypeOf(const std::string& kind);

/// Returns a parent of the scripted kind with random children to create and to delete, among
/// existing objects: children of an original operator, children of other parents, and unowned
/// objects. The names in desired and to_delete never overlap, because such an object would be
/// replaced forever.
Scene RandomScene(Dice& dice, bool finalizer);

/// Returns true if the object belongs to the parent: by controller reference or, for a Claim, by
/// label.
bool IsOf(const Json& parent, const Json& object);

/// Returns the objects of the parent without values that differ between runs.
std::map<ObjectRef, Json> Essence(const Scene& scene);

/// Returns the first `count` operations of the plan without its status, as after a crash.
Plan Prefix(Plan plan, size_t count);

/// Checks that every deletion of the plan has the uid of an object of the parent.
void CheckDeletes(const Scene& scene, const Plan& plan);

/// Makes a random change to the parent or its children.
void Disturb(Scene& scene, Dice& dice);

/// Calls law(scene, dice) three times in each cluster, with a reconcile and a random change in
/// between. A failure prints the seed.
template <typename Law>
void ForRandomScenes(bool finalizer, Law law, int seeds = kSeeds) {
  for (int seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Dice dice(seed);
    Scene scene = RandomScene(dice, finalizer);
    for (int round = 0; round < 3; ++round) {
      law(scene, dice);
      scene.Reconcile();
      Disturb(scene, dice);
    }
  }
}

}  // namespace xebec::testing
