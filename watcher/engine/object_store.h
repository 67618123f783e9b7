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
#include "common/kube/watch_event.h"
#include "common/model/object.h"

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
  std::string uid;
  std::string resource_version;
  std::string owner_uid;  ///< Of the controller reference; empty when there is none.
  int64_t generation = 0;
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

/// The objects of a list that is not complete yet.
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

/// How Replace treats what is there already.
struct ReplaceMode {
  bool refresh = false;  ///< Bytes may differ at the same version (the projection has changed).
  bool keep_missing = false;  ///< The list may lack objects: what it lacks stays.
};

/// The cache of one watched resource: objects by name, by owner and by parent label, and the
/// version up to which everything has been seen (the watermark). A value; objects are added in the
/// order of the watch.
class ObjectStore {
 public:
  /// Takes the state of an object from an event. An object whose `json` is null is forgotten if it
  /// was stored. A state older than the stored one of the same uid is ignored. The same name with
  /// another uid is a deletion and an addition.
  void Upsert(const kube::DecodedObject& object, StoreChanges* changes);
  /// Takes a deletion. A deletion of another uid than the stored one is ignored.
  void Remove(const kube::ObjectHeader& header, StoreChanges* changes);
  /// Makes the store equal to a complete list of version `version`; what the list lacks is deleted.
  void Replace(Snapshot snapshot, const std::string& version, ReplaceMode mode,
               StoreChanges* changes);
  /// Everything up to `version` has been seen. The watermark never goes back.
  void Advance(const std::string& version);

  /// Null when it is not stored.
  const StoredObject* Find(const ObjectKey& key) const;
  /// Keys of the objects whose controller has this uid, sorted.
  const std::vector<ObjectKey>& OwnedBy(const std::string& uid) const;
  /// Keys of the objects of a namespace with this parent label, sorted.
  const std::vector<ObjectKey>& Labelled(const std::string& ns, const std::string& label) const;
  const std::map<ObjectKey, StoredObject>& objects() const { return objects_; }

  /// Empty until the first list.
  const std::string& watermark() const { return watermark_; }
  /// True when a deletion of this uid was seen lately (the last 1,024 deletions are remembered).
  bool SawDeletion(const std::string& uid) const;

  bool operator==(const ObjectStore&) const = default;

 private:
  using Index = absl::btree_map<std::string, std::vector<ObjectKey>>;

  void Insert(const ObjectKey& key, StoredObject object, StoreChanges* changes);
  void Erase(const ObjectKey& key, StoreChanges* changes);
  void IndexObject(const ObjectKey& key, const StoredObject& object);
  void UnindexObject(const ObjectKey& key, const StoredObject& object);
  void Reuse(Snapshot* snapshot) const;

  std::map<ObjectKey, StoredObject> objects_;
  Index by_owner_;
  Index by_label_;  // "namespace/label"
  std::string watermark_;
  std::deque<std::string> deleted_uids_;
};

}  // namespace xebec::watcher
