// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/time/time.h"

namespace xebec::rpc {

struct OutlierOptions {
  uint32_t consecutive_failures = 5;  ///< Failures in a row that eject a peer.
  /// Duration of the first ejection; each further one is longer by this.
  absl::Duration base_ejection = absl::Seconds(5);
  absl::Duration max_ejection = absl::Minutes(5);
};

/// Finds peers that fail all requests, like Envoy's outlier detection. After some failures in a
/// row, a peer is ejected for a time that grows with every ejection. Then it is probed: one failure
/// ejects it again, one success makes it healthy. A value without threads, clocks or sockets. All
/// times are monotonic.
class OutlierDetector {
 public:
  enum class State { kHealthy, kEjected, kProbed };
  /// The effect of an event.
  enum class Change { kNone, kEjected, kRestored };

  explicit OutlierDetector(const OutlierOptions& options) : options_(options) {}

  /// Record that the peer failed or answered a request. `may_eject` is false if no other peer could
  /// take over its work. Events of an ejected peer do not count, because they belong to earlier
  /// requests.
  Change OnFailure(const std::string& peer, bool may_eject, absl::Duration now);
  Change OnSuccess(const std::string& peer, absl::Duration now);

  /// Starts to probe peers whose ejection is over, and removes peers without recent events.
  void Advance(absl::Duration now);
  /// Returns the earliest end of an ejection; InfiniteDuration if no peer is ejected.
  absl::Duration NextChange() const;

  /// Returns the state of a peer; kHealthy for an unknown peer.
  State StateOf(const std::string& peer) const;

 private:
  struct Peer {
    State state = State::kHealthy;
    uint32_t failures = 0;   ///< In a row.
    uint32_t ejections = 0;  ///< Decreases by one for each base_ejection of health.
    absl::Duration ejected_until;
    absl::Duration healthy_since;
    absl::Duration last_event;
  };

  OutlierOptions options_;
  std::map<std::string, Peer> peers_;
};

}  // namespace xebec::rpc
