// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/kube/watch_event.h"
#include "watcher/engine/cache/store/object_key.h"
#include "watcher/engine/cache/store/packed_json.h"
#include "watcher/engine/cache/store/uid.h"
#include "watcher/engine/slots/slab.h"
#include "watcher/engine/slots/slot_index.h"

namespace xebec::watcher {

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
  /// Of the controller reference. Empty if there is none or its kind is not that of a parent.
  Uid owner_uid;
  std::string resource_version;
  int64_t generation = 0;
  uint32_t seen = 0;  ///< The store's own: when a list or an event showed the object last.
  bool deleting = false;
  std::shared_ptr<const ObjectMarks> marks;  ///< Null when all are empty.
  PackedJson json;

  const std::string& parent_label() const;
  const std::string& paused() const;
  const std::string& reconcile_at() const;
};
/// The uid of the object's controller, as StoredObject::owner_uid.
inline const std::string& OwnerOf(const kube::ObjectHeader& header) {
  static const std::string none;
  return header.controlled ? header.controller.uid : none;
}
/// Compares content, not addresses.
bool operator==(const StoredObject& a, const StoredObject& b);

/// `object.json` must not be null.
StoredObject ToStored(const kube::DecodedObject& object);
/// The same without the JSON.
StoredObject ToStoredHeader(const kube::ObjectHeader& header);

/// The objects of one resource by name. Each object has a slot, and each namespace is stored once.
/// The cost of a call hardly depends on the number of objects. A value.
class ObjectTable {
 public:
  std::optional<Slot> Find(const ObjectKey& key) const;
  /// With many objects, a search waits for the memory. A caller that has other work first calls
  /// PrefetchIndex, later PrefetchObject, and later Find: the CPU loads what the next one reads.
  void PrefetchIndex(const ObjectKey& key) const { by_name_.Prefetch(HashOf(key)); }
  void PrefetchObject(const ObjectKey& key) const {
    by_name_.Find(HashOf(key), [this](Slot slot) {
      nodes_.Prefetch(slot);
      return true;
    });
  }
  /// The same for an object whose slot is known.
  void Prefetch(Slot slot) const { nodes_.Prefetch(slot); }

  /// Returns the object in `slot` if it has this uid, otherwise null.
  const StoredObject* Find(Slot slot, const Uid& uid) const;
  /// Adds an object. No object of that name may be in the table.
  Slot Add(const ObjectKey& key, StoredObject object);
  /// Adds an object, or replaces the object of that name.
  void Set(const ObjectKey& key, StoredObject object);
  StoredObject Remove(Slot slot);
  /// Removes the object of that name, if the table has one.
  void Erase(const ObjectKey& key) {
    if (const std::optional<Slot> slot = Find(key)) Remove(*slot);
  }

  /// Moves the texts of the objects in these slots to other memory. When the others of a table are
  /// removed afterwards, the rest needs fewer pages.
  void Renew(const std::vector<Slot>& slots);

  /// Returns the object like at(), and makes the CPU load its JSON, which the caller reads later.
  const StoredObject& Load(Slot slot) const { return LoadNode(slot).object; }
  StoredObject& at(Slot slot) { return nodes_.at(slot).object; }
  const StoredObject& at(Slot slot) const { return nodes_.at(slot).object; }
  ObjectKey KeyOf(Slot slot) const { return {NamespaceOf(slot), NameOf(slot)}; }
  const std::string& NameOf(Slot slot) const { return nodes_.at(slot).name; }
  const std::string& NamespaceOf(Slot slot) const {
    return namespaces_.at(nodes_.at(slot).ns).name;
  }
  bool Has(Slot slot) const { return nodes_.Has(slot); }
  /// Returns a number that is greater than every slot with an object.
  Slot end() const { return nodes_.end(); }
  size_t size() const { return nodes_.size(); }
  bool empty() const { return size() == 0; }

  /// Compares names and objects.
  bool operator==(const ObjectTable& other) const;

 private:
  struct Node {
    StoredObject object;
    std::string name;
    Slot ns;
  };
  struct Namespace {
    std::string name;
    uint32_t objects = 0;
  };

  const Node& LoadNode(Slot slot) const;
  static size_t HashOf(const ObjectKey& key) { return SlotIndex::HashOf(key.ns, key.name); }
  Slot TakeNamespace(const std::string& name);
  void LeaveNamespace(Slot slot);

  Slab<Node> nodes_;
  SlotIndex by_name_;
  Slab<Namespace> namespaces_;  // only namespaces that have objects
  SlotIndex namespaces_by_name_;
};

}  // namespace xebec::watcher
