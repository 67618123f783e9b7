// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>

#include "common/codec/codec.h"
#include "planner/hooks/hook_codec.h"
#include "planner/hooks/testing/hook_scene.h"
#include "tests/fuzz/check.h"

// Whatever a hook answers: there is one plan, which can be sent, and an answer equals itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string answer(reinterpret_cast<const char*>(data), size);
  for (const bool cluster_scoped : {false, true}) {
    const xebec::Observation observation =
        xebec::testing::ObserveWeb(xebec::testing::WebOperator(), cluster_scoped);
    const xebec::Plan plan = xebec::testing::PlanWithBytes(observation, answer);
    XEBEC_FUZZ_CHECK(plan == xebec::testing::PlanWithBytes(observation, answer));
    xebec::v1::Plan sent;
    xebec::codec::EncodePlan(plan, xebec::codec::ObjectForm::kJson, &sent);
    XEBEC_FUZZ_CHECK(xebec::codec::DecodePlan(sent).ok());
  }
  XEBEC_FUZZ_CHECK(xebec::planner::HooksV1()->difference(answer, answer).empty());
  return 0;
}
