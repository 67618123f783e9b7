// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {
namespace {

constexpr int kSteps = 600;

Options WithoutElection() {
  Options options;
  options.leader_election = false;
  return options;
}

std::string Lines(const std::vector<std::string>& lines) { return absl::StrJoin(lines, "\n"); }

constexpr Faults kNoFaults = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

void Simulate(uint64_t seed, const Faults& faults,
              const PlannerDescription& description = WidgetDescription()) {
  SCOPED_TRACE(seed);
  World world(seed, faults, WithoutElection(), description);
  for (int i = 0; i < kSteps; ++i) world.Step();
  EXPECT_TRUE(world.Settle(absl::Hours(1)));
  EXPECT_EQ(Lines(world.violations()), "");
  EXPECT_EQ(Lines(world.Unconverged()), "");
  EXPECT_EQ(Lines(world.Rest(absl::Minutes(30))), "");
}

TEST(Simulation, WithoutFaultsEveryParentIsPlannedFromItsNewestState) {
  for (uint64_t seed = 1; seed <= 30 && !::testing::Test::HasFailure(); ++seed) {
    Simulate(seed, kNoFaults);
  }
}

TEST(Simulation, NothingIsLostOrPlannedFromAnOldCacheWhateverFails) {
  for (uint64_t seed = 1; seed <= 300 && !::testing::Test::HasFailure(); ++seed) Simulate(seed, {});
}

TEST(Simulation, WidgetsWithAFinalizerGoInOrderWithAllThatIsTheirsWhateverFails) {
  const PlannerDescription leaving = LeavingWidgetDescription();
  for (uint64_t seed = 1; seed <= 200 && !::testing::Test::HasFailure(); ++seed) {
    Simulate(seed, seed % 4 == 0 ? kNoFaults : Faults{}, leaving);
  }
}

TEST(Simulation, WidgetsWithAFinalizerGoInStormsOfOneFaultAtATime) {
  const PlannerDescription leaving = LeavingWidgetDescription();
  for (uint64_t seed = 1; seed <= 20 && !::testing::Test::HasFailure(); ++seed) {
    Simulate(seed, {.stream_ends = 25}, leaving);
    Simulate(seed, {.duplicates = 50, .losses = 15}, leaving);
    Simulate(seed, {.live_fails = 50}, leaving);
    Simulate(seed, {.report_lost = 30, .partial = 30, .unknown = 30}, leaving);
    Simulate(seed, {.restarts = 15}, leaving);
  }
}

TEST(Simulation, SurvivesStormsOfOneFaultAtATime) {
  for (uint64_t seed = 1; seed <= 20 && !::testing::Test::HasFailure(); ++seed) {
    Simulate(seed, {.stream_ends = 25});
    Simulate(seed, {.duplicates = 50, .losses = 15});
    Simulate(seed, {.plan_fails = 40});
    Simulate(seed, {.report_lost = 30, .partial = 30, .unknown = 30});
    Simulate(seed, {.restarts = 15});
  }
}

}  // namespace
}  // namespace xebec::watcher::testing
