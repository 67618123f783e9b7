// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "common/kube/watch_event.h"

namespace xebec::kube::testing {

/// Decodes a watch line with the padding that DecodeWatchLine asks for.
inline absl::StatusOr<WatchEvent> DecodeLine(std::string line, const Projection& projection = {}) {
  const size_t size = line.size();
  line.append(kLinePadding, '\0');
  return DecodeWatchLine({line.data(), size}, projection);
}

}  // namespace xebec::kube::testing
