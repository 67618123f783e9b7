// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "watcher/engine/cache/revisions/topology.h"
#include "watcher/engine/cache/watches/watch_pool.h"

namespace xebec::watcher {

/// Returns true if nothing that `next` needs is still being listed. What cannot be read, or cannot
/// be watched beside the present resources, does not count.
bool IsWatched(const Topology& next, const WatchPool& watches);

/// Decides when the next planner revision takes over: once everything that it needs is watched. A
/// resource that cannot be listed delays it for a minute only; then it stops its own controllers
/// alone. Times are monotonic. A value.
class RevisionMove {
 public:
  /// The resources to watch have changed. `waits`: there is a next revision.
  void Begin(bool waits, absl::Duration now);
  /// The answer of `is_watched` may be another one.
  void Notice() { check_ = true; }
  /// Returns true if the next revision must take over. Calls `is_watched` only if its answer may be
  /// another one than before.
  bool Due(absl::Duration now, absl::FunctionRef<bool()> is_watched);
  /// When the next revision takes over in any case; InfiniteDuration if there is none.
  absl::Duration deadline() const { return deadline_; }

  bool operator==(const RevisionMove&) const = default;

 private:
  absl::Duration deadline_ = absl::InfiniteDuration();
  bool check_ = false;
};

}  // namespace xebec::watcher
