// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/fence.h"

#include "applier/engine/testing/plan_builder.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using testing::At;
using testing::ParentEnvelope;
using enum FenceAnswer::Verdict;

Envelope WithEpoch(uint64_t epoch) {
  Envelope envelope = ParentEnvelope();
  envelope.epoch = epoch;
  envelope.not_after = absl::InfiniteFuture();
  return envelope;
}

Fence Knowing(uint64_t transitions) {
  Fence fence;
  fence.OnLease(0, {true, transitions}, At().monotonic);
  return fence;
}

TEST(Fence, ReadsTheLeaseWhenItKnowsNothing) {
  Fence fence;
  EXPECT_EQ(fence.Check(WithEpoch(5), At()).verdict, kReadLeaseFirst);
  fence.OnLease(0, {true, 5}, At().monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), At()).verdict, kAdmit);
}

TEST(Fence, ReadsTheLeaseAgainWhenItsKnowledgeIsOld) {
  Fence fence = Knowing(5);
  EXPECT_EQ(fence.Check(WithEpoch(5), At(absl::Seconds(5))).verdict, kAdmit);
  EXPECT_EQ(fence.Check(WithEpoch(5), At(absl::Milliseconds(5001))).verdict, kReadLeaseFirst);
}

TEST(Fence, ReadsTheLeaseAgainAfterARequestWithoutAnAnswer) {
  Fence fence = Knowing(5);
  fence.OnNoAnswer(At(absl::Seconds(1)).monotonic);
  const Instant later = At(absl::Seconds(2));
  EXPECT_EQ(fence.Check(WithEpoch(5), later).verdict, kReadLeaseFirst);
  fence.OnLease(0, {true, 5}, later.monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), later).verdict, kAdmit);
}

TEST(Fence, APlanThatWaitedForTheLeaseIsNotHeldUpByALaterRequestWithoutAnAnswer) {
  Fence fence = Knowing(5);
  const Instant waits = At(absl::Seconds(6));
  fence.OnLease(0, {true, 5}, waits.monotonic);
  fence.OnNoAnswer(At(absl::Seconds(7)).monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), At(absl::Seconds(8)), waits.monotonic).verdict, kAdmit);
}

TEST(Fence, AReadOfTheLeaseThatTookLongIsGoodEnoughForThePlanThatWaitedForIt) {
  Fence fence;
  const Instant later = At(absl::Seconds(8));
  fence.OnLease(0, {true, 5}, At(absl::Seconds(1)).monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), later, At(absl::Seconds(1)).monotonic).verdict, kAdmit);
  EXPECT_EQ(fence.Check(WithEpoch(4), later, At(absl::Seconds(1)).monotonic).verdict, kRefuse);
  EXPECT_EQ(fence.Check(WithEpoch(5), later, At(absl::Seconds(2)).monotonic).verdict,
            kReadLeaseFirst)
      << "the read had begun before the plan came";
  EXPECT_EQ(fence.Check(WithEpoch(5), later).verdict, kReadLeaseFirst);
}

TEST(Fence, RefusesAnEpochBelowTheLease) {
  Fence fence = Knowing(6);
  const FenceAnswer answer = fence.Check(WithEpoch(5), At());
  EXPECT_EQ(answer.verdict, kRefuse);
  EXPECT_EQ(answer.reason, "Epoch");
  EXPECT_EQ(answer.highest_epoch, 6u);
}

TEST(Fence, PlanOfAHigherEpochDeposesTheOneBefore) {
  Fence fence = Knowing(5);
  EXPECT_EQ(fence.Check(WithEpoch(7), At()).verdict, kAdmit);
  EXPECT_EQ(fence.Check(WithEpoch(5), At()).verdict, kRefuse);
  EXPECT_EQ(fence.HighestEpoch(0), 7u);
}

TEST(Fence, DeletedLeaseForgetsNothingAndStopsNothing) {
  Fence fence = Knowing(5);
  fence.OnLease(0, {false, 0}, At(absl::Seconds(6)).monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), At(absl::Seconds(6))).verdict, kAdmit);
  EXPECT_EQ(fence.Check(WithEpoch(1), At(absl::Seconds(6))).verdict, kRefuse);
  EXPECT_EQ(fence.Check(WithEpoch(1), At(absl::Seconds(6))).highest_epoch, 5u);
}

TEST(Fence, LeaseMadeAgainWithALowerCountDoesNotLowerWhatIsKnown) {
  Fence fence = Knowing(5);
  fence.OnLease(0, {true, 1}, At(absl::Seconds(1)).monotonic);
  EXPECT_EQ(fence.HighestEpoch(0), 5u);
}

TEST(Fence, BucketsAreFencedApart) {
  Fence fence = Knowing(9);
  Envelope other = WithEpoch(2);
  other.bucket = 1;
  EXPECT_EQ(fence.Check(other, At()).verdict, kReadLeaseFirst);
  fence.OnLease(1, {true, 2}, At().monotonic);
  EXPECT_EQ(fence.Check(other, At()).verdict, kAdmit);
}

TEST(Fence, ExpiredPlanIsRefusedAfterTheSkewAllowed) {
  Fence fence = Knowing(5);
  const Envelope envelope = ParentEnvelope();  // expires after 10 s
  EXPECT_EQ(fence.Check(envelope, At(absl::Seconds(1))).verdict, kAdmit);
  fence.OnLease(0, {true, 5}, At(absl::Seconds(12)).monotonic);
  EXPECT_EQ(fence.Check(envelope, At(absl::Seconds(12))).verdict, kAdmit);
  EXPECT_EQ(fence.Check(envelope, At(absl::Milliseconds(12001))).reason, "Expired");
}

TEST(Fence, SequenceThatDoesNotRiseIsRefusedOnItsStreamAlone) {
  Fence fence;
  Envelope envelope = ParentEnvelope();
  envelope.sequence = 4;
  EXPECT_FALSE(fence.CheckSequence(1, envelope));
  EXPECT_EQ(fence.CheckSequence(1, envelope)->reason, "Sequence");
  EXPECT_FALSE(fence.CheckSequence(2, envelope));
  envelope.sequence = 3;
  EXPECT_TRUE(fence.CheckSequence(1, envelope));
  envelope.sequence = 5;
  EXPECT_FALSE(fence.CheckSequence(1, envelope));
  fence.ForgetStream(1);
  EXPECT_FALSE(fence.CheckSequence(1, envelope));
}

TEST(Fence, UnaryCallsHaveNoSequence) {
  Fence fence;
  EXPECT_FALSE(fence.CheckSequence(0, ParentEnvelope()));
  EXPECT_FALSE(fence.CheckSequence(0, ParentEnvelope()));
}

}  // namespace
}  // namespace xebec::applier
