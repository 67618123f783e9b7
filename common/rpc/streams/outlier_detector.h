// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"

namespace xebec::rpc {

struct OutlierOptions {
  uint32_t consecutive_failures = 5;                ///< In a row, before a peer is ejected.
  absl::Duration base_ejection = absl::Seconds(5);  ///< The first ejection; grows by this.
  absl::Duration max_ejection = absl::Minutes(5);
};

/// Finds the peers that fail all requests at once, in the way of Envoy's outlier detection: after
/// some failures in a row a peer is ejected, for a time that grows with every ejection. Then it is
/// probed: one failure ejects it again, one success makes it healthy. A value without threads,
/// clocks or sockets. All times are monotonic.
class OutlierDetector {
 public:
  enum class State { kHealthy, kEjected, kProbed };
  /// What an event changed.
  enum class Change { kNone, kEjected, kRestored };

  explicit OutlierDetector(const OutlierOptions& options) : options_(options) {}

  /// The peer failed a request, or answered one. `may_eject` is false when no other peer could take
  /// its work. Events of an ejected peer do not count: they answer earlier requests.
  Change OnFailure(const std::string& peer, bool may_eject, absl::Duration now);
  Change OnSuccess(const std::string& peer, absl::Duration now);

  /// Starts the probing of peers whose ejection is over, and forgets peers without events.
  void Advance(absl::Duration now);
  /// The end of the first ejection; InfiniteDuration when no peer is ejected.
  absl::Duration NextChange() const;

  /// kHealthy for peers without events.
  State StateOf(const std::string& peer) const;

 private:
  struct Peer {
    State state = State::kHealthy;
    uint32_t failures = 0;   ///< In a row.
    uint32_t ejections = 0;  ///< Less one for each base_ejection of health.
    absl::Duration ejected_until;
    absl::Duration healthy_since;
    absl::Duration last_event;
  };

  OutlierOptions options_;
  std::map<std::string, Peer> peers_;
};

}  // namespace xebec::rpc
