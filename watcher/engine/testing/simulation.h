// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "common/base/testing/rounds.h"
#include "gtest/gtest.h"
#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {

inline std::string Lines(const std::vector<std::string>& lines) {
  return absl::StrJoin(lines, "\n");
}

/// Calls `simulate` with the seeds 1 to `count`, until a test fails.
inline void ForSeeds(int count, const std::function<void(uint64_t)>& simulate) {
  for (int seed = 1; seed <= xebec::testing::Rounds(count) && !::testing::Test::HasFailure();
       ++seed) {
    SCOPED_TRACE(seed);
    simulate(static_cast<uint64_t>(seed));
  }
}

/// Two to four watchers that share one to four buckets.
inline World SharedWorld(uint64_t seed, const Faults& faults,
                         const PlannerDescription& description = WidgetDescription()) {
  Options options;
  options.buckets = static_cast<uint32_t>(1 + seed % 4);
  return World(seed, faults, options, description, /*watchers=*/2 + seed % 3);
}

/// Lets a thousand things happen, and then none. The Leases are renewed for ever.
inline void Live(World* world) {
  for (uint64_t i = 0; i < 1000; ++i) world->Step();
  world->Converge(absl::Minutes(10));
}

/// Every law holds, and nothing more is to be done.
inline void ExpectLawful(World* world) {
  EXPECT_EQ(Lines(world->violations()), "");
  EXPECT_EQ(Lines(world->Unconverged()), "");
  EXPECT_EQ(Lines(world->Rest(absl::Minutes(2))), "");
}

}  // namespace xebec::watcher::testing
