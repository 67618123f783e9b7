// SPDX-License-Identifier: Apache-2.0
#include "common/rpc/streams/peer_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace xebec::rpc {

void StreamConnection::Spoke(absl::Duration now) {
  unanswered_since = std::min(unanswered_since, now);
}

bool StreamConnection::Drain(absl::Duration now, absl::Duration timeout) {
  if (draining) return false;
  draining = true;
  drain_at = absl::InfiniteDuration();
  give_up_at = now + timeout;
  return true;
}

std::string StreamConnection::Failure(absl::Duration now, absl::Duration peer_timeout) const {
  if (!cancelled.empty()) return "";
  if (now >= unanswered_since + peer_timeout) {
    return absl::StrCat("no message from the peer for ", absl::FormatDuration(peer_timeout));
  }
  return now >= give_up_at ? "the stream did not drain in time" : "";
}

absl::Duration StreamConnection::NextCheck(absl::Duration peer_timeout) const {
  if (!cancelled.empty()) return absl::InfiniteDuration();
  return std::min({drain_at, give_up_at, unanswered_since + peer_timeout});
}

void PeerStream::Connect(StreamId id, const StreamOptions& options, absl::Duration now) {
  connection_.emplace();
  connection_->id = id;
  connection_->unanswered_since = now;
  connection_->drain_at = now + options.max_age * Jitter(0.9, 1.1);
}

void PeerStream::Disconnect(const StreamOptions& options, absl::Duration now) {
  const absl::Duration up =
      connection_->up_since ? now - *connection_->up_since : absl::ZeroDuration();
  connection_.reset();
  connect_at_ = now;
  failures_ = up >= options.backoff_max ? 0 : std::min(failures_ + 1, 30);
  if (failures_ == 0) return;
  const absl::Duration pause = options.backoff_min * static_cast<double>(1u << (failures_ - 1));
  connect_at_ += std::min(pause, options.backoff_max) * Jitter(0.75, 1.25);
}

bool PeerStream::Repeats(const std::string& error) {
  const bool again = error == last_error_;
  last_error_ = error;
  return again;
}

double PeerStream::Jitter(double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random_);
}

}  // namespace xebec::rpc
