// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/cache/cached_controllers.h"
#include "watcher/engine/cache/changes.h"
#include "watcher/engine/cache/watches/watch_pool.h"
#include "watcher/engine/cache_freshness.h"

namespace xebec::watcher {

/// Which caches are complete enough to make plans from, of each watch and of each controller. It is
/// kept rather than computed, because it is asked for at every step. Times are monotonic. A value.
class Readiness {
 public:
  /// The controllers, the watches or what they have to hold have changed. `needed`: the resources
  /// that the current planner revision needs; each is watched. Adds BucketsReady to `changes`.
  void Update(const CachedControllers& controllers, const WatchPool& watches,
              const std::vector<ResourceSpec>& needed, std::vector<Changed>* changes);
  /// The same; the needs are those of the last Update.
  void Review(const CachedControllers& controllers, const WatchPool& watches,
              std::vector<Changed>* changes);
  /// One watch was touched. Returns true if it is good for more or less than before.
  bool Notice(WatchId watch, const CachedControllers& controllers, const WatchPool& watches,
              std::vector<Changed>* changes);

  /// Returns true if plans can be made from the cache of the watch, of the buckets that it holds.
  bool Ready(WatchId watch) const { return watches_[watch].status.ready; }
  /// Returns true if all that the controller's plans rest on is ready, or known to be out of reach:
  /// for some bucket, as of some time.
  bool ControllerReady(ControllerId controller) const { return controllers_[controller].ready; }
  /// The same for the plans of a bucket, and the caches are as fresh as these plans require.
  bool Ready(ControllerId controller, uint32_t bucket, const CacheFreshness& freshness) const;

  /// Returns those of the buckets that all controllers can be planned in, as of some time; none
  /// while something is still being listed for the first time. Controllers that could not be
  /// planned with any bucket do not count: their parents cannot be read, or their lists keep
  /// failing.
  BucketSet Kept(BucketSet buckets, const CachedControllers& controllers) const;

  bool operator==(const Readiness&) const = default;

 private:
  /// What a watch is good for.
  struct Status {
    bool ready = false;
    Availability availability = Availability::kPending;
    bool failing = false;
    bool widening = false;
    kube::BucketFilter held = {};
    absl::Duration fresh_since = -absl::InfiniteDuration();
    absl::Duration seen_since = -absl::InfiniteDuration();
    bool operator==(const Status&) const = default;
  };
  struct Watch {
    std::optional<ResourceSpec> needed = {};
    Status status = {};  // when last looked
    bool operator==(const Watch&) const = default;
  };
  /// What all caches of a controller have in common.
  struct Common {
    bool ready = false;
    bool hopeless = false;  // not ready, and nothing should wait until it is
    kube::BucketFilter held = {};
    absl::Duration fresh_since = absl::InfiniteDuration();
    absl::Duration seen_since = absl::InfiniteDuration();
    bool operator==(const Common&) const = default;
  };

  Status StatusOf(WatchId watch, const WatchPool& watches) const;
  bool Add(const WatchSet& set, Common* common) const;
  Common CommonOf(const CachedController& controller) const;
  void ReviewOne(ControllerId id, const CachedControllers& controllers,
                 std::vector<Changed>* changes);

  std::vector<Watch> watches_;       // by WatchId
  std::vector<Common> controllers_;  // by ControllerId
};

}  // namespace xebec::watcher
