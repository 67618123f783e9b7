// SPDX-License-Identifier: Apache-2.0
// A process that is started again in the place of one that has ended.
#include "gtest/gtest.h"
#include "watcher/engine/leadership/lease.h"
#include "watcher/engine/testing/candidate.h"

namespace xebec::watcher::testing {
namespace {

TEST(Lease, AProcessOfTheSameInstanceTakesItBackAtOnceWithAHigherEpochAndIsCareful) {
  FakeLease lease;
  Candidate crashed(&lease, "pod_uid-1_a", "pod_uid-1_");
  crashed.See(kStart);
  crashed.Tick(kStart);
  ASSERT_TRUE(crashed.elector.Leads(kStart));
  const uint64_t epoch = crashed.elector.epoch();

  Candidate restarted(&lease, "pod_uid-1_b", "pod_uid-1_");
  const absl::Duration later = kStart + absl::Seconds(1);
  restarted.See(later);
  EXPECT_TRUE(restarted.elector.Leads(later));
  EXPECT_GT(restarted.elector.epoch(), epoch);
  EXPECT_FALSE(restarted.elector.clean_handover());
}

TEST(Lease, AProcessOfAnotherInstanceWaitsUntilItExpires) {
  FakeLease lease;
  Candidate holder(&lease, "pod_uid-1_a", "pod_uid-1_");
  holder.See(kStart);
  holder.Tick(kStart);
  Candidate other(&lease, "pod_uid-2_b", "pod_uid-2_");
  Candidate unknown(&lease, "pod_uid-1_c");
  const absl::Duration later = kStart + absl::Seconds(1);
  other.See(later);
  unknown.See(later);
  EXPECT_FALSE(other.elector.Leads(later));
  EXPECT_FALSE(unknown.elector.Leads(later));
  EXPECT_EQ(other.elector.NextDeadline(), later + absl::Seconds(15));
}

TEST(Lease, AWriteOfThePredecessorThatArrivesLateCostsOneMoreTry) {
  FakeLease lease;
  Candidate crashed(&lease, "pod_uid-1_a", "pod_uid-1_");
  crashed.See(kStart);
  crashed.Tick(kStart);
  Candidate restarted(&lease, "pod_uid-1_b", "pod_uid-1_");
  const LeaseSeen seen = lease.now;
  lease.Become(lease.Renewed());  // sent before the crash, arrived after the restarted one has read

  Outputs out;
  restarted.elector.OnSeen(seen, kStart, &out);
  restarted.Carry(std::move(out), kStart);
  EXPECT_FALSE(restarted.elector.Leads(kStart));
  const absl::Duration later = kStart + absl::Seconds(2);
  restarted.See(later);
  restarted.Run(later, absl::Seconds(2));
  EXPECT_TRUE(restarted.elector.Leads(later + absl::Seconds(2)));
}

}  // namespace
}  // namespace xebec::watcher::testing
