// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/figures.h"

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

TEST(DurationHistogram, CountsEachDurationOnce) {
  DurationHistogram histogram;
  histogram.Add(absl::Microseconds(500));
  histogram.Add(absl::Milliseconds(1));
  histogram.Add(absl::Hours(1));
  histogram.Add(-absl::Hours(1));
  EXPECT_EQ(histogram.buckets[0], 3u);
  EXPECT_EQ(histogram.buckets.back(), 1u);
  EXPECT_EQ(histogram.count, 4u);
}

}  // namespace
}  // namespace xebec::watcher
