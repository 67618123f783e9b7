// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/object_store.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

constexpr size_t kRememberedDeletions = 1024;

bool Older(const std::string& a, const std::string& b) {
  const auto order = kube::CompareVersions(a, b);
  return order.has_value() && *order < 0;
}

size_t LabelHash(const std::string& ns, const std::string& label) {
  return SlotIndex::HashOf(ns, label);
}

bool SameIndexes(const StoredObject& a, const StoredObject& b) {
  return a.owner_uid == b.owner_uid && a.parent_label() == b.parent_label();
}

// Visits the objects in the next `limit` slots of the table from `from` on. Returns the slot to go
// on from, or nullopt at the end.
template <typename Visit>
std::optional<Slot> VisitSome(const ObjectTable& table, Slot from, size_t limit,
                              const Visit& visit) {
  Slot slot = from;
  for (size_t i = 0; i < limit && slot < table.end(); ++i, ++slot) {
    if (table.Has(slot)) visit(slot);
  }
  return slot < table.end() ? std::optional(slot) : std::nullopt;
}

}  // namespace

bool Keeps(const kube::BucketFilter& filter, const StoredObject& object) {
  return !filter.active() ||
         filter.Keeps(object.uid.str(), object.owner_uid.str(), object.parent_label());
}

bool ObjectStore::operator==(const ObjectStore& other) const {
  return std::tie(objects_, watermark_, deleted_uids_, list_, ended_) ==
         std::tie(other.objects_, other.watermark_, other.deleted_uids_, other.list_, other.ended_);
}

void ObjectStore::BeginList(uint32_t number) {
  list_ = number;
  ended_ = false;
}

bool ObjectStore::Confirm(const kube::DecodedObject& object, bool compare_bytes) {
  const std::optional<Slot> slot = objects_.Find({object.header.ns, object.header.name});
  if (!slot) return false;
  StoredObject& stored = objects_.at(*slot);
  if (stored.resource_version != object.header.resource_version ||
      stored.uid != object.header.uid) {
    return false;
  }
  if (compare_bytes && !(stored == ToStored(object))) return false;
  stored.seen = InList();
  return true;
}

bool ObjectStore::Update(const kube::DecodedObject& object, StoreChanges* changes) {
  const ObjectKey key{object.header.ns, object.header.name};
  const std::optional<Slot> slot = objects_.Find(key);
  if (!slot || objects_.at(*slot).uid != object.header.uid) return false;
  const std::string& stored = objects_.at(*slot).resource_version;
  if (!kube::CompareVersions(object.header.resource_version, stored)) return false;
  MergeInto(*slot, key, ToStored(object), changes);
  return true;
}

// Events may have shown a newer state.
void ObjectStore::TakeBack(const kube::ObjectHeader& header) {
  const std::optional<Slot> slot = objects_.Find({header.ns, header.name});
  if (!slot || objects_.at(*slot).uid != header.uid) return;
  StoredObject& stored = objects_.at(*slot);
  if (!Older(header.resource_version, stored.resource_version)) stored.seen = 0;
}

std::optional<Slot> ObjectStore::Merge(Snapshot* snapshot, Slot from, size_t limit,
                                       const KeepRule& keep, StoreChanges* changes) {
  return VisitSome(*snapshot, from, limit, [&](Slot slot) {
    const ObjectKey key = snapshot->KeyOf(slot);
    StoredObject object = snapshot->Remove(slot);
    if (keep.Keeps(key.ns, object)) MergeOne(key, std::move(object), changes);
  });
}

void ObjectStore::MergeOne(const ObjectKey& key, StoredObject object, StoreChanges* changes) {
  const std::optional<Slot> slot = objects_.Find(key);
  if (slot) return MergeInto(*slot, key, std::move(object), changes);
  object.seen = InList();
  AddNew(key, std::move(object), changes);
}

// What events have shown meanwhile counts where it is newer, or where only that can be known.
void ObjectStore::MergeInto(Slot slot, const ObjectKey& key, StoredObject object,
                            StoreChanges* changes) {
  object.seen = InList();
  StoredObject& stored = objects_.at(slot);
  const auto order = kube::CompareVersions(object.resource_version, stored.resource_version);
  const bool older = order.has_value() ? *order < 0 : stored.seen == InList();
  stored.seen = InList();
  if (older || stored == object) return;
  Replace(slot, key, std::move(object), changes);
  changes->back().listed = true;
}

std::optional<Slot> ObjectStore::Sweep(Slot from, size_t limit, const std::string& version,
                                       const KeepRule& shown, StoreChanges* changes) {
  return VisitSome(objects_, from, limit, [&](Slot slot) {
    const StoredObject& object = objects_.at(slot);
    const bool shown_since = object.seen == 2 * list_ && Older(version, object.resource_version);
    if (object.seen == InList() || shown_since) return;
    if (shown.Keeps(objects_.NamespaceOf(slot), object)) Erase(slot, changes);
  });
}

// The copies come first: else they would fill the holes that the others leave.
std::optional<Slot> ObjectStore::ForgetOthers(Slot from, size_t limit, const KeepRule& keep,
                                              bool renew, StoreChanges* changes) {
  std::vector<Slot> kept, others;
  const std::optional<Slot> next = VisitSome(objects_, from, limit, [&](Slot slot) {
    const bool keeps = keep.Keeps(objects_.NamespaceOf(slot), objects_.at(slot));
    (keeps ? kept : others).push_back(slot);
  });
  if (renew) objects_.Renew(kept);
  for (const Slot slot : others) Forget(slot, changes);
  return next;
}

void ObjectStore::ForgetOther(const ObjectKey& key, const KeepRule& keep, StoreChanges* changes) {
  if (!keep.active()) return;
  const std::optional<Slot> slot = objects_.Find(key);
  if (slot && !keep.Keeps(key.ns, objects_.at(*slot))) Forget(*slot, changes);
}

bool ObjectStore::HasAsNew(const kube::ObjectHeader& header) const {
  const StoredObject* stored = Find({header.ns, header.name});
  if (stored == nullptr) return false;
  const auto order = kube::CompareVersions(stored->resource_version, header.resource_version);
  return order.has_value() && *order >= 0;
}

void ObjectStore::Upsert(const kube::DecodedObject& object, StoreChanges* changes) {
  const ObjectKey key{object.header.ns, object.header.name};
  if (object.json == nullptr) {
    if (const std::optional<Slot> slot = objects_.Find(key)) Erase(*slot, changes);
    changes->push_back({ChangeType::kForeign, key, std::nullopt, std::nullopt, false});
    return;
  }
  objects_.PrefetchIndex(key);
  StoredObject next = ToStoredHeader(object.header);
  objects_.PrefetchObject(key);
  next.json = PackedJson(*object.json);
  next.seen = SinceList();
  const std::optional<Slot> slot = objects_.Find(key);
  if (!slot) return AddNew(key, std::move(next), changes);
  StoredObject& stored = objects_.at(*slot);
  next.seen = std::max(stored.seen, next.seen);
  if (Older(next.resource_version, stored.resource_version)) return;
  if (stored.uid == next.uid) {
    stored.seen = next.seen;
    if (stored == next) return;
  }
  Replace(*slot, key, std::move(next), changes);
}

void ObjectStore::Remove(const kube::ObjectHeader& header, StoreChanges* changes) {
  const ObjectKey key{header.ns, header.name};
  const std::optional<Slot> slot = objects_.Find(key);
  if (!slot) {
    changes->push_back({.type = ChangeType::kForeign,
                        .key = key,
                        .before = std::nullopt,
                        .after = std::nullopt,
                        .gone = true,
                        .owner = OwnerOf(header)});
  } else if (objects_.at(*slot).uid == header.uid) {
    Erase(*slot, changes);
  }
}

void ObjectStore::Advance(const std::string& version) {
  if (!version.empty() && !Older(version, watermark_)) watermark_ = version;
}

const StoredObject* ObjectStore::Find(const ObjectKey& key) const {
  const std::optional<Slot> slot = objects_.Find(key);
  return slot ? &objects_.at(*slot) : nullptr;
}

std::vector<Slot> ObjectStore::OwnedBy(const Uid& uid) const {
  std::vector<Slot> slots;
  by_owner_.ForEach(SlotIndex::HashOf(uid), [&](Slot slot) {
    if (objects_.Load(slot).owner_uid == uid) slots.push_back(slot);
  });
  return slots;
}

std::vector<Slot> ObjectStore::Labelled(const std::string& ns, const std::string& label) const {
  std::vector<Slot> slots;
  by_label_.ForEach(LabelHash(ns, label), [&](Slot slot) {
    const bool same = objects_.at(slot).parent_label() == label;
    if (same && objects_.NamespaceOf(slot) == ns) slots.push_back(slot);
  });
  return slots;
}

void ObjectStore::Sort(std::vector<Slot>* slots) const {
  std::sort(slots->begin(), slots->end(), [this](Slot a, Slot b) {
    return std::tie(objects_.NamespaceOf(a), objects_.NameOf(a)) <
           std::tie(objects_.NamespaceOf(b), objects_.NameOf(b));
  });
  slots->erase(std::unique(slots->begin(), slots->end()), slots->end());
}

std::vector<const StoredObject*> ObjectStore::InNamespace(const std::string& ns) const {
  std::vector<Slot> slots;
  const auto add = [&](Slot slot) {
    if (ns.empty() ? objects_.Has(slot) : objects_.NamespaceOf(slot) == ns) slots.push_back(slot);
  };
  if (ns.empty()) {
    for (Slot slot = 0; slot < objects_.end(); ++slot) add(slot);
  } else {
    by_namespace_.ForEach(SlotIndex::HashOf(ns), add);
  }
  Sort(&slots);
  std::vector<const StoredObject*> objects;
  objects.reserve(slots.size());
  for (const Slot slot : slots) objects.push_back(&objects_.at(slot));
  return objects;
}

bool ObjectStore::SawDeletion(const Uid& uid) const {
  return std::find(deleted_uids_.begin(), deleted_uids_.end(), uid) != deleted_uids_.end();
}

void ObjectStore::AddNew(const ObjectKey& key, StoredObject object, StoreChanges* changes) {
  changes->push_back({ChangeType::kAdded, key, std::nullopt, object, false});
  AddToIndexes(objects_.Add(key, std::move(object)));
}

void ObjectStore::Replace(Slot slot, const ObjectKey& key, StoredObject object,
                          StoreChanges* changes) {
  StoredObject& stored = objects_.at(slot);
  if (stored.uid != object.uid) {
    Erase(slot, changes);
    return AddNew(key, std::move(object), changes);
  }
  const bool same = SameIndexes(stored, object);
  if (!same) RemoveFromIndexes(slot);
  changes->push_back({ChangeType::kModified, key, std::move(stored), object, false});
  stored = std::move(object);
  if (!same) AddToIndexes(slot);
}

void ObjectStore::Erase(Slot slot, StoreChanges* changes) {
  deleted_uids_.push_back(objects_.at(slot).uid);
  if (deleted_uids_.size() > kRememberedDeletions) deleted_uids_.pop_front();
  Forget(slot, changes);
  changes->back().type = ChangeType::kDeleted;
  changes->back().gone = true;
}

void ObjectStore::Forget(Slot slot, StoreChanges* changes) {
  RemoveFromIndexes(slot);
  ObjectKey key = objects_.KeyOf(slot);
  changes->push_back(
      {ChangeType::kForgotten, std::move(key), objects_.Remove(slot), std::nullopt, false});
}

template <typename Change>
void ObjectStore::ForIndexes(Slot slot, const Change& change) {
  const StoredObject& object = objects_.at(slot);
  const std::string& ns = objects_.NamespaceOf(slot);
  change(by_namespace_, SlotIndex::HashOf(ns));
  if (!object.owner_uid.empty()) change(by_owner_, SlotIndex::HashOf(object.owner_uid));
  const std::string& label = object.parent_label();
  if (!label.empty()) change(by_label_, LabelHash(ns, label));
}

void ObjectStore::AddToIndexes(Slot slot) {
  ForIndexes(slot, [slot](auto& index, size_t hash) { index.Add(hash, slot); });
}

void ObjectStore::RemoveFromIndexes(Slot slot) {
  ForIndexes(slot, [slot](auto& index, size_t hash) { index.Remove(hash, slot); });
}

}  // namespace xebec::watcher
