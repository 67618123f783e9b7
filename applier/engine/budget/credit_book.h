// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "applier/engine/admission/fence.h"

namespace xebec::applier {

/// The number of plans that each stream may have at the applier. Plans wait in the watcher's queue,
/// not here. Sending a plan uses a credit; its report returns the credit. A value.
class CreditBook {
 public:
  /// New credits of a stream.
  using Grant = std::pair<StreamKey, uint32_t>;

  /// At most `per_stream` plans of one stream and `total` of all; every stream gets at least one.
  CreditBook(uint32_t per_stream, uint32_t total) : per_stream_(per_stream), total_(total) {}

  std::vector<Grant> Open(StreamKey stream);
  /// The stream is over; what it held goes to others that have less than they may.
  std::vector<Grant> Close(StreamKey stream);

  /// Plans that all streams together may have here.
  uint32_t granted() const { return granted_; }

 private:
  uint32_t Give(uint32_t has);

  uint32_t per_stream_, total_;
  uint32_t granted_ = 0;
  std::map<StreamKey, uint32_t> streams_;
};

}  // namespace xebec::applier
