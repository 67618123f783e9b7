// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/testing/simulation.h"

#include <map>
#include <string>

#include "gtest/gtest.h"

namespace xebec::watcher::testing {
namespace {

constexpr uint64_t kFewestSteps = 100;
constexpr uint64_t kMostSteps = 600;

Options WithoutElection() {
  Options options;
  options.leader_election = false;
  return options;
}

void Simulate(uint64_t seed, const Faults& faults,
              const PlannerDescription& description = WidgetDescription()) {
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
  World world = SharedWorld(seed, faults, description);
  Live(&world);
  ExpectLawful(&world);
}

TEST(Simulation, OneOfTwoWatchersPlansAndFromAllThatTheOtherWroteWhateverFails) {
  ForSeeds(12, [](uint64_t seed) {
    SimulateElection(seed, {});
    SimulateElection(seed, {.report_lost = 20, .restarts = 15, .stops = 0});
    SimulateElection(seed, {.stops = 15});
    SimulateElection(seed, {.lease_fails = 40});
  });
}

TEST(Simulation, WatchersJoinLeavePauseAndHaveWrongClocksAndEachBucketHasOneHolder) {
  ForSeeds(12, [](uint64_t seed) {
    SimulateElection(seed, {.joins = 5});
    SimulateElection(seed, {.restarts = 10, .stops = 10, .lease_lags = 20, .joins = 10});
    SimulateElection(seed, {.pauses = 5});
    SimulateElection(seed, {.lease_fails = 20, .pauses = 3, .wrong_clocks = 30, .joins = 5});
  });
}

TEST(Simulation, WatchersHandObjectsOverWhateverFails) {
  std::map<std::string, uint64_t> counts;
  Faults moves = kNoFaults;
  moves.lags = 3;
  moves.slow_lists = 50;
  moves.joins = 3;
  // Under a sanitizer, the first 8 of these run: the case "not handed over" begins with seed 6.
  ForSeeds(80, [&](uint64_t seed) {
    for (const Faults& faults : {moves, Faults{.restarts = 0, .stops = 2, .joins = 3}}) {
      World world = SharedWorld(seed, faults);
      Live(&world);
      ExpectLawful(&world);
      for (const auto& [what, count] : world.counts()) counts[what] += count;
    }
  });
  EXPECT_GT(counts["handed over"], 0u);
  EXPECT_GT(counts["not handed over"], 0u);
}

TEST(Simulation, AWatcherThatTakesItsOwnLeaseBackAfterACrashIsAsCarefulAsAnother) {
  const PlannerDescription leaving = LeavingWidgetDescription();
  ForSeeds(10, [&leaving](uint64_t seed) {
    SimulateElection(seed, {.instances = true});
    SimulateElection(seed, {.restarts = 25, .lease_fails = 40, .instances = true});
    SimulateElection(seed, {.restarts = 40, .stops = 0, .instances = true}, leaving);
  });
}

TEST(Simulation, WatchersWithoutLeasesLeadNothingWhateverPlansAreStillOnTheirWay) {
  ForSeeds(10, [](uint64_t seed) {
    SimulateElection(seed, {.slow_appliers = 50, .partitions = 5});
    SimulateElection(seed, {.slow_appliers = 50, .lease_lags = 10, .partitions = 10, .joins = 5});
  });
}

TEST(Simulation, AppliersForgetTheEpochsWhileTheAssignmentIsMissingAndObeyNoDeposedWatcher) {
  ForSeeds(20, [](uint64_t seed) {
    SimulateElection(seed, {.lost_assignments = 10, .applier_restarts = 30});
    SimulateElection(seed, {.slow_appliers = 50,
                            .pauses = 3,
                            .partitions = 5,
                            .lost_assignments = 5,
                            .applier_restarts = 50,
                            .joins = 5});
  });
}

TEST(Simulation, WatchersWithAnotherNumberOfBucketsReplaceOthersOneByOneUnderLoad) {
  ForSeeds(10, [](uint64_t seed) {
    SimulateElection(seed, {.recounts = 1});
    SimulateElection(seed, {.lease_fails = 20, .lease_lags = 10, .joins = 5, .recounts = 1});
    SimulateElection(seed, {.pauses = 3, .partitions = 3, .recounts = 2, .instances = true});
  });
}

TEST(Simulation, WatchersSurviveEveryFaultOfWatchersAndAppliersAtOnce) {
  std::map<std::string, uint64_t> counts;
  int worlds = 0;
  Faults all;
  all.slow_appliers = 30;
  all.pauses = all.partitions = all.joins = 3;
  all.wrong_clocks = 20;
  all.recounts = 1;
  ForSeeds(30, [&](uint64_t seed) {
    ++worlds;
    all.instances = seed % 2 == 0;
    World world = SharedWorld(seed, all);
    Live(&world);
    ExpectLawful(&world);
    for (const auto& [what, count] : world.counts()) counts[what] += count;
  });
  if (worlds >= 30) {
    EXPECT_GT(counts["refused Epoch"], 0u);
  }
}

}  // namespace
}  // namespace xebec::watcher::testing
