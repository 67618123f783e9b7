// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "common/base/testing/rounds.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {
namespace {

constexpr uint64_t kFewestSteps = 100;
constexpr uint64_t kMostSteps = 600;

Options WithoutElection() {
  Options options;
  options.leader_election = false;
  return options;
}

std::string Lines(const std::vector<std::string>& lines) { return absl::StrJoin(lines, "\n"); }

void Simulate(uint64_t seed, const Faults& faults,
              const PlannerDescription& description = WidgetDescription()) {
  SCOPED_TRACE(seed);
  World world(seed, faults, WithoutElection(), description);
  // What is forgotten shows if nothing happens to the same widget afterwards: many short lives find
  // more than few long ones.
  const uint64_t steps = kFewestSteps + seed * 97 % (kMostSteps - kFewestSteps);
  for (uint64_t i = 0; i < steps; ++i) world.Step();
  EXPECT_TRUE(world.Converge(absl::Hours(1)));
  EXPECT_EQ(Lines(world.violations()), "");
  EXPECT_EQ(Lines(world.Unconverged()), "");
  EXPECT_EQ(Lines(world.Rest(absl::Minutes(30))), "");
}

template <typename Simulation>
void ForSeeds(int count, Simulation simulate) {
  for (int seed = 1; seed <= xebec::testing::Rounds(count) && !::testing::Test::HasFailure();
       ++seed) {
    simulate(static_cast<uint64_t>(seed));
  }
}

TEST(Simulation, WithoutFaultsEveryParentIsPlannedFromItsNewestState) {
  ForSeeds(30, [](uint64_t seed) { Simulate(seed, kNoFaults); });
}

TEST(Simulation, NothingIsLostOrPlannedFromAnOldCacheWhateverFails) {
  ForSeeds(300, [](uint64_t seed) { Simulate(seed, {}); });
}

TEST(Simulation, WidgetsWithAFinalizerGoInOrderWithAllThatIsTheirsWhateverFails) {
  const PlannerDescription leaving = LeavingWidgetDescription();
  ForSeeds(200, [&leaving](uint64_t seed) {
    Simulate(seed, seed % 4 == 0 ? kNoFaults : Faults{}, leaving);
  });
}

TEST(Simulation, WidgetsWithAFinalizerGoInStormsOfOneFaultAtATime) {
  const PlannerDescription leaving = LeavingWidgetDescription();
  ForSeeds(20, [&leaving](uint64_t seed) {
    Simulate(seed, {.stream_ends = 25}, leaving);
    Simulate(seed, {.duplicates = 50, .losses = 15}, leaving);
    Simulate(seed, {.live_fails = 50, .slow_reads = 50, .lags = 10}, leaving);
    Simulate(seed, {.report_lost = 30, .partial = 30, .unknown = 30}, leaving);
    Simulate(seed, {.restarts = 15}, leaving);
  });
}

TEST(Simulation, SurvivesStormsOfOneFaultAtATime) {
  ForSeeds(20, [](uint64_t seed) {
    Simulate(seed, {.stream_ends = 25});
    Simulate(seed, {.duplicates = 50, .losses = 15});
    Simulate(seed, {.plan_fails = 40});
    Simulate(seed, {.report_lost = 30, .partial = 30, .unknown = 30});
    Simulate(seed, {.slow_reads = 90, .lags = 15});
    Simulate(seed, {.restarts = 15});
  });
}

TEST(Simulation, WhatOvertakesALiveReadIsNotForgotten) {
  ForSeeds(300, [](uint64_t seed) { Simulate(seed, {.slow_reads = 90, .lags = 15}); });
}

TEST(Simulation, WidgetsThatSwapNamesAllGetThemWhateverFails) {
  ForSeeds(200, [](uint64_t seed) {
    SCOPED_TRACE(seed);
    World world(seed, seed % 4 == 0 ? kNoFaults : Faults{}, WithoutElection());
    world.SwapNames();
    for (int i = 0; i < 300; ++i) world.Step();
    EXPECT_TRUE(world.Converge(absl::Hours(1)));
    EXPECT_EQ(Lines(world.violations()), "");
    EXPECT_EQ(Lines(world.Unconverged()), "");
    EXPECT_EQ(Lines(world.Rest(absl::Minutes(30))), "");
  });
}

void SimulateElection(uint64_t seed, const Faults& faults,
                      const PlannerDescription& description = WidgetDescription()) {
  SCOPED_TRACE(seed);
  Options options;
  options.buckets = static_cast<uint32_t>(1 + seed % 4);
  World world(seed, faults, options, description, /*watchers=*/2 + seed % 3);
  for (uint64_t i = 0; i < 1000; ++i) world.Step();
  world.Converge(absl::Minutes(10));  // the Lease is renewed for ever
  EXPECT_EQ(Lines(world.violations()), "");
  EXPECT_EQ(Lines(world.Unconverged()), "");
  EXPECT_EQ(Lines(world.Rest(absl::Minutes(2))), "");
}

TEST(Simulation, OneOfTwoWatchersPlansAndFromAllThatTheOtherWroteWhateverFails) {
  ForSeeds(30, [](uint64_t seed) {
    SimulateElection(seed, {});
    SimulateElection(seed, {.report_lost = 20, .restarts = 15, .stops = 0});
    SimulateElection(seed, {.stops = 15});
    SimulateElection(seed, {.lease_fails = 40});
  });
}

TEST(Simulation, WatchersJoinLeavePauseAndHaveWrongClocksAndEachBucketHasOneHolder) {
  ForSeeds(40, [](uint64_t seed) {
    SimulateElection(seed, {.joins = 5});
    SimulateElection(seed, {.restarts = 10, .stops = 10, .lease_lags = 20, .joins = 10});
    SimulateElection(seed, {.pauses = 5});
    SimulateElection(seed, {.lease_fails = 20, .pauses = 3, .wrong_clocks = 30, .joins = 5});
  });
}

TEST(Simulation, AWatcherThatTakesItsOwnLeaseBackAfterACrashIsAsCarefulAsAnother) {
  const PlannerDescription leaving = LeavingWidgetDescription();
  ForSeeds(30, [&leaving](uint64_t seed) {
    SimulateElection(seed, {.instances = true});
    SimulateElection(seed, {.restarts = 25, .lease_fails = 40, .instances = true});
    SimulateElection(seed, {.restarts = 40, .stops = 0, .instances = true}, leaving);
  });
}

}  // namespace
}  // namespace xebec::watcher::testing
