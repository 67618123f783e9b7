// SPDX-License-Identifier: Apache-2.0
#include "common/base/clock.h"

#include "gtest/gtest.h"

namespace xebec {
namespace {

TEST(ReadClock, MonotonicTimeNeverGoesBack) {
  const Instant first = ReadClock();
  const Instant second = ReadClock();
  EXPECT_GE(second.monotonic, first.monotonic);
  EXPECT_GT(first.wall, absl::UnixEpoch());
}

}  // namespace
}  // namespace xebec
