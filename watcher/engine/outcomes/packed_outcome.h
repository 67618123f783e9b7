// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "common/model/report.h"

namespace xebec::watcher {

/// An outcome that uses little memory. The watcher keeps one for each child. A value.
class PackedOutcome {
 public:
  explicit PackedOutcome(const Outcome& outcome);

  /// Returns the outcome that the constructor got.
  Outcome Unpack() const;

  OutcomeCode code() const { return code_; }
  Certainty certainty() const { return certainty_; }
  absl::Time at() const { return at_; }

  bool operator==(const PackedOutcome&) const = default;

 private:
  std::string texts_;  // each text after its length
  absl::Time at_;
  uint32_t repeats_;
  int16_t http_status_;
  OutcomeCode code_;
  Certainty certainty_;
  bool terminating_;
  bool cluster_scoped_;
};

}  // namespace xebec::watcher
