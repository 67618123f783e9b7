// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/revisions/revision_move.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {
namespace {

constexpr absl::Duration kMoveAnyway = absl::Minutes(1);

}  // namespace

bool IsWatched(const Topology& next, const WatchPool& watches) {
  return std::all_of(
      next.resources.begin(), next.resources.end(), [&watches](const ResourceSpec& spec) {
        const WatchId* watch = watches.Find(spec.type, spec.ns);
        if (watch == nullptr) return true;  // it comes after the move
        const Reflector& reflector = watches.reflector(*watch);
        if (reflector.availability() == Availability::kUnavailable) return true;
        return reflector.availability() == Availability::kReady &&
               (!reflector.cache().scope().active() || CoversInBucket(reflector.spec(), spec));
      });
}

void RevisionMove::Begin(bool waits, absl::Duration now) {
  check_ = true;
  if (!waits) {
    deadline_ = absl::InfiniteDuration();
  } else if (deadline_ == absl::InfiniteDuration()) {
    deadline_ = now + kMoveAnyway;
  }
}

bool RevisionMove::Due(absl::Duration now, absl::FunctionRef<bool()> is_watched) {
  if (now >= deadline_) return true;
  return std::exchange(check_, false) && is_watched();
}

}  // namespace xebec::watcher
