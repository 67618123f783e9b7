// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/proc.h"

#include "gtest/gtest.h"

namespace xebec::telemetry {
namespace {

TEST(Proc, ReadsTheMemoryLimitOfEitherCgroupVersion) {
  EXPECT_EQ(ParseMemoryLimit("536870912\n"), 536870912);
  EXPECT_EQ(ParseMemoryLimit("max\n"), 0) << "no limit in version 2";
  EXPECT_EQ(ParseMemoryLimit("9223372036854771712\n"), 0) << "no limit in version 1";
  EXPECT_EQ(ParseMemoryLimit(""), 0) << "no such file";
}

TEST(Proc, KnowsThisProcess) {
  const ProcFigures figures = ReadProc();
  EXPECT_GT(figures.resident_bytes, 0);
  EXPECT_GT(figures.start_time_seconds, 0);
}

}  // namespace
}  // namespace xebec::telemetry
