// SPDX-License-Identifier: Apache-2.0
// Each defect of the protocols by which watchers share buckets and ask hooks violates a law of the
// simulation.
#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "watcher/engine/testing/simulation.h"

namespace xebec::watcher::testing {
namespace {

constexpr uint64_t kSeeds = 1000;

bool Contain(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(), [&text](const std::string& line) {
    return line.find(text) != std::string::npos;
  });
}

using MakeWorld = World (*)(uint64_t seed, const Faults& faults);

World Shared(uint64_t seed, const Faults& faults) { return SharedWorld(seed, faults); }

/// Lists that follow another fault would bring what is missing.
Faults OnlyMoves() {
  Faults faults = kNoFaults;
  faults.lags = 20;
  faults.joins = 2;
  return faults;
}

/// What is wrong in a world after some time.
std::vector<std::string> Faulty(World world) {
  for (int i = 0; i < 1000 && world.violations().empty(); ++i) world.Step();
  if (!world.violations().empty()) return world.violations();
  world.Converge(absl::Minutes(1));
  return world.Unconverged();
}

/// A world with the defect violates the law. The same world without the defect (with another one,
/// `less`) does not violate it in the same time. Without any defect, it violates no law later.
void ExpectDetected(Defect defect, Faults faults, const std::string& law, MakeWorld make = Shared,
                    Defect less = Defect::kNone) {
  Faults none = faults, without = faults;
  none.defect = Defect::kNone;
  without.defect = less;
  faults.defect = defect;
  const auto detects = [&](uint64_t seed) {
    return Contain(Faulty(make(seed, faults)), law) && !Contain(Faulty(make(seed, without)), law);
  };
  uint64_t seed = 1;
  while (seed <= kSeeds && !detects(seed)) ++seed;
  EXPECT_LE(seed, kSeeds) << "no world violates the law: " << law;
  World sound = make(seed, none);
  Live(&sound);
  ExpectLawful(&sound);
}

TEST(SimulationDefects, APlanOfADeposedWatcherIsCarriedOutWithoutAFence) {
  ExpectDetected(Defect::kNoFence, {.slow_appliers = 70, .partitions = 3},
                 "a plan of an earlier epoch was carried out");
}

TEST(SimulationDefects, AnApplierThatNeverReadsTheAssignmentAgainHeedsADeposedWatcher) {
  ExpectDetected(Defect::kOldAssignment, {.slow_appliers = 70, .partitions = 3},
                 "a plan was carried out long after one of a later epoch was sent");
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

TEST(SimulationDefects, ChangesAreMissedIfObjectsAreHandedOverThatAreOlderThanTheirVersion) {
  ExpectDetected(Defect::kHandsOverOld, OnlyMoves(),
                 "planned from a cache without a predecessor's write of");
}

TEST(SimulationDefects, WritesOfThePredecessorAreMissedIfItStatesThatItHadSeenLess) {
  ExpectDetected(Defect::kStatesOld, OnlyMoves(),
                 "planned from a cache without a predecessor's write of");
}

TEST(SimulationDefects, TwoWatchersLeadAParentIfAnotherNumberOfBucketsIsIgnored) {
  ExpectDetected(Defect::kIgnoresCount, {.recounts = 1}, "two watchers lead a parent");
}

TEST(SimulationDefects, ADeposedWatcherIsHeededIfAppliersIgnoreAnotherNumberOfBucketsToo) {
  ExpectDetected(Defect::kNoCountFence, {.slow_appliers = 70, .partitions = 3, .recounts = 1},
                 "a plan of an earlier epoch was carried out", Shared, Defect::kIgnoresCount);
}

TEST(SimulationDefects, APlanIsMadeFromAnAnswerToAnOlderDeclaration) {
  ExpectDetected(Defect::kOldDeclaration, {},
                 "a plan from an answer to another declaration was sent", OperatorWorld);
}

TEST(SimulationDefects, APlanIsMadeFromAnAnswerToAnotherRequestIfDigestsAreNotCompared) {
  ExpectDetected(Defect::kIgnoresDigest, {}, "a plan from an answer to another request was sent",
                 OperatorWorld);
}

TEST(SimulationDefects, AnOperatorGoesBeforeTheFinalizersOfItsParents) {
  ExpectDetected(Defect::kReleasesEarly, {}, " went before its finalizer of ", OperatorWorld);
}

TEST(SimulationDefects, AnOperatorNeverGoesIfItsParentsKeepItsFinalizer) {
  ExpectDetected(Defect::kKeepsFinalizer, {}, " should be gone", OperatorWorld);
}

TEST(SimulationDefects, AParentIsNotPlannedIfItsKeyIsDroppedWhileItWaitsForAnAnswer) {
  ExpectDetected(Defect::kDropsAsking, {}, " lacks ", OperatorWorld);
}

TEST(SimulationDefects, AStatusStaysOldIfAPlanCoversMoreThanThePlannerForesees) {
  ExpectDetected(Defect::kCoversTooMuch, {}, " has the status ");
}

}  // namespace
}  // namespace xebec::watcher::testing
