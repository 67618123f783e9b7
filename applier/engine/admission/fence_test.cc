// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/fence.h"

#include "absl/strings/str_cat.h"
#include "applier/engine/testing/plan_builder.h"
#include "common/model/assignment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using testing::At;
using ::testing::HasSubstr;
using testing::ParentEnvelope;
using enum FenceAnswer::Verdict;

Envelope WithEpoch(uint64_t epoch) {
  Envelope envelope = ParentEnvelope();
  envelope.epoch = epoch;
  envelope.not_after = absl::InfiniteFuture();
  return envelope;
}

constexpr char kLease[] = "xebec-system/xebec-watcher-assignment";
const Assignment kNone;

/// An assignment with one bucket for each epoch.
Assignment WithEpochs(std::vector<uint64_t> epochs) {
  Assignment assignment;
  for (const uint64_t epoch : epochs) assignment.buckets.push_back({"watcher-1", epoch});
  return assignment;
}

Fence Knowing(std::vector<uint64_t> epochs) {
  Fence fence(kLease);
  fence.OnAssignment(WithEpochs(std::move(epochs)), At().monotonic);
  return fence;
}
Fence Knowing(uint64_t epoch) { return Knowing(std::vector<uint64_t>{epoch}); }

/// A plan of a parent in this bucket.
Envelope InBucket(uint32_t bucket, uint32_t count, uint64_t epoch) {
  Envelope envelope = WithEpoch(epoch);
  envelope.bucket = bucket;
  envelope.bucket_count = count;
  for (int i = 0; BucketOf(envelope.parent.uid, count) != bucket; ++i) {
    envelope.parent.uid = absl::StrCat("uid-", i);
  }
  return envelope;
}

/// The answer to a plan that has waited for an assignment, and got this one.
FenceAnswer CheckAfterReading(const Assignment& assignment, const Envelope& envelope,
                              Fence* fence) {
  fence->OnAssignment(assignment, At().monotonic);
  return fence->Check(envelope, At(), At().monotonic);
}

TEST(Fence, ReadsTheAssignmentWhenItKnowsNothing) {
  Fence fence(kLease);
  EXPECT_EQ(fence.Check(WithEpoch(5), At()).verdict, kReadLeaseFirst);
  fence.OnAssignment(WithEpochs({5}), At().monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), At()).verdict, kAdmit);
}

TEST(Fence, ReadsTheAssignmentAgainWhenItsKnowledgeIsOld) {
  Fence fence = Knowing(5);
  EXPECT_EQ(fence.Check(WithEpoch(5), At(absl::Seconds(5))).verdict, kAdmit);
  EXPECT_EQ(fence.Check(WithEpoch(5), At(absl::Milliseconds(5001))).verdict, kReadLeaseFirst);
}

TEST(Fence, ReadsTheAssignmentAgainAfterARequestWithoutAnAnswer) {
  Fence fence = Knowing(5);
  fence.OnNoAnswer(At(absl::Seconds(1)).monotonic);
  const Instant later = At(absl::Seconds(2));
  EXPECT_EQ(fence.Check(WithEpoch(5), later).verdict, kReadLeaseFirst);
  fence.OnAssignment(WithEpochs({5}), later.monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), later).verdict, kAdmit);
}

TEST(Fence, APlanThatWaitedForTheAssignmentIsNotHeldUpByALaterRequestWithoutAnAnswer) {
  Fence fence = Knowing(5);
  const Instant waits = At(absl::Seconds(6));
  fence.OnAssignment(WithEpochs({5}), waits.monotonic);
  fence.OnNoAnswer(At(absl::Seconds(7)).monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), At(absl::Seconds(8)), waits.monotonic).verdict, kAdmit);
}

TEST(Fence, AReadThatTookLongIsGoodEnoughForThePlanThatWaitedForIt) {
  Fence fence(kLease);
  const Instant later = At(absl::Seconds(8));
  fence.OnAssignment(WithEpochs({5}), At(absl::Seconds(1)).monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), later, At(absl::Seconds(1)).monotonic).verdict, kAdmit);
  EXPECT_EQ(fence.Check(WithEpoch(4), later, At(absl::Seconds(1)).monotonic).verdict, kRefuse);
  EXPECT_EQ(fence.Check(WithEpoch(5), later, At(absl::Seconds(2)).monotonic).verdict,
            kReadLeaseFirst)
      << "the read had begun before the plan came";
  EXPECT_EQ(fence.Check(WithEpoch(5), later).verdict, kReadLeaseFirst);
}

TEST(Fence, RefusesAnEpochBelowTheAssignment) {
  Fence fence = Knowing(6);
  const FenceAnswer answer = fence.Check(WithEpoch(5), At());
  EXPECT_EQ(answer.verdict, kRefuse);
  EXPECT_EQ(answer.reason, "Epoch");
  EXPECT_THAT(answer.message, HasSubstr("epoch 5 of bucket 0 is over: 6 is known"));
  EXPECT_EQ(answer.highest_epoch, 6u);
}

TEST(Fence, PlanOfAHigherEpochDeposesTheOneBefore) {
  Fence fence = Knowing(5);
  EXPECT_EQ(fence.Check(WithEpoch(7), At()).verdict, kAdmit);
  EXPECT_EQ(fence.Check(WithEpoch(5), At()).verdict, kRefuse);
  EXPECT_EQ(fence.HighestEpoch(WithEpoch(0)), 7u);
}

TEST(Fence, DeletedAssignmentForgetsNothingAndStopsNothing) {
  Fence fence = Knowing(5);
  fence.OnAssignment(kNone, At(absl::Seconds(6)).monotonic);
  EXPECT_EQ(fence.Check(WithEpoch(5), At(absl::Seconds(6))).verdict, kAdmit);
  EXPECT_EQ(fence.Check(WithEpoch(1), At(absl::Seconds(6))).verdict, kRefuse);
  EXPECT_EQ(fence.Check(WithEpoch(1), At(absl::Seconds(6))).highest_epoch, 5u);
}

TEST(Fence, AnApplierThatStartsWithoutAnAssignmentCannotTellWhichOfSeveralWatchersAreDeposed) {
  Fence fence(kLease);
  EXPECT_EQ(fence.Check(InBucket(1, 2, 5), At()).verdict, kReadLeaseFirst);
  const FenceAnswer answer = CheckAfterReading(kNone, InBucket(1, 2, 5), &fence);
  EXPECT_EQ(answer.verdict, kRefuse);
  EXPECT_EQ(answer.reason, "NoAssignment");
  EXPECT_THAT(answer.message, HasSubstr("has bucket 1 of 2, but the Lease"));
  EXPECT_EQ(fence.Check(InBucket(1, 2, 5), At()).verdict, kReadLeaseFirst)
      << "each plan asks again: the watchers create the Lease within seconds";
  EXPECT_EQ(CheckAfterReading(WithEpochs({6, 6}), InBucket(1, 2, 5), &fence).reason, "Epoch");
  EXPECT_EQ(fence.Check(InBucket(1, 2, 6), At()).verdict, kAdmit);
}

TEST(Fence, AWatcherWithTheOnlyBucketNeedsNoAssignment) {
  Fence fence(kLease);
  EXPECT_EQ(CheckAfterReading(kNone, InBucket(0, 1, 0), &fence).verdict, kAdmit);
  EXPECT_EQ(CheckAfterReading(kNone, InBucket(1, 2, 5), &fence).reason, "NoAssignment");
}

TEST(Fence, AssignmentMadeAgainWithLowerEpochsDoesNotLowerWhatIsKnown) {
  Fence fence = Knowing(5);
  fence.OnAssignment(WithEpochs({1}), At(absl::Seconds(1)).monotonic);
  EXPECT_EQ(fence.HighestEpoch(WithEpoch(0)), 5u);
}

TEST(Fence, BucketsHaveTheirOwnEpochs) {
  Fence fence = Knowing({9, 2});
  EXPECT_EQ(fence.Check(InBucket(1, 2, 2), At()).verdict, kAdmit);
  EXPECT_EQ(fence.Check(InBucket(1, 2, 3), At()).verdict, kAdmit);
  EXPECT_EQ(fence.Check(InBucket(1, 2, 2), At()).reason, "Epoch");
  EXPECT_EQ(fence.Check(InBucket(0, 2, 8), At()).reason, "Epoch");
  EXPECT_EQ(fence.HighestEpoch(InBucket(0, 2, 0)), 9u);
  EXPECT_EQ(fence.HighestEpoch(InBucket(1, 2, 0)), 3u);
}

TEST(Fence, RefusesAnotherBucketThanThatOfTheParent) {
  Fence fence = Knowing({5, 5});
  Envelope envelope = InBucket(1, 2, 5);
  envelope.bucket = 0;
  const FenceAnswer answer = fence.Check(envelope, At());
  EXPECT_EQ(answer.verdict, kRefuse);
  EXPECT_EQ(answer.reason, "Bucket");
  EXPECT_THAT(answer.message, HasSubstr("names bucket 0, but its parent is in bucket 1 of 2"));
}

TEST(Fence, RefusesAnotherNumberOfBucketsThanTheAssignmentHas) {
  Fence fence = Knowing({5, 5});
  for (const uint32_t count : {1u, 3u}) {
    const Envelope envelope = InBucket(0, count, 9);
    EXPECT_EQ(fence.Check(envelope, At()).verdict, kReadLeaseFirst)
        << "the watchers may have just changed the number";
    const FenceAnswer answer = CheckAfterReading(WithEpochs({5, 5}), envelope, &fence);
    EXPECT_EQ(answer.verdict, kRefuse);
    EXPECT_EQ(answer.reason, "BucketCount");
    EXPECT_EQ(answer.highest_epoch, 0u);
    EXPECT_THAT(answer.message, HasSubstr(absl::StrCat("into ", count, " buckets")));
    EXPECT_THAT(answer.message, HasSubstr(absl::StrCat("the Lease ", kLease, " has 2")));
  }
}

TEST(Fence, RefusesAnUnknownNumberOfBucketsOnlyWhileThereIsAnAssignment) {
  Envelope envelope = WithEpoch(5);
  envelope.bucket_count = 0;
  Fence fence(kLease);
  EXPECT_EQ(CheckAfterReading(kNone, envelope, &fence).verdict, kAdmit);
  EXPECT_EQ(CheckAfterReading(WithEpochs({5}), envelope, &fence).reason, "BucketCount");
}

TEST(Fence, AdmitsPlansOfANewNumberOfBucketsAndNoneOfTheOldOne) {
  Fence fence = Knowing({7, 3});
  const Assignment after = WithEpochs({8, 8, 8});
  EXPECT_EQ(CheckAfterReading(after, InBucket(2, 3, 8), &fence).verdict, kAdmit);
  EXPECT_EQ(CheckAfterReading(after, InBucket(0, 2, 7), &fence).reason, "BucketCount");
  EXPECT_EQ(CheckAfterReading(kNone, InBucket(0, 2, 7), &fence).reason, "Epoch")
      << "not even when the assignment has been deleted";
  EXPECT_EQ(CheckAfterReading(kNone, InBucket(1, 3, 8), &fence).verdict, kAdmit);
}

TEST(Fence, ANewNumberOfBucketsForgetsNoEpoch) {
  Fence fence = Knowing({7, 3});
  const Assignment after = WithEpochs({4, 8, 4});
  const FenceAnswer answer = CheckAfterReading(after, InBucket(0, 3, 4), &fence);
  EXPECT_EQ(answer.reason, "Epoch");
  EXPECT_EQ(answer.highest_epoch, 7u) << "the holder raises its epoch above it";
  EXPECT_EQ(CheckAfterReading(after, InBucket(1, 3, 8), &fence).verdict, kAdmit);
}

TEST(Fence, WithoutAnAssignmentAnotherNumberOfBucketsNeedsTheHighestEpochOfAll) {
  Fence fence = Knowing({3, 7});
  const FenceAnswer answer = CheckAfterReading(kNone, InBucket(0, 1, 6), &fence);
  EXPECT_EQ(answer.reason, "Epoch");
  EXPECT_EQ(answer.highest_epoch, 7u);
  EXPECT_EQ(CheckAfterReading(kNone, InBucket(0, 1, 8), &fence).verdict, kAdmit);
  EXPECT_EQ(CheckAfterReading(kNone, InBucket(1, 2, 7), &fence).reason, "Epoch");
}

TEST(Fence, ExpiredPlanIsRefusedAfterTheSkewAllowed) {
  Fence fence = Knowing(5);
  const Envelope envelope = ParentEnvelope();  // expires after 10 s
  EXPECT_EQ(fence.Check(envelope, At(absl::Seconds(1))).verdict, kAdmit);
  fence.OnAssignment(WithEpochs({5}), At(absl::Seconds(12)).monotonic);
  EXPECT_EQ(fence.Check(envelope, At(absl::Seconds(12))).verdict, kAdmit);
  EXPECT_EQ(fence.Check(envelope, At(absl::Milliseconds(12001))).reason, "Expired");
}

TEST(Fence, SequenceThatDoesNotRiseIsRefusedOnItsStreamAlone) {
  Fence fence(kLease);
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

}  // namespace
}  // namespace xebec::applier
