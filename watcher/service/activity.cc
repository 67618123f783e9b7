// SPDX-License-Identifier: Apache-2.0
#include "watcher/service/activity.h"

#include <utility>
#include <vector>

namespace xebec::watcher {
namespace {

constexpr size_t kMaxBacklog = 1024;

}  // namespace

std::optional<Activity> ActivityFeed::Subscription::Next(absl::Duration timeout) {
  MutexLock lock(&mu_);
  if (queue_.empty()) added_.WaitFor(&mu_, timeout);
  if (queue_.empty()) return {};
  Activity first = std::move(queue_.front());
  queue_.pop_front();
  return first;
}

void ActivityFeed::Subscription::Add(const Activity& activity) {
  MutexLock lock(&mu_);
  if (queue_.size() == kMaxBacklog) queue_.pop_front();
  queue_.push_back(activity);
  added_.NotifyOne();
}

void ActivityFeed::Publish(const Activity& activity) {
  MutexLock lock(&mu_);
  std::erase_if(subscriptions_, [&](const std::weak_ptr<Subscription>& weak) {
    const std::shared_ptr<Subscription> subscription = weak.lock();
    if (subscription) subscription->Add(activity);
    return !subscription;
  });
}

std::shared_ptr<ActivityFeed::Subscription> ActivityFeed::Subscribe() {
  auto subscription = std::make_shared<Subscription>();
  MutexLock lock(&mu_);
  subscriptions_.push_back(subscription);
  return subscription;
}

}  // namespace xebec::watcher
