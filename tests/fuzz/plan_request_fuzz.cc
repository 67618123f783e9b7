// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "common/codec/codec.h"
#include "tests/fuzz/check.h"

namespace {

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
  return 0;
}
