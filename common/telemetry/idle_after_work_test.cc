// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/idle_after_work.h"

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace xebec::telemetry {
namespace {

constexpr absl::Duration kLittle = absl::Milliseconds(10);
constexpr absl::Duration kMuch = absl::Seconds(1);

TEST(IdleAfterWork, IsTrueOnceInTheFirstIdlePeriodAfterWork) {
  IdleAfterWork idle;
  absl::Duration cpu = kMuch;  // the start of the process
  EXPECT_FALSE(idle.OnPeriod(cpu));
  EXPECT_TRUE(idle.OnPeriod(cpu += kLittle));
  EXPECT_FALSE(idle.OnPeriod(cpu += kLittle));
  EXPECT_FALSE(idle.OnPeriod(cpu += kMuch));
  EXPECT_FALSE(idle.OnPeriod(cpu += kMuch));
  EXPECT_TRUE(idle.OnPeriod(cpu += kLittle));
}

// An idle process would else unmap, every few minutes, what it maps again at once.
TEST(IdleAfterWork, LittleWorkNeverAddsUp) {
  IdleAfterWork idle;
  absl::Duration cpu;
  EXPECT_TRUE(idle.OnPeriod(cpu += kLittle)) << "the start";
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(idle.OnPeriod(cpu += kLittle));
}

}  // namespace
}  // namespace xebec::telemetry
