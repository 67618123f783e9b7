// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/time/time.h"
#include "common/model/object.h"
#include "common/model/resource.h"
#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/queue/work_queue.h"

namespace xebec::watcher {

/// What a cache must show before the key is planned again: a write or a deletion of its own.
struct Requirement {
  WatchId watch = 0;
  ObjectKey object;
  std::string uid;      ///< Of the object that was written or deleted; may be empty for writes.
  std::string version;  ///< Written: the resourceVersion returned. Empty: deleted.
  /// Written: the version that the cache had when this was registered. Deleted: a version that the
  /// object is known to have had; before it is reached, the object's absence says nothing. Empty:
  /// none.
  std::string baseline;
  std::string deleted_version;  ///< Deleted: that of the answer. Empty: the answer had none.
  ObjectBytes desired;          ///< The object that was applied; null for other writes.
  bool covered = false;         ///< Written as desired, by a plan that covers its writes.
  bool of_parent = false;       ///< A write of the parent: its absence is news enough.
  /// The number of lists of the watch that had begun when the write was known to be done: a later
  /// list shows the write, or the object is gone.
  uint64_t lists = 0;
  bool listed = false;   ///< A live list showed the object: it belongs in the cache.
  bool doubted = false;  ///< A list was requested because the cache lacks the object.
};
/// Compares content.
bool operator==(const Requirement& a, const Requirement& b);

enum class GateState {
  kOpen,
  kWaiting,
  kLost,  ///< The watermark has passed the write, and the cache does not show it.
};

/// Whether `reflector`'s cache meets `requirement`. A kind that cannot be watched at the moment
/// delays no key.
GateState CheckRequirement(const Requirement& requirement, const Reflector& reflector);

/// True when an object that was applied as `desired` belongs into the cache of `spec`: labels match
/// the selector, and the controller is `parent_uid` or the parent label is set where unrelated
/// objects, or those of other buckets, are not kept. False where that cannot be told.
bool BelongsInCache(const std::string& desired, const ResourceSpec& spec,
                    const std::string& parent_uid);

/// What checks of a gate found, for the caller to act on.
struct GateFindings {
  /// A write that the cache should show and does not: the watch may have lost an event.
  struct Missing {
    WatchId watch = 0;
    ObjectRef object;
    std::string version;  ///< Empty for a deletion.
  };
  /// The caller must doubt these watches (CacheSet::Doubt): each watch once.
  std::vector<Missing> missing;
  /// Written objects that came and went unseen: the key must be planned again.
  std::vector<ObjectRef> vanished;
};

/// The cache-sync gate of one key: what the caches must show before the key is planned again. A
/// value; it only reads the caches and reports what it finds.
class CacheGate {
 public:
  /// What the checks read.
  struct View {
    const CacheSet& cache;
    const Uid& parent_uid;
    absl::Duration now;  ///< Monotonic.
  };

  void Require(Requirement requirement) { requirements_.push_back(std::move(requirement)); }
  /// Drops the requirements that the caches meet. True when none is left.
  bool Check(const View& view, GateFindings* findings);
  /// After a time-out: a deletion that the cache does not show counts as missing, unless the cache
  /// lags behind the answer's version. True when no requirement is left.
  bool DoubtDeletions(const View& view, GateFindings* findings);
  /// Reports every watch with an unmet requirement as missing, for a gate that has been closed for
  /// long: the watch may have stalled.
  void DoubtAll(const View& view, GateFindings* findings) const;

  /// True if the caches must show this write, and the plan that wrote it covers it.
  bool Covers(const ObjectVersion& write) const;

  const std::vector<Requirement>& requirements() const { return requirements_; }

  bool operator==(const CacheGate&) const = default;

 private:
  static bool Meets(const View& view, Requirement* requirement, GateFindings* findings);
  static bool Doubt(const View& view, Requirement* requirement, GateFindings* findings);

  std::vector<Requirement> requirements_;
};

/// Keys that wait for watermarks of watches. Outdated entries are harmless: waking a key only makes
/// it check its gate. A value.
class WatermarkWaits {
 public:
  /// The key waits for the versions that the gate requires of its watches.
  void Add(const CacheGate& gate, KeyId key);
  /// Removes and returns the keys that waited for `watermark` of the watch or less.
  std::vector<KeyId> Passed(WatchId watch, const std::string& watermark);

  bool operator==(const WatermarkWaits&) const = default;

 private:
  using Version = std::pair<size_t, std::string>;  // the order of comparable versions
  std::map<WatchId, absl::btree_set<std::pair<Version, KeyId>>> waits_;
};

}  // namespace xebec::watcher
