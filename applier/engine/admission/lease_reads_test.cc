// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/lease_reads.h"

#include <iterator>
#include <utility>

#include "common/kube/lease.h"
#include "common/model/assignment.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using ::testing::HasSubstr;
using Next = LeaseReads::Verdict::Next;

kube::ApiResponse Answer(int status, const std::string& body = "{}") {
  kube::ApiResponse response;
  response.status = status;
  response.body = body;
  return response;
}

kube::ApiResponse Throttled(int seconds) {
  kube::ApiResponse response = Answer(429);
  response.retry_after = absl::Seconds(seconds);
  return response;
}

/// The Lease with this annotation.
kube::ApiResponse WithAnnotation(const std::string& assignment) {
  kube::Lease lease;
  lease.ns = "xebec-system";
  lease.name = "xebec-watcher-assignment";
  lease.annotations[std::string(kAssignmentAnnotation)] = assignment;
  return Answer(200, kube::EncodeLease(lease));
}

/// A plan of two buckets.
Envelope InBucket(uint32_t bucket) {
  Envelope envelope;
  envelope.bucket = bucket;
  envelope.bucket_count = 2;
  return envelope;
}

class LeaseReadsTest : public ::testing::Test {
 protected:
  LeaseReads::Verdict Read(const kube::ApiResponse& response) {
    EXPECT_TRUE(reads_.Read(now_));
    return reads_.OnAnswer(response, now_, &fence_);
  }

  Fence fence_{"xebec-system/xebec-watcher-assignment"};
  LeaseReads reads_{"xebec-system", "xebec-watcher-assignment"};
  absl::Duration now_ = absl::Seconds(100);
};

TEST_F(LeaseReadsTest, ReadsTheAssignmentOnceForAllThatWaitForIt) {
  const auto request = reads_.Read(now_);
  ASSERT_TRUE(request);
  EXPECT_THAT(request->path, HasSubstr("/namespaces/xebec-system/leases/xebec-watcher-assignment"));
  EXPECT_FALSE(reads_.Read(now_));
}

TEST_F(LeaseReadsTest, TellsTheFenceTheEpochsOfAllBuckets) {
  const auto verdict = Read(WithAnnotation(EncodeAssignment({{{"a", 7}, {"b", 9}}})));
  EXPECT_EQ(verdict.next, Next::kCheckAgain);
  EXPECT_EQ(fence_.HighestEpoch(InBucket(0)), 7u);
  EXPECT_EQ(fence_.HighestEpoch(InBucket(1)), 9u);
}

TEST_F(LeaseReadsTest, AMissingLeaseMeansThatThereIsNoAssignment) {
  Read(WithAnnotation(EncodeAssignment({{{"a", 7}, {"b", 9}}})));
  EXPECT_EQ(Read(Answer(404)).next, Next::kCheckAgain);
  EXPECT_EQ(fence_.HighestEpoch(InBucket(1)), 9u) << "it forgets no epoch";
}

TEST_F(LeaseReadsTest, AMalformedAssignmentIsAsUnreadableAsAForbiddenOne) {
  const std::pair<kube::ApiResponse, std::string> cases[] = {
      {Answer(200, "[]"), "metadata.name is missing"},
      {Answer(200, R"({"metadata":{"name":"l"}})"), "no annotation xebec.dev/assignment"},
      {WithAnnotation("{"), "assignment: "},
      {WithAnnotation(R"({"buckets":0})"), "buckets is not a number from 1 to 1024"},
      {WithAnnotation(R"({"buckets":1,"watchers":{},"inDoubt":"","epochs":[-1]})"), "the epoch"}};
  for (const auto& [answer, said] : cases) {
    const auto verdict = Read(answer);
    EXPECT_EQ(verdict.next, Next::kFail) << said;
    EXPECT_EQ(verdict.failure.reason, "LeaseUnreadable");
    EXPECT_THAT(verdict.failure.message, HasSubstr("the Lease xebec-system/xebec-watcher-assign"));
    EXPECT_THAT(verdict.failure.message, HasSubstr(said));
    EXPECT_THAT(verdict.failure.message, HasSubstr("delete the Lease"));
  }
  EXPECT_EQ(reads_.errors().at(200), std::size(cases));
}

TEST_F(LeaseReadsTest, RepeatsAThrottledReadOnceAfterTheTimeThatTheServerAskedFor) {
  EXPECT_EQ(Read(Throttled(2)).next, Next::kWait);
  EXPECT_FALSE(reads_.Due(now_));
  EXPECT_FALSE(reads_.Read(now_ + absl::Seconds(1))) << "plans that arrive wait for the same read";
  now_ += absl::Seconds(2);
  EXPECT_TRUE(reads_.Due(now_));
  const auto verdict = Read(Throttled(3));
  EXPECT_EQ(verdict.next, Next::kFail);
  EXPECT_EQ(verdict.failure.code, OutcomeCode::kThrottled);
  EXPECT_EQ(verdict.failure.retry_after, absl::Seconds(3));
}

TEST_F(LeaseReadsTest, FailsAtOnceWhenTheServerAsksForMoreTimeThanAPlanHas) {
  const auto verdict = Read(Throttled(60));
  EXPECT_EQ(verdict.next, Next::kFail);
  EXPECT_EQ(verdict.failure.retry_after, absl::Seconds(60));
}

TEST_F(LeaseReadsTest, PlansThatArriveAfterAFailureShareTheNextRead) {
  Read(Throttled(60));
  EXPECT_FALSE(reads_.Read(now_));
  EXPECT_TRUE(reads_.Due(now_ + absl::Seconds(5)));
}

TEST_F(LeaseReadsTest, AMissingRightMakesTheApplierUnavailable) {
  const auto verdict =
      Read(Answer(403, R"({"kind":"Status","message":"leases is forbidden","code":403})"));
  EXPECT_EQ(verdict.next, Next::kFail);
  EXPECT_EQ(verdict.failure.code, OutcomeCode::kUnavailable);
  EXPECT_EQ(verdict.failure.reason, "LeaseUnreadable");
  EXPECT_THAT(verdict.failure.message, HasSubstr("leases is forbidden"));
  EXPECT_EQ(reads_.errors().at(403), 1u);
}

TEST_F(LeaseReadsTest, AnApiServerThatDoesNotAnswerMakesTheApplierUnavailable) {
  kube::ApiResponse response;
  response.error = kube::TransportError::kNotSent;
  response.error_message = "connection refused";
  const auto verdict = Read(response);
  EXPECT_EQ(verdict.failure.reason, "ApiServerUnreachable");
  EXPECT_THAT(verdict.failure.message, HasSubstr("connection refused"));
  EXPECT_EQ(reads_.errors().at(0), 1u);
}

}  // namespace
}  // namespace xebec::applier
