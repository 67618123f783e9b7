// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/figures.h"

#include <algorithm>

namespace xebec::watcher {

void DurationHistogram::Add(absl::Duration duration) {
  const double seconds = std::max(0.0, absl::ToDoubleSeconds(duration));
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds);
  ++buckets[static_cast<size_t>(bucket - kBounds.begin())];
  ++count;
  sum_seconds += seconds;
}

}  // namespace xebec::watcher
