// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/lease_reads.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

class LeaseReadsTest : public ::testing::Test {
 protected:
  LeaseReads::Verdict Read(const kube::ApiResponse& response) {
    EXPECT_TRUE(reads_.Read(0, now_));
    return reads_.OnAnswer(0, response, now_, &fence_);
  }

  Fence fence_;
  LeaseReads reads_{"xebec-system", "xebec-watcher-"};
  absl::Duration now_ = absl::Seconds(100);
};

TEST_F(LeaseReadsTest, ReadsALeaseOnceForAllThatWaitForIt) {
  const auto request = reads_.Read(0, now_);
  ASSERT_TRUE(request);
  EXPECT_THAT(request->path, HasSubstr("/namespaces/xebec-system/leases/xebec-watcher-0"));
  EXPECT_FALSE(reads_.Read(0, now_));
  EXPECT_TRUE(reads_.Read(1, now_)) << "the Lease of another bucket";
}

TEST_F(LeaseReadsTest, TellsTheFenceWhatTheLeaseSays) {
  const auto verdict = Read(Answer(200, R"({"kind":"Lease","metadata":{"name":"xebec-watcher-0"},)"
                                        R"("spec":{"leaseTransitions":7}})"));
  EXPECT_EQ(verdict.next, Next::kCheckAgain);
  EXPECT_EQ(fence_.HighestEpoch(0), 7u);
}

TEST_F(LeaseReadsTest, RepeatsAThrottledReadOnceAfterTheTimeThatTheServerAskedFor) {
  EXPECT_EQ(Read(Throttled(2)).next, Next::kWait);
  EXPECT_THAT(reads_.Due(now_), IsEmpty());
  EXPECT_FALSE(reads_.Read(0, now_ + absl::Seconds(1)))
      << "plans that arrive wait for the same read";
  now_ += absl::Seconds(2);
  EXPECT_THAT(reads_.Due(now_), ElementsAre(0u));
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
  EXPECT_FALSE(reads_.Read(0, now_));
  EXPECT_THAT(reads_.Due(now_ + absl::Seconds(5)), ElementsAre(0u));
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
