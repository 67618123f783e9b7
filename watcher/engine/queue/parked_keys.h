// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "watcher/engine/queue/work_queue.h"

namespace xebec::watcher {

/// The keys that were taken from the queue although their bucket could not be planned. They are
/// queued again once it can. Keys may be added and removed between the parts of a check. A value.
class ParkedKeys {
 public:
  struct Key {
    KeyId key = 0;
    Priority priority = Priority::kBackground;  ///< It is queued again with this priority.

    bool operator==(const Key&) const = default;
  };

  /// A key that is here already keeps the higher priority.
  void Add(const Key& parked);
  void Remove(KeyId key) { keys_.erase(key); }
  /// More buckets may be planned than before: TakeSome checks all keys, from the first one on.
  void Check() { next_ = 0; }
  /// Returns true if TakeSome has keys to check.
  bool checking() const { return next_.has_value(); }
  /// Checks up to `limit` keys. Removes and returns those for which `may_start` returns true.
  std::vector<Key> TakeSome(size_t limit, absl::FunctionRef<bool(KeyId)> may_start);

  bool operator==(const ParkedKeys&) const = default;

 private:
  std::map<KeyId, Priority> keys_;
  std::optional<KeyId> next_;  // the keys from here on remain to be checked
};

}  // namespace xebec::watcher
