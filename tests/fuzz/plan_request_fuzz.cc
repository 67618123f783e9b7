// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "common/codec/codec.h"
#include "planner/core/make_plan.h"
#include "planner/kinds/built_in.h"
#include "tests/fuzz/check.h"

namespace {

/// Every observation has one plan, which can be sent, and no kind throws.
void CheckPlan(const xebec::Observation& observation) {
  static const xebec::planner::KindRegistry kinds = xebec::planner::BuiltInKinds();
  std::string kind_error;
  const xebec::Plan plan = xebec::planner::MakePlan(observation, kinds, &kind_error);
  XEBEC_FUZZ_CHECK(plan == xebec::planner::MakePlan(observation, kinds));
  XEBEC_FUZZ_CHECK(kind_error.empty());
  xebec::v1::Plan sent;
  xebec::codec::EncodePlan(plan, xebec::codec::ObjectForm::kJson, &sent);
  XEBEC_FUZZ_CHECK(xebec::codec::DecodePlan(sent).ok());
}

/// What was decoded comes back the same from the wire.
void CheckRoundTrip(const xebec::Observation& observation) {
  xebec::v1::Observation encoded;
  xebec::codec::EncodeObservation(observation, xebec::codec::ObjectForm::kJson, &encoded);
  xebec::v1::Observation received;
  XEBEC_FUZZ_CHECK(received.ParseFromString(encoded.SerializeAsString()));
  const auto again = xebec::codec::DecodeObservation(received);
  XEBEC_FUZZ_CHECK(again.ok() && *again == observation);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  xebec::v1::PlanRequest request;
  if (!request.ParseFromArray(data, static_cast<int>(size))) return 0;
  const auto observation = xebec::codec::DecodeObservation(request.observation());
  if (!observation.ok()) {
    XEBEC_FUZZ_CHECK(observation.status().code() == absl::StatusCode::kInvalidArgument);
    return 0;
  }
  CheckRoundTrip(*observation);
  CheckPlan(*observation);
  return 0;
}
