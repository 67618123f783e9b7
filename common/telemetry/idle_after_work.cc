// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/idle_after_work.h"

#include <utility>

namespace xebec::telemetry {

bool IdleAfterWork::OnPeriod(absl::Duration cpu) {
  const absl::Duration used = cpu - std::exchange(cpu_, cpu);
  if (used <= kIdle) return std::exchange(worked_, false);
  worked_ = true;
  return false;
}

}  // namespace xebec::telemetry
