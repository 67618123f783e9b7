// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/time/time.h"

namespace xebec::rpc {

/// Keeps a source that says the same again and again from filling the log: each may say kLines
/// within kInterval. A value; `now` is monotonic.
class LogRation {
 public:
  static constexpr uint64_t kLines = 5;
  static constexpr absl::Duration kInterval = absl::Minutes(1);

  /// nullopt: leave this line out. Else how many of the source were left out since the last one
  /// that was let through. `source` comes from a bounded set, such as places in source code.
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
