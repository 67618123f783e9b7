// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/health/applier_health.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

using ::testing::HasSubstr;

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

Instant At(absl::Duration after) { return {kStart + after, absl::Seconds(50) + after}; }

kube::ApiResponse Good() {
  kube::ApiResponse response;
  response.status = 200;
  response.body = R"({"kind":"Lease"})";
  return response;
}

kube::ApiResponse Unreachable() {
  kube::ApiResponse response;
  response.error = kube::TransportError::kNotSent;
  response.error_message = "connection refused";
  return response;
}

/// An answer whose Date is `date`, taken when the local clock is at `now`.
kube::ApiResponse Dated(absl::Time date) {
  kube::ApiResponse response = Good();
  response.date = date;
  return response;
}

TEST(ApplierHealth, IsReadyAfterTheFirstGoodAnswer) {
  ApplierHealth health;
  EXPECT_NE(health.Problem(At({})), "");
  EXPECT_TRUE(health.NeedsProbe(At({})));
  health.OnAnswer(Good(), absl::Milliseconds(5), At({}));
  EXPECT_EQ(health.Problem(At({})), "");
  EXPECT_FALSE(health.NeedsProbe(At(absl::Seconds(1))));
  EXPECT_TRUE(health.NeedsProbe(At(ApplierHealth::kQuiet))) << "silence proves nothing";
}

TEST(ApplierHealth, IsNotReadyWhileTheApiServerDoesNotAnswerAndReadyAgainAfterwards) {
  ApplierHealth health;
  health.OnAnswer(Good(), {}, At({}));
  health.OnAnswer(Unreachable(), {}, At(absl::Seconds(1)));
  EXPECT_EQ(health.Problem(At(absl::Seconds(1))), "") << "one lost connection is no outage";
  EXPECT_TRUE(health.NeedsProbe(At(absl::Seconds(2))));
  health.OnAnswer(Unreachable(), {}, At(absl::Seconds(5)));
  EXPECT_THAT(health.Problem(At(absl::Seconds(5))), HasSubstr("connection refused"));
  health.OnAnswer(Good(), {}, At(absl::Seconds(6)));
  EXPECT_EQ(health.Problem(At(absl::Seconds(6))), "");
}

TEST(ApplierHealth, RefusedCredentialsAreAProblemUntilTheyAreAccepted) {
  ApplierHealth health;
  kube::ApiResponse refused = Good();
  refused.status = 401;
  health.OnAnswer(refused, {}, At({}));
  EXPECT_THAT(health.Problem(At({})), HasSubstr("401"));
  health.OnAnswer(Good(), {}, At(absl::Seconds(1)));
  EXPECT_EQ(health.Problem(At(absl::Seconds(1))), "");
}

TEST(ApplierHealth, FollowsTheReadOfTheLease) {
  ApplierHealth health;
  health.OnAnswer(Good(), {}, At({}));
  health.OnLease("cannot read the Lease");
  EXPECT_EQ(health.Problem(At({})), "cannot read the Lease");
  health.OnLease("");
  EXPECT_EQ(health.Problem(At({})), "");
}

TEST(ApplierHealth, AClockThatIsAheadIsAProblemOnceAPlanExpiredBecauseOfIt) {
  ApplierHealth health;
  const Instant now = At(absl::Seconds(15));
  health.OnAnswer(Dated(kStart), absl::Milliseconds(10), now);
  EXPECT_GE(health.ClockSkew(now), absl::Seconds(13));
  EXPECT_EQ(health.Problem(now), "") << "the API server's clock may be the wrong one";
  const auto reason = health.OnExpiredPlan(now);
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, HasSubstr("ahead of the API server's"));
  EXPECT_EQ(health.Problem(now), *reason);
  health.OnAnswer(Dated(now.wall), absl::Milliseconds(10), now);
  EXPECT_EQ(health.Problem(now), "");
}

TEST(ApplierHealth, AClockThatIsSetIsNoticedWithoutAnotherAnswer) {
  ApplierHealth health;
  health.OnAnswer(Dated(kStart), absl::Milliseconds(10), At(absl::Milliseconds(500)));
  Instant set = At(absl::Seconds(2));
  set.wall += absl::Hours(1);
  EXPECT_TRUE(health.OnExpiredPlan(set));
  EXPECT_THAT(health.Problem(set), HasSubstr("59m59"));
  EXPECT_EQ(health.Problem(At(absl::Seconds(3))), "") << "the clock was corrected";
}

TEST(ApplierHealth, APlanThatIsLateForAnotherReasonIsNoProblem) {
  ApplierHealth health;
  health.OnAnswer(Dated(kStart), absl::Milliseconds(10), At(absl::Milliseconds(900)));
  EXPECT_FALSE(health.OnExpiredPlan(At(absl::Seconds(1))));
  EXPECT_EQ(health.Problem(At(absl::Seconds(1))), "");
}

TEST(ApplierHealth, ASlowAnswerDoesNotLookLikeAWrongClock) {
  ApplierHealth health;
  health.OnAnswer(Dated(kStart), absl::Seconds(9), At(absl::Seconds(9)));
  EXPECT_EQ(health.ClockSkew(At(absl::Seconds(9))), absl::ZeroDuration());
}

TEST(ApplierHealth, MeasuresAClockThatIsBehind) {
  ApplierHealth health;
  health.OnAnswer(Dated(kStart + absl::Seconds(20)), absl::Milliseconds(10), At({}));
  EXPECT_EQ(health.ClockSkew(At({})), -absl::Seconds(20));
}

}  // namespace
}  // namespace xebec::applier
