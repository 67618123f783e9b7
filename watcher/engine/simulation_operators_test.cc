// SPDX-License-Identifier: Apache-2.0
// Operators come, change and go at every step, and their hooks fail in every way.
#include <string>

#include "gtest/gtest.h"
#include "watcher/engine/testing/simulation.h"

namespace xebec::watcher::testing {
namespace {

/// Of one parent in five minutes: until the answers are checked, and then two for each retry.
/// Without the check there are more than a hundred.
constexpr uint64_t kMostMoodyCalls = 70;

uint64_t CountOf(const World& world, const std::string& what) {
  const auto found = world.counts().find(what);
  return found == world.counts().end() ? 0 : found->second;
}

/// The calls that a planner requested.
uint64_t CallsOf(const World& world) { return CountOf(world, "call"); }
/// The calls that check an answer.
uint64_t ChecksOf(const World& world) { return CountOf(world, "check"); }

// When all is done, users change every parent: Operators that are paused or gone do nothing. The
// others call their hooks once for the change, and once when its children and its status exist, or
// once each if their events arrive apart. A status that one Operator writes is a change of the
// parent for the others. Answers of a hook that was called often, or that differed before, are
// checked once.
void SimulateOperators(uint64_t seed, const Faults& faults) {
  World world = OperatorWorld(seed, faults);
  Live(&world);
  ExpectLawful(&world);
  const uint64_t calls = CallsOf(world), checks = ChecksOf(world);
  world.Touch();
  world.Converge(absl::Minutes(1));
  ExpectLawful(&world);
  FakeCluster& cluster = world.cluster();
  const size_t operators = cluster.All(OperatorType()).size();
  const size_t pairs = cluster.All(WidgetType()).size() * operators;
  EXPECT_LE(CallsOf(world) - calls, pairs * (operators > 1 ? 5 : 3));
  EXPECT_LE(ChecksOf(world) - checks, pairs);
}

// Each answer changes the parts, and each change of a part calls the hook. For some time, each
// parent is written as often as the watcher can. Then only checks of the answers remain, which wait
// ever longer.
void SimulateMoodyHooks(uint64_t seed) {
  World world = OperatorWorld(seed, kNoFaults);
  Live(&world);
  FakeCluster& cluster = world.cluster();
  Json spec = FakeCluster::OperatorOfWidgets();
  spec["hook"]["address"] = FakeHooks::Address(0);
  cluster.SetOperator("a", spec);
  world.Want("moody", 1, 1);
  world.Converge(absl::Minutes(5));
  ExpectLawful(&world);
  const size_t pairs = cluster.All(WidgetType()).size() * cluster.All(OperatorType()).size();
  world.SetMoody(true);
  const uint64_t before = CallsOf(world) + ChecksOf(world);
  world.Touch();
  world.Converge(absl::Minutes(5));
  EXPECT_EQ(Lines(world.violations()), "");
  EXPECT_LE(CallsOf(world) + ChecksOf(world) - before, pairs * kMostMoodyCalls);
  world.SetMoody(false);
  world.Touch();
  world.Converge(absl::Minutes(5));
  ExpectLawful(&world);
}

TEST(SimulationOperators, HooksThatDifferEachTimeAreStoppedAndRecover) {
  ForSeeds(2, SimulateMoodyHooks);
}

TEST(SimulationOperators, WithoutFaultsEveryParentHasWhatTheHooksWant) {
  ForSeeds(3, [](uint64_t seed) { SimulateOperators(seed, kNoFaults); });
}

TEST(SimulationOperators, NothingIsLostAndNoFinalizerIsLeftWhateverFails) {
  ForSeeds(9, [](uint64_t seed) { SimulateOperators(seed, {}); });
}

TEST(SimulationOperators, SurviveStormsOfHooksThatFail) {
  ForSeeds(3, [](uint64_t seed) {
    SimulateOperators(seed, {.operators = 20,
                             .hook_fails = 60,
                             .slow_hooks = 40,
                             .poll_fails = 30,
                             .gateway_gone = 50});
    SimulateOperators(seed, {.operators = 3, .hook_fails = 50, .stale_answers = 50});
  });
}

TEST(SimulationOperators, SurviveStormsOfCrashesAndMoves) {
  ForSeeds(3, [](uint64_t seed) {
    SimulateOperators(seed, {.restarts = 15, .operators = 25});
    SimulateOperators(seed, {.restarts = 5, .stops = 10, .joins = 5, .recounts = 1});
    SimulateOperators(seed, {.slow_appliers = 40, .lease_fails = 20, .partitions = 5});
  });
}

}  // namespace
}  // namespace xebec::watcher::testing
