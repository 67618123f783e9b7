// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "watcher/engine/cache/cache_set.h"
#include "watcher/engine/queue/key_change.h"
#include "watcher/engine/queue/key_table.h"
#include "watcher/engine/slots/slab.h"

namespace xebec::watcher {

/// The keys of a controller must be planned again: only those of namespace `ns` unless it is empty,
/// only those of `buckets` if it is set, and only those whose last call of the hook failed if
/// `failed_hook`.
struct KeysOfController {
  ControllerId controller = 0;
  std::string ns;
  std::optional<BucketSet> buckets;
  std::string reason;
  Priority priority = Priority::kController;
  bool failed_hook = false;

  bool operator==(const KeysOfController&) const = default;
};

/// The keys of a controller must be compared with its cached parents: keys without a parent are
/// removed, and parents without a key get one.
struct ParentsOfController {
  ControllerId controller = 0;

  bool operator==(const ParentsOfController&) const = default;
};

/// Work on many keys that is done in small parts, so that no step of the engine takes long. Keys
/// may be added and removed between the parts. A value.
class KeySweeps {
 public:
  /// Does nothing if a sweep of the same keys waits already.
  void Add(KeysOfController keys);
  void Add(ParentsOfController parents);

  bool empty() const { return sweeps_.empty(); }
  /// Does the next part, which examines at most about `limit` keys. `buckets` is the number of
  /// buckets. Adds keys to `keys`; the caller applies the changes.
  std::vector<KeyChange> Next(size_t limit, uint32_t buckets, const CacheSet& cache,
                              KeyTable* keys);

  bool operator==(const KeySweeps&) const = default;

 private:
  struct Sweep {
    std::variant<KeysOfController, ParentsOfController> what;
    bool begun = false;
    ObjectKey after = {};   // the keys up to this one are done
    bool of_store = false;  // the keys are done; the stores of the parents are read
    size_t watch = 0;       // of the controller's parents
    Slot next = 0;          // of the watch's store
    bool operator==(const Sweep&) const = default;
  };
  struct Turn {
    size_t left;
    uint32_t buckets;
    const CacheSet& cache;
    KeyTable& keys;
    std::vector<KeyChange> changes = {};
  };

  // Each returns true when the sweep is over.
  static bool Advance(Sweep* sweep, const KeysOfController& what, Turn* turn);
  static bool Advance(Sweep* sweep, const ParentsOfController& what, Turn* turn);
  static bool LookForGone(Sweep* sweep, const ParentsOfController& what, Turn* turn);
  static bool LookForNew(Sweep* sweep, const ParentsOfController& what, Turn* turn);
  static std::vector<KeyId> NextKeys(Sweep* sweep, ControllerId controller, const std::string& ns,
                                     Turn* turn);

  std::deque<Sweep> sweeps_;
};

}  // namespace xebec::watcher
