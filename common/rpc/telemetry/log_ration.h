// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace xebec::rpc {

/// Limits repeated log messages: each source may write kLines within kInterval. A value; `now` is
/// monotonic.
class LogRation {
 public:
  static constexpr uint64_t kLines = 5;
  static constexpr absl::Duration kInterval = absl::Minutes(1);

  /// Returns nullopt if the line must be dropped; otherwise the number of lines of the source that
  /// were dropped since its last line. `source` must come from a bounded set, such as places in
  /// source code.
  std::optional<uint64_t> Take(const std::string& source, absl::Duration now);

 private:
  struct Source {
    absl::Duration since;
    uint64_t lines = 0;
    uint64_t left_out = 0;
  };
  std::map<std::string, Source> sources_;
};

}  // namespace xebec::rpc
