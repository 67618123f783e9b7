// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/reflector/watch_run.h"

#include <cstdint>

#include "watcher/engine/backoff.h"

namespace xebec::watcher {
namespace {

// An end that much before the time that was asked for is early.
constexpr absl::Duration kEarly = absl::Seconds(2);
constexpr absl::Duration kAtOnce = absl::Seconds(1);
constexpr absl::Duration kHealthyWatch = absl::Seconds(10);

}  // namespace

WatchRun::End WatchRun::EndsAt(absl::Duration now) const {
  if (!heard_ && now - began_ < kAtOnce) return End::kAtOnce;
  return now - began_ + kEarly < timeout_ ? End::kEarly : End::kInTime;
}

bool WatchRun::Healthy(absl::Duration now) const { return heard_ && now - began_ >= kHealthyWatch; }

absl::Duration WatchTimeout(const ResourceSpec& spec, const ReflectorPolicy& policy,
                            StreamId stream) {
  constexpr uint64_t kParts = 1024;
  const uint64_t part = Seed(spec.type.plural + "/" + spec.ns, policy.seed + stream) % kParts;
  const int64_t least = 7 * kParts, spread = 3;  // of ten
  return policy.watch_timeout * static_cast<int64_t>(least + spread * static_cast<int64_t>(part)) /
         static_cast<int64_t>(10 * kParts);
}

}  // namespace xebec::watcher
