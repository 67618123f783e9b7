// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "applier/engine/admission/fence.h"

namespace xebec::applier {

/// Limits the number of plans that each stream has at the applier. Further plans wait in the
/// watcher. A plan uses a credit until its report. A stream begins with a few credits and gets one
/// more with every plan that it sends, up to its limit. Busy watchers share the credits that idle
/// watchers do not use, in equal parts. A value.
class StreamCredits {
 public:
  /// New credits of a stream.
  using Grant = std::pair<StreamKey, uint32_t>;
  /// The credits that the end of a plan makes available.
  struct Ended {
    bool returned = true;       ///< The stream gets its credit back.
    std::vector<Grant> grants;  ///< Another stream gets it.
  };

  /// The credits that a stream begins with.
  static constexpr uint32_t kFirst = 8;

  /// At most `per_stream` credits for one stream and `total` for all. Each stream gets at least
  /// one.
  StreamCredits(uint32_t per_stream, uint32_t total) : per_stream_(per_stream), total_(total) {}

  std::vector<Grant> Open(StreamKey stream);
  /// True between Open and Close.
  bool IsOpen(StreamKey stream) const { return streams_.contains(stream); }
  /// The stream sent a plan.
  std::vector<Grant> Use(StreamKey stream);
  /// A plan of the stream ended. If another stream has less than its share and needs more, it gets
  /// the credit of a stream that has more. If half of the credits are given, a stream that becomes
  /// idle keeps only those that it began with.
  Ended End(StreamKey stream);
  /// The stream has ended. Streams that got less than their first credits get them now.
  std::vector<Grant> Close(StreamKey stream);

  /// The credits of all streams.
  uint32_t granted() const { return granted_; }

 private:
  struct Stream {
    uint32_t credits = 0;
    uint32_t plans = 0;       // at the applier
    bool needs_more = false;  // it used a credit when there was none left to give
  };

  uint32_t Give(Stream* stream, uint32_t wanted);
  uint32_t Share() const;
  bool Idle(const Stream& stream) const;

  uint32_t per_stream_, total_;
  uint32_t granted_ = 0;
  std::map<StreamKey, Stream> streams_;
};

}  // namespace xebec::applier
