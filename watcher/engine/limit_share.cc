// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/limit_share.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {

uint32_t LimitShare::Of(uint32_t limit, absl::Duration at) const {
  uint32_t buckets = 0;
  for (const Step& step : steps) {
    if (step.from <= at) buckets = step.buckets;
  }
  const auto share = static_cast<uint32_t>(uint64_t{limit} * buckets / count);
  return std::min(limit, std::max(1u, share));
}

absl::Duration LimitShare::NextStep(absl::Duration at) const {
  for (const Step& step : steps) {
    if (step.from > at) return step.from;
  }
  return absl::InfiniteDuration();
}

LimitShare MakeLimitShare(uint32_t count, std::vector<absl::Duration> counts_from) {
  std::sort(counts_from.begin(), counts_from.end());
  LimitShare share{count, {{-absl::InfiniteDuration(), 0}}};
  for (const absl::Duration from : counts_from) {
    const uint32_t buckets = share.steps.back().buckets + 1;
    if (share.steps.back().from < from) share.steps.push_back({from, 0});
    share.steps.back().buckets = buckets;
  }
  return share;
}

}  // namespace xebec::watcher
