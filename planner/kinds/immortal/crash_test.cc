// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "common/base/testing/rounds.h"
#include "planner/kinds/immortal/immortal.h"
#include "planner/kinds/resources.h"
#include "planner/kinds/testing/pod_scene.h"

namespace xebec::planner {
namespace {

using testing::PodScene;

constexpr const char* kPod = "x-immortalpod";

// What becomes of one reconcile.
struct CrashPoint {
  size_t operations = 100;  // So many are carried out, then the process dies.
  bool status = true;       // The status is written.
  bool outcomes = true;     // The outcomes are known to the next reconcile.
};

// An ImmortalContainer among processes that die, with a count of the Pods that were really made.
class Ordeal : public PodScene {
 public:
  Ordeal()
      : PodScene("immortalcontainer.flugel.it", "ImmortalContainer", "x", R"({"image": "a"})") {
    const auto admit = world.webhook;
    world.webhook = [this, admit](const ObjectRef& ref, Json& object) {
      if (ref.type.kind == "Pod" && world.Get(ref) == nullptr) ++made;
      admit(ref, object);
    };
  }

  void Reconcile(const CrashPoint& crash) {
    Observation seen = world.Observe(parent, kind.description);
    if (!outcomes_known_) seen.last_outcomes.clear();
    KindRegistry registry;
    registry.Register(kind);
    Plan plan = MakePlan(seen, registry);
    size_t left = crash.operations;
    for (Stage& stage : plan.stages) {
      stage.operations.resize(std::min(stage.operations.size(), left));
      left -= stage.operations.size();
    }
    if (!crash.status) plan.status.reset();
    world.Carry(plan);
    outcomes_known_ = crash.outcomes;
    CheckInvariants();
  }

  // True when a start that nobody may miss is on record, in an object or in a process.
  bool StartIsKnown() const { return outcomes_known_ || Recorded() >= made; }

  // A start that only this process knows of.
  bool OwesRecord() const { return Pods().empty() && Recorded() < made; }

  int64_t Recorded() const { return FindInt(Status(), {"startTimes"}).value_or(0); }

  void CheckInvariants() {
    EXPECT_LE(Pods().size(), 1u) << "never two Pods";
    EXPECT_GE(Recorded(), shown_) << "the count never falls";
    EXPECT_LE(Recorded(), made) << "no start is counted twice";
    shown_ = Recorded();
  }

  int64_t made = 0;

 private:
  bool outcomes_known_ = true;
  int64_t shown_ = 0;
};

void Disturb(std::mt19937& random, Ordeal& ordeal) {
  if (random() % 8 == 0) {
    ordeal.EditSpec(R"({"image": "b)" + std::to_string(random() % 3) + "\"}");
  }
  if (ordeal.Pods().empty()) return;
  switch (random() % 5) {
    case 0:
      return ordeal.SetPod(kPod, "Failed");
    case 1:
      return ordeal.SetPod(kPod, "Running", true);
    case 2:
      if (ordeal.StartIsKnown()) ordeal.Kill(kPod);
      return;
    case 3:
      ordeal.world.linger = random() % 2 == 0;
      return;
    default:
      ordeal.world.now += absl::Minutes(random() % 6);
  }
}

// What deletes gracefully ends some time.
void EndTerminating(Ordeal& ordeal) {
  const Json pod = ordeal.Pod(kPod);
  if (!pod.is_null() && pod["metadata"].contains("deletionTimestamp") && ordeal.StartIsKnown()) {
    ordeal.Kill(kPod);
  }
}

void Calm(Ordeal& ordeal) {
  ordeal.world.linger = false;
  for (int i = 0; i < 12; ++i) {
    ordeal.Reconcile({});
    EndTerminating(ordeal);
    ordeal.world.now += absl::Minutes(5);
  }
}

TEST(ImmortalContainerCount, IsExactAcrossCrashesAtAnyPoint) {
  for (int seed = 0; seed < testing::Rounds(120); ++seed) {
    std::mt19937 random(static_cast<unsigned>(seed));
    Ordeal ordeal;
    for (int step = 0; step < 40; ++step) {
      Disturb(random, ordeal);
      CrashPoint crash;
      if (random() % 3 == 0) crash = {random() % 2, random() % 2 == 0, random() % 2 == 0};
      crash.outcomes |= ordeal.OwesRecord();
      ordeal.Reconcile(crash);
      if (random() % 3 == 0) EndTerminating(ordeal);
    }
    Calm(ordeal);
    ASSERT_EQ(ordeal.Recorded(), ordeal.made) << "seed " << seed;
  }
}

}  // namespace
}  // namespace xebec::planner
