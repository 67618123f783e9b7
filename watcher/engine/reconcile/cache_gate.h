// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_set.h"
#include "absl/time/time.h"
#include "common/model/object.h"
#include "watcher/engine/cache/reflector.h"
#include "watcher/engine/queue/wanted_names.h"

namespace xebec::watcher {

/// What a cache must show before the key is planned again (design §3.3): an own write or an own
/// deletion.
struct Requirement {
  WatchId watch = 0;
  ObjectKey object;
  std::string uid;      ///< Of the object that was written or deleted; may be empty for writes.
  std::string version;  ///< Written: the resourceVersion returned. Empty: deleted.
  /// Written: the version that the cache had when this was registered. Deleted: a version that the
  /// object is known to have had; before it is reached, the object's absence says nothing. Empty:
  /// none.
  std::string baseline;
  ObjectBytes desired;     ///< What was applied; null for other writes.
  bool of_parent = false;  ///< A write of the parent: its absence is news enough.
  /// Lists of the watch begun when the write was known to be done: one begun later shows it, or it
  /// is gone.
  uint64_t lists = 0;
  bool listed = false;     ///< A live list showed it: it belongs in the cache.
  bool suspected = false;  ///< A list was asked for because the cache lacks it.
};
/// Compares content.
bool operator==(const Requirement& a, const Requirement& b);

enum class GateState {
  kOpen,
  kWaiting,
  kLost,  ///< The watermark has passed the write, and the cache does not show it.
};

/// Whether `reflector`'s cache meets `requirement`. A kind that cannot be watched at the moment
/// holds nobody up.
GateState CheckGate(const Requirement& requirement, const Reflector& reflector);

/// True when an object that was applied as `desired` belongs into the cache of `spec`: labels match
/// the selector, and the controller is `parent_uid` or the parent label is set where unrelated
/// objects are not kept. False where that cannot be told.
bool BelongsInCache(const std::string& desired, const ResourceSpec& spec,
                    const std::string& parent_uid);

/// Keys that wait for a watermark, per watch. Stale entries are harmless: waking is only an
/// invitation to check. A value.
class WatermarkWaits {
 public:
  void Add(const std::string& version, KeyId key) {
    waits_.insert({{version.size(), version}, key});
  }
  /// Removes and returns the keys that waited for `watermark` or less.
  std::vector<KeyId> Passed(const std::string& watermark);

  bool operator==(const WatermarkWaits&) const = default;

 private:
  using Version = std::pair<size_t, std::string>;  // the order of comparable versions
  absl::btree_set<std::pair<Version, KeyId>> waits_;
};

}  // namespace xebec::watcher
