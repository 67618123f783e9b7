// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/status/applied_condition.h"

#include "gtest/gtest.h"

namespace xebec::applier {
namespace {

Outcome Failed(OutcomeCode code, const std::string& message = "why") {
  Outcome outcome;
  outcome.code = code;
  outcome.certainty = Certainty::kRejected;
  outcome.message = message;
  return outcome;
}

Outcome Done() {
  Outcome outcome;
  outcome.code = OutcomeCode::kChanged;
  outcome.certainty = Certainty::kDone;
  return outcome;
}

StatusIntent Showing(const std::string& status, const std::string& reason) {
  StatusIntent intent;
  intent.observed_applied = ConditionValue{status, reason, ""};
  return intent;
}

TEST(AppliedAfter, ThrottledAndStaleChildrenLeaveTheConditionAsItIs) {
  const StatusIntent intent = Showing("True", "Applied");
  for (const OutcomeCode code : {OutcomeCode::kThrottled, OutcomeCode::kStale}) {
    const ConditionValue applied =
        AppliedAfter({Done(), Failed(code), Failed(OutcomeCode::kNotStarted)}, intent);
    EXPECT_EQ(applied, *intent.observed_applied);
    EXPECT_FALSE(MustWriteStatus(intent, applied)) << "no write in a brown-out, none afterwards";
  }
}

TEST(AppliedAfter, AParentWithoutTheConditionShowsWhyItWaits) {
  EXPECT_EQ(AppliedAfter({Failed(OutcomeCode::kThrottled)}, {}),
            (ConditionValue{"False", "Throttled", "why"}));
}

TEST(AppliedAfter, ALastingFailureIsShownEvenAfterAPassingOne) {
  const std::vector<Outcome> outcomes = {
      Failed(OutcomeCode::kNotStarted), Failed(OutcomeCode::kStale),
      Failed(OutcomeCode::kForbidden, "no right"), Failed(OutcomeCode::kInvalid, "bad")};
  EXPECT_EQ(AppliedAfter(outcomes, Showing("True", "Applied")),
            (ConditionValue{"False", "Rejected", "no right"}));
}

TEST(AppliedAfter, SuccessIsTrueUnlessBlocked) {
  StatusIntent intent = Showing("False", "Rejected");
  EXPECT_EQ(AppliedAfter({Done()}, intent), (ConditionValue{"True", "Applied", ""}));
  intent.blocked = ConditionValue{"False", "Blocked", "m"};
  EXPECT_EQ(AppliedAfter({Done()}, intent), *intent.blocked);
}

}  // namespace
}  // namespace xebec::applier
