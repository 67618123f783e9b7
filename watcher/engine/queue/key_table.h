// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/time/time.h"
#include "watcher/engine/cache/object_store.h"
#include "watcher/engine/cache/topology.h"
#include "watcher/engine/queue/work_queue.h"
#include "watcher/engine/queue/write_pace.h"
#include "watcher/engine/reconcile/outcome_memory.h"

namespace xebec::watcher {

/// What the watcher remembers of one parent between reconciles. Reconciles themselves and the queue
/// are kept elsewhere.
struct KeyRecord {
  ControllerId controller = 0;
  ObjectKey name;
  std::string uid;  ///< Of the incarnation that everything below belongs to.
  OutcomeMemory outcomes;
  std::vector<ObjectRef> wanted;  ///< Names wanted and not had.
  absl::Duration wanted_delay;    ///< The last one waited for them; zero: none yet.
  uint32_t again = 0;          ///< Reconciles in a row that ended with Next::kAgain or with news.
  uint32_t stale_plans = 0;    ///< Plans in a row that changes of the parent made stale.
  uint32_t quiet = 0;          ///< Reconciles in a row that ended with Next::kQuiet.
  std::string status_version;  ///< resourceVersion that the last status write returned.
  WritePace pace;
  std::vector<std::string> reasons;  ///< Of the last reconcile.
  std::string ended;                 ///< How it ended, for users.

  bool operator==(const KeyRecord&) const = default;
};

/// The parents that are known, by name, by uid and by the label of their indirectly owned children.
/// Ids are stable while the key is there and used again later. A value.
class KeyTable {
 public:
  /// The key of that name, made if it is new. An existing key takes the new uid and forgets what
  /// belonged to the old one.
  KeyId Add(ControllerId controller, const ObjectKey& name, const std::string& uid);
  void Remove(KeyId key);

  /// nullptr when there is none.
  const KeyId* Find(ControllerId controller, const ObjectKey& name) const;
  const KeyId* FindUid(const std::string& uid) const;
  /// By LabelValue(name).
  const KeyId* FindLabel(ControllerId controller, const std::string& ns,
                         const std::string& label) const;
  /// All keys of a controller in a namespace; all of the controller when `ns` is empty.
  std::vector<KeyId> InNamespace(ControllerId controller, const std::string& ns) const;
  /// At most `limit` keys of a controller after `after`, by namespace and name; in the namespace
  /// `ns` alone unless that is empty. Costs O(limit).
  std::vector<KeyId> Page(ControllerId controller, const std::string& ns, const ObjectKey& after,
                          size_t limit) const;
  /// All keys, by controller, namespace and name.
  std::vector<KeyId> All() const;

  KeyRecord& at(KeyId key) { return records_.at(key); }
  const KeyRecord& at(KeyId key) const { return records_.at(key); }
  bool Has(KeyId key) const { return records_.contains(key); }
  /// The number of a controller's keys.
  uint64_t CountOf(ControllerId controller) const {
    const auto found = counts_.find(controller);
    return found == counts_.end() ? 0 : found->second;
  }
  size_t size() const { return records_.size(); }

  bool operator==(const KeyTable&) const = default;

 private:
  using Name = std::pair<ControllerId, ObjectKey>;

  Name LabelName(const KeyRecord& record) const;

  std::map<KeyId, KeyRecord> records_;
  std::map<Name, KeyId> by_name_;
  absl::btree_map<std::string, KeyId> by_uid_;
  std::map<Name, KeyId> by_long_label_;  // only where the label is not the name itself
  std::map<ControllerId, uint64_t> counts_;
  std::vector<KeyId> free_;
  KeyId next_ = 0;
};

}  // namespace xebec::watcher
