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

/// Something that the watcher did.
struct Activity {
  absl::Time time;
  std::optional<ObjectRef> ref;
  std::string what;
  std::string detail;
};

/// Hands what happens to whoever listens. Thread-safe; a listener that does not keep up loses the
/// oldest.
class ActivityFeed {
 public:
  /// One listener's bounded queue.
  class Subscription {
   public:
    /// The next activity, waiting at most `timeout`; nullopt after a time-out.
    std::optional<Activity> Next(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mu_);

   private:
    friend class ActivityFeed;
    void Add(const Activity& activity) ABSL_LOCKS_EXCLUDED(mu_);

    Mutex mu_;
    CondVar added_;
    std::deque<Activity> queue_ ABSL_GUARDED_BY(mu_);
  };

  void Publish(const Activity& activity) ABSL_LOCKS_EXCLUDED(mu_);
  /// Listens until the subscription is destroyed.
  std::shared_ptr<Subscription> Subscribe() ABSL_LOCKS_EXCLUDED(mu_);

 private:
  Mutex mu_;
  std::vector<std::weak_ptr<Subscription>> subscriptions_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::watcher
