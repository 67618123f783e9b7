// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "absl/time/time.h"
#include "watcher/engine/cache/store/object_table.h"

namespace xebec::watcher {

/// Frees large tables in steps, between which other inputs get their turn: to free a million
/// objects takes too long for one step. A value.
class DiscardedObjects {
 public:
  /// Frees the objects: at most `limit` at once, more in steps from `now` on.
  void Add(ObjectTable objects, size_t limit, absl::Duration now);
  /// Frees up to `limit` objects.
  void Step(size_t limit, absl::Duration now);
  /// When the next step is due; InfiniteDuration for never.
  absl::Duration due() const { return due_; }

  bool operator==(const DiscardedObjects&) const = default;

 private:
  std::vector<ObjectTable> tables_;
  Slot next_ = 0;  // of the last table
  absl::Duration due_ = absl::InfiniteDuration();
};

}  // namespace xebec::watcher
