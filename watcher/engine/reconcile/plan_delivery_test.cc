// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/plan_delivery.h"

#include "gtest/gtest.h"
#include "watcher/engine/testing/run_rig.h"

namespace xebec::watcher::testing {
namespace {

using PlanDeliveryTest = RunRig;

TEST_F(PlanDeliveryTest, APlanThatIsSentHasItsSequenceEpochAndExpiry) {
  sequences_.last_message = 4;
  const SendPlan send = Deliver(Plan(), Context());
  EXPECT_EQ(send.sequence, 5u);
  EXPECT_EQ(send.plan->envelope.sequence, 5u);
  EXPECT_EQ(send.plan->envelope.epoch, leadership_.Epoch(0));
  EXPECT_EQ(send.plan->envelope.not_after, now_.wall + options_.plan_life);
  EXPECT_EQ(send.timeout, options_.plan_life + kClockSkew + options_.request_timeout);
}

TEST_F(PlanDeliveryTest, OnlyAfterALostReportTheLifeOfThePlanCounts) {
  const absl::Duration sent = absl::Seconds(10), now = absl::Seconds(11);
  Completion completion;
  completion.outcomes.resize(2);
  completion.unknown.resize(1);
  EXPECT_EQ(EndOfDoubt(completion, sent, now, options_), now + options_.request_timeout);
  completion.unknown.resize(2);
  const absl::Duration expiry = sent + options_.plan_life + kClockSkew;
  EXPECT_EQ(EndOfDoubt(completion, sent, now, options_), expiry + options_.request_timeout);
  const absl::Duration late = expiry + absl::Seconds(1);
  EXPECT_EQ(EndOfDoubt(completion, sent, late, options_), late + options_.request_timeout);
}

}  // namespace
}  // namespace xebec::watcher::testing
