// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/model/bucket.h"
#include "watcher/engine/leadership/members.h"
#include "watcher/engine/leadership/terms.h"

namespace xebec::watcher {

/// Which buckets this watcher still plans although another one should hold them: those whose
/// objects the caches of the other one do not hold yet (MemberFacts::kept), because nobody would
/// plan them while it lists the objects. A watcher that leaves plans all its buckets until each of
/// them can go, but no bucket longer than the limit. No watcher waits for one that does not tell
/// what it keeps. A value; times are monotonic.
class BucketMoves {
 public:
  BucketMoves(std::string identity, uint32_t buckets, absl::Duration limit)
      : identity_(std::move(identity)), limit_(limit), waiting_(buckets) {}

  /// The Leases may have changed, or NextDeadline has come. `targets`: by bucket, the watcher that
  /// should hold it. `leaving`: this watcher leaves.
  void Review(const Terms& terms, const std::vector<std::string>& targets, const Members& members,
              bool leaving, absl::Duration now);
  /// The buckets that are not to be handed over yet.
  const BucketSet& waiting() const { return waiting_; }
  /// Returns true once this watcher leaves and waits for nobody any more.
  bool ended() const { return ended_; }
  /// InfiniteDuration for never.
  absl::Duration NextDeadline() const { return due_; }

  bool operator==(const BucketMoves&) const = default;

 private:
  std::string identity_;
  absl::Duration limit_;
  std::optional<absl::Duration> leaves_since_;
  BucketSet waiting_;
  absl::Duration due_ = absl::InfiniteDuration();
  bool ended_ = false;
};

}  // namespace xebec::watcher
