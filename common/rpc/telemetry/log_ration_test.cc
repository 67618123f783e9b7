// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/telemetry/log_ration.h"

#include "gtest/gtest.h"

namespace xebec::rpc {
namespace {

TEST(LogRation, LetsAFewLinesOfEachSourceThroughInAMinuteAndTellsHowManyItLeftOut) {
  LogRation ration;
  const absl::Duration start = absl::Seconds(100);
  for (uint64_t i = 0; i < LogRation::kLines; ++i) EXPECT_EQ(ration.Take("a.cc:1", start), 0u);
  EXPECT_EQ(ration.Take("a.cc:1", start), std::nullopt);
  EXPECT_EQ(ration.Take("a.cc:1", start + absl::Seconds(59)), std::nullopt);
  EXPECT_EQ(ration.Take("b.cc:7", start), 0u) << "another source has its own ration";
  EXPECT_EQ(ration.Take("a.cc:1", start + LogRation::kInterval), 2u);
  EXPECT_EQ(ration.Take("a.cc:1", start + LogRation::kInterval), 0u);
}

}  // namespace
}  // namespace xebec::rpc
