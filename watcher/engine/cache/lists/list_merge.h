// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "common/kube/watch_event.h"
#include "watcher/engine/cache/store/object_store.h"
#include "watcher/engine/cache/store/removals.h"

namespace xebec::watcher {

/// A list that was read to its end.
struct CompleteList {
  uint64_t number = 0;
  absl::Duration began;
  std::string version;
  Snapshot news;  ///< The objects that the store did not have in this version.
  /// Set if it contains only the objects that this keeps, and says nothing of those that it lacks.
  std::optional<kube::BucketFilter> part = {};

  bool operator==(const CompleteList&) const = default;
};

/// A complete list on its way into the store. First its news are merged, then the store is swept:
/// objects that the list lacks are deleted. A large list takes several steps, between which events
/// may change the store. A value.
class ListMerge {
 public:
  /// `now` is the current time (monotonic).
  ListMerge(CompleteList list, absl::Duration now) : list_(std::move(list)), due_(now) {}

  /// What may be stored, and what the list shows if it is there.
  struct Scope {
    KeepRule keep;
    KeepRule shown;
  };
  /// Merges up to `limit` news, or sweeps up to 4·`limit` objects. A small list takes one step.
  /// Returns true when the list is taken over. No other step may follow.
  bool Step(uint32_t limit, absl::Duration now, const Scope& scope, ObjectStore* store,
            StoreChanges* changes);
  /// An event removed the object: older news of it do not count.
  void OnRemoved(const kube::ObjectHeader& header) { EraseRemoved(header, &list_.news); }

  /// Ends the merge. Returns the news that are not merged.
  Snapshot Drop() && { return std::move(list_.news); }

  /// When the next step is due.
  absl::Duration due() const { return due_; }
  uint64_t number() const { return list_.number; }
  absl::Duration began() const { return list_.began; }
  const std::string& version() const { return list_.version; }
  bool part() const { return list_.part.has_value(); }

  bool operator==(const ListMerge&) const = default;

 private:
  CompleteList list_;
  bool sweeps_ = false;  // the news are merged
  Slot next_ = 0;        // of the news, or of the store
  absl::Duration due_;
};

}  // namespace xebec::watcher
