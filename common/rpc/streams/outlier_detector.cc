// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/outlier_detector.h"

#include <algorithm>

namespace xebec::rpc {

OutlierDetector::Change OutlierDetector::OnFailure(const std::string& peer, bool may_eject,
                                                   absl::Duration now) {
  Peer& p = peers_[peer];
  p.last_event = now;
  if (p.state == State::kEjected) return Change::kNone;
  p.failures = std::min(p.failures + 1, options_.consecutive_failures);
  p.healthy_since = now;
  const bool enough = p.state == State::kProbed || p.failures >= options_.consecutive_failures;
  if (!enough || !may_eject) return Change::kNone;
  p.state = State::kEjected;
  p.failures = 0;
  ++p.ejections;
  p.ejected_until = now + std::min(options_.base_ejection * p.ejections, options_.max_ejection);
  return Change::kEjected;
}

OutlierDetector::Change OutlierDetector::OnSuccess(const std::string& peer, absl::Duration now) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return Change::kNone;
  Peer& p = found->second;
  p.last_event = now;
  if (p.state == State::kEjected) return Change::kNone;
  p.failures = 0;
  if (p.state == State::kProbed) {
    p.state = State::kHealthy;
    p.healthy_since = now;
    return Change::kRestored;
  }
  if (p.ejections > 0 && now - p.healthy_since >= options_.base_ejection) {
    --p.ejections;
    p.healthy_since = now;
  }
  if (p.ejections == 0) peers_.erase(found);
  return Change::kNone;
}

void OutlierDetector::Advance(absl::Duration now) {
  for (auto& [peer, p] : peers_) {
    if (p.state == State::kEjected && p.ejected_until <= now) p.state = State::kProbed;
  }
  std::erase_if(peers_, [&](const auto& entry) {
    return entry.second.state != State::kEjected &&
           entry.second.last_event + 2 * options_.max_ejection <= now;
  });
}

absl::Duration OutlierDetector::NextChange() const {
  absl::Duration next = absl::InfiniteDuration();
  for (const auto& [peer, p] : peers_) {
    if (p.state == State::kEjected) next = std::min(next, p.ejected_until);
  }
  return next;
}

OutlierDetector::State OutlierDetector::StateOf(const std::string& peer) const {
  const auto found = peers_.find(peer);
  return found == peers_.end() ? State::kHealthy : found->second.state;
}

}  // namespace xebec::rpc
