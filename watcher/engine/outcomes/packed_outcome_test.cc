// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/outcomes/packed_outcome.h"

#include "common/model/plan.h"
#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

Outcome Full() {
  Outcome outcome;
  outcome.target = {{"apps", "v1", "Deployment", "deployments", false}, "default", "web"};
  outcome.operation = OperationId(Apply{}, outcome.target);
  outcome.code = OutcomeCode::kChanged;
  outcome.certainty = Certainty::kDone;
  outcome.http_status = 200;
  outcome.reason = "why";
  outcome.message = std::string(1000, 'm');
  outcome.uid = "0f0e0d0c-0b0a-4908-8706-050403020100";
  outcome.resource_version = "12";
  outcome.digest = "v1:d";
  outcome.result_digest = "v1:r";
  outcome.terminating = true;
  outcome.memo = std::string("\0start 3", 8);
  outcome.repeats = 3;
  outcome.at = absl::FromUnixSeconds(1700000000);
  return outcome;
}

TEST(PackedOutcome, IsTheSameUnpacked) {
  EXPECT_EQ(PackedOutcome(Full()).Unpack(), Full());
  EXPECT_EQ(PackedOutcome(Outcome()).Unpack(), Outcome());
}

TEST(PackedOutcome, KeepsIdsThatAreNotThoseOfTheirTarget) {
  Outcome status = Full();
  status.operation = std::string(kStatusOperation);
  EXPECT_EQ(PackedOutcome(status).Unpack(), status);
  status.operation = "";
  EXPECT_EQ(PackedOutcome(status).Unpack(), status);
  status = Full();
  status.target.ns = "";
  status.target.type.cluster_scoped = true;
  EXPECT_EQ(PackedOutcome(status).Unpack(), status);
}

TEST(PackedOutcome, DiffersWhereTheOutcomesDo) {
  Outcome other = Full();
  other.repeats = 4;
  EXPECT_FALSE(PackedOutcome(other) == PackedOutcome(Full()));
  other = Full();
  other.memo += "x";
  EXPECT_FALSE(PackedOutcome(other) == PackedOutcome(Full()));
}

}  // namespace
}  // namespace xebec::watcher
