// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/activity.h"

#include <utility>

namespace xebec::watcher {

void ActivityFeed::Publish(const Activity& activity) {
  MutexLock lock(&mu_);
  std::erase_if(subscribers_, [&](const std::weak_ptr<ActivitySubscriber>& weak) {
    const std::shared_ptr<ActivitySubscriber> subscriber = weak.lock();
    if (subscriber) subscriber->OnActivity(activity);
    return !subscriber;
  });
}

void ActivityFeed::Subscribe(std::weak_ptr<ActivitySubscriber> subscriber) {
  MutexLock lock(&mu_);
  subscribers_.push_back(std::move(subscriber));
}

}  // namespace xebec::watcher
