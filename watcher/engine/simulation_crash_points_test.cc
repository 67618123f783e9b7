// SPDX-License-Identifier: Apache-2.0
// An Operator is created, changed and deleted. Every input of a watcher is a crash point, and a
// point at which users change something.
#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/testing/simulation.h"

namespace xebec::watcher::testing {
namespace {

using Act = std::function<void(World* world)>;

World MakeWorld(size_t watchers) {
  Options options;
  options.hooks = true;
  options.leader_election = watchers > 1;
  options.buckets = static_cast<uint32_t>(watchers);
  return World(1, kNoFaults, options, xebec::testing::OperatorPlanner("r1"), watchers);
}

Json SpecOf(int64_t id) {
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["hook"]["address"] = FakeHooks::Address(0);
  spec["finalizer"] = true;
  spec["configuration"] = {{"id", id}};
  return spec;
}

// What happens at the end of the first minute gets more time.
void Complete(World* world) {
  world->Converge(absl::Minutes(1));
  if (!world->Unconverged().empty()) world->Converge(absl::Minutes(2));
  EXPECT_EQ(Lines(world->violations()), "");
  EXPECT_EQ(Lines(world->Unconverged()), "");
}

/// Runs the scenario with `act` before its `input`-th input. Returns the number of inputs.
uint64_t Run(size_t watchers, uint64_t input, const Act& act) {
  World world = MakeWorld(watchers);
  const uint64_t before = world.inputs();
  world.Before(before + input, [&] { act(&world); });
  world.Want("w0", 2, 1);
  world.Want("w1", 1, 2);
  FakeCluster& cluster = world.cluster();
  cluster.SetOperator("a", SpecOf(1));
  Complete(&world);
  cluster.SetOperator("a", SpecOf(2));
  Complete(&world);
  cluster.DeleteOperator("a");
  Complete(&world);
  const uint64_t inputs = world.inputs() - before;
  EXPECT_EQ(Lines(world.Rest(absl::Minutes(2))), "");
  return inputs;
}

void AtEveryInput(size_t watchers, const Act& act, uint64_t stride = 1) {
  const uint64_t last = Run(watchers, 0, act);
  EXPECT_GT(last, 30u);
  for (uint64_t input = 1; input <= last && !::testing::Test::HasFailure(); input += stride) {
    SCOPED_TRACE("input " + std::to_string(input) + " of " + std::to_string(last));
    Run(watchers, input, act);
  }
}

TEST(SimulationCrashPoints, AWatcherThatIsKilledLosesNothing) {
  for (const bool carried : {false, true}) {
    AtEveryInput(1, [carried](World* world) { world->Kill(carried); });
  }
}

// Most inputs are about Leases. Appliers carry out every other plan.
TEST(SimulationCrashPoints, OneOfTwoWatchersThatIsKilledLosesNothing) {
  constexpr uint64_t kStride = 7;
  AtEveryInput(
      2, [](World* world) { world->Kill(world->inputs() % 2 == 0); }, kStride);
}

TEST(SimulationCrashPoints, AnOperatorIsChangedAtAnyTime) {
  AtEveryInput(1, [](World* world) { world->cluster().SetOperator("a", SpecOf(3)); });
}

TEST(SimulationCrashPoints, TheFinalizerIsTurnedOffWithAnotherChangeAtAnyTime) {
  AtEveryInput(1, [](World* world) {
    Json spec = SpecOf(3);
    spec["finalizer"] = false;
    world->cluster().SetOperator("a", spec);
  });
}

TEST(SimulationCrashPoints, AnOperatorIsDeletedAtAnyTime) {
  AtEveryInput(1, [](World* world) { world->cluster().DeleteOperator("a"); });
}

TEST(SimulationCrashPoints, AnotherOperatorIsCreatedAtAnyTime) {
  AtEveryInput(1, [](World* world) {
    Json spec = SpecOf(4);
    spec["status"] = false;
    world->cluster().SetOperator("b", spec);
  });
}

}  // namespace
}  // namespace xebec::watcher::testing
