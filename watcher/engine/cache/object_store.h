// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/container/inlined_vector.h"
#include "common/kube/watch_event.h"
#include "common/model/object.h"
#include "watcher/engine/cache/uid.h"

namespace xebec::watcher {

/// Names an object within one resource.
struct ObjectKey {
  std::string ns;
  std::string name;

  auto operator<=>(const ObjectKey&) const = default;
};

/// What few objects carry.
struct ObjectMarks {
  std::string parent_label;
  std::string paused;
  std::string reconcile_at;

  bool operator==(const ObjectMarks&) const = default;
};

/// An object as the cache keeps it: its header, less what is never asked again, and its bytes.
struct StoredObject {
  Uid uid;
  Uid owner_uid;  ///< Of the controller reference; empty when there is none.
  std::string resource_version;
  int64_t generation = 0;
  uint32_t seen = 0;  ///< The store's own: when a list or an event showed the object last.
  bool deleting = false;
  std::shared_ptr<const ObjectMarks> marks;  ///< Null when all are empty.
  ObjectBytes json;

  const std::string& parent_label() const;
  const std::string& paused() const;
  const std::string& reconcile_at() const;
};
/// Compares content, not addresses.
bool operator==(const StoredObject& a, const StoredObject& b);

/// `object.json` must not be null.
StoredObject ToStored(const kube::DecodedObject& object);

/// Objects of a list that the store does not have, or not in that version.
using Snapshot = std::map<ObjectKey, StoredObject>;

enum class ChangeType {
  kAdded,
  kModified,
  kDeleted,
  kForeign,  ///< An object that is not stored came, changed or went; only its name is known.
};

/// What one event, or one object of a new list, changed in a store.
struct StoreChange {
  ChangeType type = ChangeType::kForeign;
  ObjectKey key;
  std::optional<StoredObject> before;
  std::optional<StoredObject> after;
  bool gone = false;  ///< The name is free: a deletion, stored or not.
};
using StoreChanges = std::vector<StoreChange>;

/// A list that is taken over. Lists are numbered upwards.
struct ListStamp {
  uint32_t number = 0;
  std::string version;
};

/// The cache of one watched resource: objects by name, by owner and by parent label, and the
/// version up to which everything has been seen (the watermark). Events go on to be taken while a
/// list arrives. A value; objects are added in the order of the watch.
class ObjectStore {
 public:
  ObjectStore() = default;
  ObjectStore(const ObjectStore& other);
  ObjectStore& operator=(const ObjectStore& other);
  ObjectStore(ObjectStore&&) = default;
  ObjectStore& operator=(ObjectStore&&) = default;
  ~ObjectStore() = default;

  /// A list begins. Objects that events show from now on are told from those that nothing shows.
  void BeginList(uint32_t number);
  /// True when the store holds the very same object as the list: its bytes are shared, and nothing
  /// else is to be done. With `compare_bytes` also equal bytes are asked for, because they may
  /// differ at the same version.
  bool Confirm(const kube::DecodedObject& object, bool compare_bytes);
  /// The list `list_` is complete: objects that events show from now on are newer than it.
  void EndList() { ended_ = true; }
  /// Moves at most `limit` objects of a complete list into the store; older states are ignored.
  void Merge(Snapshot* snapshot, size_t limit, StoreChanges* changes);
  /// Deletes what a complete list lacks, among the next `limit` objects from `from` on. Returns
  /// where to go on; nullopt at the end.
  std::optional<ObjectKey> Sweep(const ObjectKey& from, size_t limit, const std::string& version,
                                 StoreChanges* changes);

  /// Takes the state of an object from an event. An object whose `json` is null is forgotten if it
  /// was stored. A state older than the stored one of the same uid is ignored. The same name with
  /// another uid is a deletion and an addition.
  void Upsert(const kube::DecodedObject& object, StoreChanges* changes);
  /// Takes a deletion. A deletion of another uid than the stored one is ignored.
  void Remove(const kube::ObjectHeader& header, StoreChanges* changes);
  /// Everything up to `version` has been seen. The watermark never goes back.
  void Advance(const std::string& version);

  /// Null when it is not stored.
  const StoredObject* Find(const ObjectKey& key) const;
  /// Keys of the objects whose controller has this uid, sorted.
  std::vector<ObjectKey> OwnedBy(const Uid& uid) const;
  /// Keys of the objects of a namespace with this parent label, sorted.
  std::vector<ObjectKey> Labelled(const std::string& ns, const std::string& label) const;
  const std::map<ObjectKey, StoredObject>& objects() const { return objects_; }

  /// Empty until the first list.
  const std::string& watermark() const { return watermark_; }
  /// True when a deletion of this uid was seen lately (the last 1,024 deletions are remembered).
  bool SawDeletion(const Uid& uid) const;

  /// Compares content.
  bool operator==(const ObjectStore& other) const;

 private:
  using Node = std::pair<const ObjectKey, StoredObject>;
  using Nodes = absl::InlinedVector<const Node*, 1>;  // sorted by key
  /// By owner and key, which the nodes themselves hold.
  struct ByOwner {
    using is_transparent = void;
    bool operator()(const Node* a, const Node* b) const;
    bool operator()(const Node* a, const Uid& b) const { return a->second.owner_uid < b; }
    bool operator()(const Uid& a, const Node* b) const { return a < b->second.owner_uid; }
  };

  uint32_t InList() const { return 2 * list_ + 1; }
  uint32_t SinceList() const { return ended_ ? 2 * list_ + 1 : 2 * list_; }
  void MergeOne(Snapshot::node_type item, StoreChanges* changes);
  void Insert(const ObjectKey& key, StoredObject object, StoreChanges* changes);
  void Erase(const ObjectKey& key, StoreChanges* changes);
  void AddToIndexes(const Node& node);
  void TakeFromIndexes(const Node& node);

  std::map<ObjectKey, StoredObject> objects_;
  absl::btree_set<const Node*, ByOwner> by_owner_;  // of those that have an owner
  absl::btree_map<std::string, Nodes> by_label_;    // "namespace/label"
  std::string watermark_;
  std::deque<Uid> deleted_uids_;
  uint32_t list_ = 0;
  bool ended_ = true;
};

}  // namespace xebec::watcher
