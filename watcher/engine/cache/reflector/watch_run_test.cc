// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/watch_run.h"

#include <set>

#include "gtest/gtest.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kNow = absl::Seconds(100);

TEST(WatchRun, JudgesItsEnd) {
  WatchRun watch(1, kNow, absl::Minutes(5));
  EXPECT_EQ(watch.EndsAt(kNow), WatchRun::End::kAtOnce);
  EXPECT_EQ(watch.EndsAt(kNow + absl::Seconds(1)), WatchRun::End::kEarly);
  EXPECT_EQ(watch.EndsAt(kNow + absl::Seconds(299)), WatchRun::End::kInTime);
  watch.Hear();
  EXPECT_EQ(watch.EndsAt(kNow), WatchRun::End::kEarly);
}

TEST(WatchRun, IsHealthyOnceItHasBroughtEventsAndLasted) {
  WatchRun watch(1, kNow, absl::Minutes(5));
  EXPECT_FALSE(watch.Healthy(kNow + absl::Minutes(1)));
  watch.Hear();
  EXPECT_FALSE(watch.Healthy(kNow + absl::Seconds(9)));
  EXPECT_TRUE(watch.Healthy(kNow + absl::Seconds(10)));
}

TEST(WatchRun, TimeoutsDifferAndAreAtMostThirtyPercentShorter) {
  const ReflectorPolicy policy;
  const ResourceSpec spec{{"", "v1", "Pod", "pods", false}, "", "", {}};
  std::set<absl::Duration> timeouts;
  for (StreamId stream = 1; stream <= 100; ++stream) {
    timeouts.insert(WatchTimeout(spec, policy, stream));
    EXPECT_EQ(WatchTimeout(spec, policy, stream), WatchTimeout(spec, policy, stream));
  }
  EXPECT_GT(timeouts.size(), 50u);
  EXPECT_GE(*timeouts.begin(), policy.watch_timeout * 0.7);
  EXPECT_LE(*timeouts.rbegin(), policy.watch_timeout);
}

}  // namespace
}  // namespace xebec::watcher
