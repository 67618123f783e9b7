// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"
#include "common/base/mutex.h"
#include "common/model/resource.h"

namespace xebec::watcher {

/// An action of the watcher.
struct Activity {
  absl::Time time;
  std::optional<ObjectRef> ref;
  std::string what;
  std::string detail;
};

/// Publishes activities to subscribers. Thread-safe. A subscriber that reads too slowly loses its
/// oldest activities.
class ActivityFeed {
 public:
  /// The bounded queue of one subscriber.
  class Subscription {
   public:
    /// Returns the next activity, or nullopt if none arrives within `timeout`.
    std::optional<Activity> Next(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_);

   private:
    friend class ActivityFeed;
    void Add(const Activity& activity) ABSL_LOCKS_EXCLUDED(mu_);

    Mutex mu_;
    CondVar added_;
    std::deque<Activity> queue_ ABSL_GUARDED_BY(mu_);
  };

  void Publish(const Activity& activity) ABSL_LOCKS_EXCLUDED(mu_);
  /// Returns a subscription, which ends when it is destroyed.
  std::shared_ptr<Subscription> Subscribe() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  Mutex mu_;
  std::vector<std::weak_ptr<Subscription>> subscriptions_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::watcher
