// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "absl/time/time.h"
#include "common/model/bucket.h"
#include "common/model/resource.h"
#include "watcher/engine/cache/revisions/topology.h"
#include "watcher/engine/cache/store/object_store.h"
#include "watcher/engine/cache/store/uid.h"
#include "watcher/engine/outcomes/outcome_memory.h"
#include "watcher/engine/queue/hook_doubt.h"
#include "watcher/engine/queue/work_queue.h"
#include "watcher/engine/queue/write_pace.h"
#include "watcher/engine/slots/slab.h"
#include "watcher/engine/slots/slot_index.h"
#include "watcher/engine/slots/slot_order.h"

namespace xebec::watcher {

/// What the watcher remembers of one parent between reconciles. Reconciles themselves and the queue
/// are kept elsewhere.
struct KeyRecord {
  ControllerId controller = 0;
  Slot slot = kNoSlot;  ///< Where the cache had the parent at the last reconcile.
  ObjectKey name;
  Uid uid;  ///< Of the incarnation that everything below belongs to.
  OutcomeMemory outcomes;
  uint64_t outcomes_of = 0;        ///< Term::acquisitions when they were reported.
  std::vector<ObjectRef> wanted;   ///< Names that other objects hold.
  std::vector<ObjectRef> leaving;  ///< Targets of the last plan's deletions that were not done.
  int64_t leaving_generation = 0;  ///< The generation of the parent that this plan is for.
  absl::Duration wanted_delay;     ///< The last delay because of `wanted`; zero: none yet.
  uint32_t again = 0;          ///< Reconciles in a row that ended with Next::kAgain or with news.
  uint32_t stale_plans = 0;    ///< Plans in a row that changes of the parent made stale.
  uint32_t quiet = 0;          ///< Reconciles in a row that ended with Next::kQuiet.
  uint32_t hook_failures = 0;  ///< Calls of its hook in a row that failed.
  HookDoubt hook_doubt;        ///< Whether answers of its hook are checked.
  bool problem = false;        ///< The last reconcile failed, or the parent is invalid.
  std::string status_version;  ///< resourceVersion that the last status write returned.
  /// When a write last changed the status; monotonic.
  absl::Duration status_written = -absl::InfiniteDuration();
  /// When a deletion of this key may be carried out that the budget deferred; monotonic.
  absl::Duration deletion_slot = -absl::InfiniteDuration();
  WritePace pace;
  std::vector<std::string> reasons;  ///< Of the last reconcile.
  std::string ended;                 ///< How it ended, for users.

  /// Of `count` buckets.
  uint32_t Bucket(uint32_t count) const { return count <= 1 ? 0 : BucketOf(uid.str(), count); }

  bool operator==(const KeyRecord&) const = default;
};

/// The parents that are known, by name, by uid and by the label of their indirectly owned children.
/// Ids are stable while the key is there and used again later. A value.
class KeyTable {
 public:
  /// The key of that name, made if it is new. An existing key takes the new uid and forgets what
  /// belonged to the old one.
  KeyId Add(ControllerId controller, const ObjectKey& name, const Uid& uid);
  void Remove(KeyId key);

  /// nullopt when there is none.
  std::optional<KeyId> Find(ControllerId controller, const ObjectKey& name) const;
  std::optional<KeyId> FindUid(ControllerId controller, const Uid& uid) const;
  /// By LabelValue(name).
  std::optional<KeyId> FindLabel(ControllerId controller, const std::string& ns,
                                 const std::string& label) const;
  /// At most `limit` keys of a controller after `after`, by namespace and name; in the namespace
  /// `ns` alone unless that is empty. Costs O(limit).
  std::vector<KeyId> Page(ControllerId controller, const std::string& ns, const ObjectKey& after,
                          size_t limit) const;

  KeyRecord& at(KeyId key) { return records_.at(key); }
  const KeyRecord& at(KeyId key) const { return records_.at(key); }
  bool Has(KeyId key) const { return records_.Has(key); }
  /// All keys are below.
  KeyId end() const { return records_.end(); }
  /// The number of a controller's keys.
  uint64_t CountOf(ControllerId controller) const {
    const auto found = counts_.find(controller);
    return found == counts_.end() ? 0 : found->second;
  }
  /// Records whether the last reconcile of a key failed.
  void SetProblem(KeyId key, bool problem);
  /// The number of a controller's keys whose last reconcile failed.
  uint64_t ProblemsOf(ControllerId controller) const {
    const auto found = problems_.find(controller);
    return found == problems_.end() ? 0 : found->second;
  }
  size_t size() const { return records_.size(); }

  bool operator==(const KeyTable&) const = default;

 private:
  using Name = std::pair<ControllerId, ObjectKey>;

  /// For SlotOrder: whether a key precedes that name.
  auto Precedes(ControllerId controller, const std::string& ns, const std::string& name) const {
    return [this, controller, &ns, &name](KeyId key) {
      const KeyRecord& record = at(key);
      return std::tie(record.controller, record.name.ns, record.name.name) <
             std::tie(controller, ns, name);
    };
  }
  /// At most `limit` keys of a controller, from the name `first` on; in the namespace `ns` alone
  /// unless that is empty.
  std::vector<KeyId> Names(ControllerId controller, const std::string& ns, const ObjectKey& first,
                           size_t limit) const;
  Name LabelName(const KeyRecord& record) const;
  void Index(KeyId key);
  void Unindex(KeyId key);

  Slab<KeyRecord> records_;  // the slots are the ids
  SlotIndex by_name_;
  SlotIndex by_uid_;
  SlotOrder in_order_;
  std::map<Name, KeyId> by_long_label_;  // only where the label is not the name itself
  std::map<ControllerId, uint64_t> counts_, problems_;
};

}  // namespace xebec::watcher
