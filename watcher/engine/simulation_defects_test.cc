// SPDX-License-Identifier: Apache-2.0
// Each defect of the protocol by which watchers share buckets violates a law of the simulation.
#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/testing/simulation.h"

namespace xebec::watcher::testing {
namespace {

constexpr uint64_t kSeeds = 100;

bool Contain(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(), [&text](const std::string& line) {
    return line.find(text) != std::string::npos;
  });
}

/// What is wrong in the end in a world with the defect.
std::vector<std::string> Faulty(uint64_t seed, const Faults& faults) {
  World world = SharedWorld(seed, faults);
  for (int i = 0; i < 1000 && world.violations().empty(); ++i) world.Step();
  if (!world.violations().empty()) return world.violations();
  world.Converge(absl::Minutes(1));
  return world.Unconverged();
}

/// A world with the defect violates the law. The same world without the defect violates none.
void ExpectDetected(Defect defect, Faults faults, const std::string& law) {
  faults.defect = defect;
  uint64_t seed = 1;
  while (seed <= kSeeds && !Contain(Faulty(seed, faults), law)) ++seed;
  EXPECT_LE(seed, kSeeds) << "no world violates the law: " << law;
  faults.defect = Defect::kNone;
  World sound = SharedWorld(seed, faults);
  Live(&sound);
  ExpectLawful(&sound);
}

TEST(SimulationDefects, APlanOfADeposedWatcherIsCarriedOutWithoutAFence) {
  ExpectDetected(Defect::kNoFence, {.slow_appliers = 70, .partitions = 3},
                 "a plan of an earlier epoch was carried out");
}

TEST(SimulationDefects, TwoWatchersLeadAParentIfABucketIsTakenFromALivingHolder) {
  ExpectDetected(Defect::kTakesFromLiving, {.lease_lags = 20}, "two watchers lead a parent");
}

TEST(SimulationDefects, TwoWatchersLeadAParentIfABucketIsTakenBeforeTheLeaseExpires) {
  ExpectDetected(Defect::kTakesBeforeExpiry, {.lease_lags = 20}, "two watchers lead a parent");
}

TEST(SimulationDefects, AReconcileRunsInABucketThatIsYieldedEarly) {
  ExpectDetected(Defect::kYieldsEarly, {.joins = 5}, "a bucket was handed over during a reconcile");
}

TEST(SimulationDefects, ParentsOfGainedBucketsAreNotPlannedWithoutAList) {
  ExpectDetected(Defect::kNoListOfGained, {.joins = 5}, " has the status ");
}

TEST(SimulationDefects, TwoWatchersLeadAParentIfAnotherNumberOfBucketsIsIgnored) {
  ExpectDetected(Defect::kIgnoresCount, {.recounts = 1}, "two watchers lead a parent");
}

TEST(SimulationDefects, APlanOfAnotherNumberOfBucketsIsCarriedOutWithoutAFence) {
  ExpectDetected(Defect::kAcceptsOtherCounts,
                 {.slow_appliers = 70, .partitions = 20, .recounts = 3},
                 "a plan of an earlier epoch was carried out");
}

}  // namespace
}  // namespace xebec::watcher::testing
