// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "common/base/testing/seeds.h"
#include "gtest/gtest.h"
#include "planner/hooks/testing/fake_hook.h"
#include "watcher/engine/testing/world.h"

namespace xebec::watcher::testing {

inline std::string Lines(const std::vector<std::string>& lines) {
  return absl::StrJoin(lines, "\n");
}

using ::xebec::testing::ForSeeds;

/// Two to four watchers that share one to four buckets.
inline World SharedWorld(uint64_t seed, const Faults& faults,
                         const PlannerDescription& description = WidgetDescription()) {
  Options options;
  options.buckets = static_cast<uint32_t>(1 + seed % 4);
  return World(seed, faults, options, description, /*watchers=*/2 + seed % 3);
}

/// Some watchers, one to three, of an installation whose users declare operators. One watcher needs
/// no Leases, every other time.
inline World OperatorWorld(uint64_t seed, const Faults& faults) {
  Options options;
  options.hooks = true;
  const size_t watchers = 1 + seed % 3;
  options.leader_election = watchers > 1 || seed % 2 == 0;
  options.buckets = options.leader_election ? static_cast<uint32_t>(1 + seed % 4) : 1;
  return World(seed, faults, options, xebec::testing::OperatorPlanner("r1"), watchers);
}

/// Lets a thousand things happen, and then none until the last conflict of field managers is
/// forgotten, ten minutes after it. The Leases are renewed for ever.
inline void Live(World* world) {
  for (uint64_t i = 0; i < 1000; ++i) world->Step();
  world->Converge(absl::Minutes(11));
}

/// Every law holds, and nothing more is to be done.
inline void ExpectLawful(World* world) {
  EXPECT_EQ(Lines(world->violations()), "");
  EXPECT_EQ(Lines(world->Unconverged()), "");
  EXPECT_EQ(Lines(world->Rest(absl::Minutes(2))), "") << "the last steps:\n"
                                                      << absl::StrJoin(world->trace(), "\n");
}

}  // namespace xebec::watcher::testing
