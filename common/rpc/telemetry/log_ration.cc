// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/telemetry/log_ration.h"

#include <utility>

namespace xebec::rpc {

std::optional<uint64_t> LogRation::Take(const std::string& source, absl::Duration now) {
  Source& known = sources_.try_emplace(source, Source{now}).first->second;
  if (now - known.since >= kInterval) {
    known.since = now;
    known.lines = 0;
  }
  if (known.lines++ < kLines) return std::exchange(known.left_out, 0);
  ++known.left_out;
  return std::nullopt;
}

}  // namespace xebec::rpc
