// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <set>

#include "watcher/engine/cache/store/object_table.h"

namespace xebec::watcher {

/// The names that were added last, up to kMost of them. A value.
class RecentNames {
 public:
  static constexpr size_t kMost = 1024;

  void Add(const ObjectKey& name) {
    if (!names_.insert(name).second) return;
    order_.push_back(name);
    if (order_.size() <= kMost) return;
    names_.erase(order_.front());
    order_.pop_front();
  }
  /// The oldest one first.
  const std::deque<ObjectKey>& all() const { return order_; }
  bool Contains(const ObjectKey& name) const { return names_.contains(name); }

  bool operator==(const RecentNames&) const = default;

 private:
  std::set<ObjectKey> names_;
  std::deque<ObjectKey> order_;  // the oldest one first
};

}  // namespace xebec::watcher
