// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// Gets the activities that are published. Runs on the publisher's thread and must not block.
class ActivitySubscriber {
 public:
  virtual ~ActivitySubscriber() = default;
  virtual void OnActivity(const Activity& activity) = 0;
};

/// Publishes activities to subscribers. Thread-safe.
class ActivityFeed {
 public:
  void Publish(const Activity& activity) ABSL_LOCKS_EXCLUDED(mu_);
  /// The subscription ends when the subscriber is destroyed.
  void Subscribe(std::weak_ptr<ActivitySubscriber> subscriber) ABSL_LOCKS_EXCLUDED(mu_);

 private:
  Mutex mu_;
  std::vector<std::weak_ptr<ActivitySubscriber>> subscribers_ ABSL_GUARDED_BY(mu_);
};

}  // namespace xebec::watcher
