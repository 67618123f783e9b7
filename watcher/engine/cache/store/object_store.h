// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/kube/watch_event.h"
#include "watcher/engine/cache/store/keep_rule.h"
#include "watcher/engine/cache/store/object_table.h"
#include "watcher/engine/cache/store/uid.h"
#include "watcher/engine/slots/group_index.h"
#include "watcher/engine/slots/slab.h"
#include "watcher/engine/slots/slot_index.h"

namespace xebec::watcher {

/// Objects of a list that the store does not have, or not in that version.
using Snapshot = ObjectTable;

enum class ChangeType {
  kAdded,
  kModified,
  kDeleted,
  kForeign,    ///< An object that is not stored came, changed or went; only its name is known.
  kForgotten,  ///< An object is not stored any more. It need not be gone.
};

/// What one event, or one object of a new list, changed in a store.
struct StoreChange {
  ChangeType type = ChangeType::kForeign;
  ObjectKey key;
  std::optional<StoredObject> before;
  std::optional<StoredObject> after;
  bool gone = false;    ///< The name is free: a deletion, stored or not.
  bool listed = false;  ///< A list shows it: changes between `before` and `after` are unknown.
  Uid owner = {};       ///< Of the controller of an object that is gone and was not stored.
};
using StoreChanges = std::vector<StoreChange>;

/// Returns true if the filter keeps the object.
bool Keeps(const kube::BucketFilter& filter, const StoredObject& object);

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
  /// A list begins. Objects that events show from now on are told from those that nothing shows.
  void BeginList(uint32_t number);
  /// True when the store holds the very same object as the list: its bytes are shared, and nothing
  /// else is to be done. With `compare_bytes` also equal bytes are asked for, because they may
  /// differ at the same version.
  bool Confirm(const kube::DecodedObject& object, bool compare_bytes);
  /// Takes the state of an object from the list. Returns false, and changes nothing, if no object
  /// of this name and uid is stored, or the versions cannot be compared.
  bool Update(const kube::DecodedObject& object, StoreChanges* changes);
  /// The list does not show this object any more, although it did.
  void TakeBack(const kube::ObjectHeader& header);
  /// The list `list_` is complete: objects that events show from now on are newer than it.
  void EndList() { ended_ = true; }
  /// Moves objects of a complete list into the store: those in the next `limit` slots of the list
  /// from `from` on. Ignores states that are older than the stored ones, and objects that `keep`
  /// does not keep. Returns the slot to go on from, or nullopt at the end.
  std::optional<Slot> Merge(Snapshot* snapshot, Slot from, size_t limit, const KeepRule& keep,
                            StoreChanges* changes);
  /// Deletes the objects that a complete list of all that `shown` keeps lacks from the next `limit`
  /// slots of the store from `from` on. Returns the slot to go on from, or nullopt at the end.
  std::optional<Slot> Sweep(Slot from, size_t limit, const std::string& version,
                            const KeepRule& shown, StoreChanges* changes);
  /// Forgets the objects that `keep` does not keep in the next `limit` slots of the store from
  /// `from` on. With `renew`, it moves the others to other memory (ObjectTable::Renew). Returns the
  /// slot to go on from, or nullopt at the end.
  std::optional<Slot> ForgetOthers(Slot from, size_t limit, const KeepRule& keep, bool renew,
                                   StoreChanges* changes);
  /// Forgets the object of that name, if it is stored and `keep` does not keep it.
  void ForgetOther(const ObjectKey& key, const KeepRule& keep, StoreChanges* changes);

  /// Returns true if an object of that name is stored with this version or a later one.
  bool HasAsNew(const kube::ObjectHeader& header) const;
  /// Takes the state of an object from an event. An object whose `json` is null is forgotten if it
  /// was stored. A state older than the stored one is ignored. The same name with another uid is a
  /// deletion and an addition.
  void Upsert(const kube::DecodedObject& object, StoreChanges* changes);
  /// Takes a deletion. A deletion of another uid than the stored one is ignored.
  void Remove(const kube::ObjectHeader& header, StoreChanges* changes);
  /// Everything up to `version` has been seen. The watermark never goes back.
  void Advance(const std::string& version);

  /// Null when it is not stored.
  const StoredObject* Find(const ObjectKey& key) const;
  /// Prepare OwnedBy as ObjectTable::PrefetchIndex and PrefetchObject prepare a search by name.
  void PrefetchOwnedIndex(const Uid& uid) const { by_owner_.Prefetch(SlotIndex::HashOf(uid)); }
  void PrefetchOwned(const Uid& uid) const {
    by_owner_.ForEach(SlotIndex::HashOf(uid), [this](Slot slot) { objects_.Prefetch(slot); });
  }
  /// Slots of the objects whose controller has this uid.
  std::vector<Slot> OwnedBy(const Uid& uid) const;
  /// Slots of the objects of a namespace with this parent label.
  std::vector<Slot> Labelled(const std::string& ns, const std::string& label) const;
  /// Sorts the slots by namespace and name of their objects. Removes duplicates.
  void Sort(std::vector<Slot>* slots) const;
  /// Returns the objects of a namespace, sorted by name. If `ns` is empty, returns all objects,
  /// sorted by namespace and name.
  std::vector<const StoredObject*> InNamespace(const std::string& ns) const;
  const ObjectTable& objects() const { return objects_; }
  /// Returns all objects. Call nothing else afterwards.
  ObjectTable TakeObjects() && { return std::move(objects_); }

  /// Empty until the first list.
  const std::string& watermark() const { return watermark_; }
  /// True when a deletion of this uid was seen lately (the last 1,024 deletions are remembered).
  bool SawDeletion(const Uid& uid) const;

  /// Compares content.
  bool operator==(const ObjectStore& other) const;

 private:
  uint32_t InList() const { return 2 * list_ + 1; }
  uint32_t SinceList() const { return ended_ ? 2 * list_ + 1 : 2 * list_; }
  void MergeOne(const ObjectKey& key, StoredObject object, StoreChanges* changes);
  void MergeInto(Slot slot, const ObjectKey& key, StoredObject object, StoreChanges* changes);
  void Replace(Slot slot, const ObjectKey& key, StoredObject object, StoreChanges* changes);
  void AddNew(const ObjectKey& key, StoredObject object, StoreChanges* changes);
  void Erase(Slot slot, StoreChanges* changes);
  void Forget(Slot slot, StoreChanges* changes);
  /// Calls change(index, hash) for each index of the object.
  template <typename Change>
  void ForIndexes(Slot slot, const Change& change);
  void AddToIndexes(Slot slot);
  void RemoveFromIndexes(Slot slot);

  ObjectTable objects_;
  GroupIndex by_namespace_;
  SlotIndex by_owner_;  // of those that have an owner
  SlotIndex by_label_;  // of those that have a parent label, with the namespace
  std::string watermark_;
  std::deque<Uid> deleted_uids_;
  uint32_t list_ = 0;
  bool ended_ = true;
};

}  // namespace xebec::watcher
