// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/object_store.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "common/kube/resource_version.h"

namespace xebec::watcher {
namespace {

constexpr size_t kRememberedDeletions = 1024;

const std::string& Empty() {
  static const std::string* const kEmpty = new std::string;
  return *kEmpty;
}

template <typename T>
bool SameContent(const std::shared_ptr<const T>& a, const std::shared_ptr<const T>& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
}

bool Older(const std::string& a, const std::string& b) {
  const auto order = kube::CompareVersions(a, b);
  return order.has_value() && *order < 0;
}

std::string LabelKey(const std::string& ns, const std::string& label) { return ns + "/" + label; }

template <typename Nodes>
auto PlaceOf(Nodes* nodes, const ObjectKey& key) {
  return std::lower_bound(nodes->begin(), nodes->end(), key,
                          [](const auto* node, const ObjectKey& k) { return node->first < k; });
}

template <typename Index, typename Key, typename Node>
void AddTo(Index* index, const Key& at, const Node& node) {
  auto& nodes = (*index)[at];
  nodes.insert(PlaceOf(&nodes, node.first), &node);
}

template <typename Index, typename Key, typename Node>
void TakeFrom(Index* index, const Key& at, const Node& node) {
  const auto found = index->find(at);
  if (found == index->end()) return;
  auto& nodes = found->second;
  const auto place = PlaceOf(&nodes, node.first);
  if (place != nodes.end() && *place == &node) nodes.erase(place);
  if (nodes.empty()) index->erase(found);
}

bool SameIndexes(const StoredObject& a, const StoredObject& b) {
  return a.owner_uid == b.owner_uid && a.parent_label() == b.parent_label();
}

}  // namespace

const std::string& StoredObject::parent_label() const {
  return marks ? marks->parent_label : Empty();
}
const std::string& StoredObject::paused() const { return marks ? marks->paused : Empty(); }
const std::string& StoredObject::reconcile_at() const {
  return marks ? marks->reconcile_at : Empty();
}

bool operator==(const StoredObject& a, const StoredObject& b) {
  return std::tie(a.uid, a.resource_version, a.owner_uid, a.generation, a.deleting) ==
             std::tie(b.uid, b.resource_version, b.owner_uid, b.generation, b.deleting) &&
         SameContent(a.marks, b.marks) && SameContent(a.json, b.json);
}

StoredObject ToStored(const kube::DecodedObject& object) {
  const kube::ObjectHeader& header = object.header;
  ObjectMarks marks{header.parent_label, header.paused, header.reconcile_at};
  StoredObject stored{.uid = header.uid,
                      .owner_uid = header.controller.uid,
                      .resource_version = header.resource_version,
                      .generation = header.generation,
                      .seen = 0,
                      .deleting = header.deleting,
                      .marks = nullptr,
                      .json = object.json};
  if (marks != ObjectMarks{}) stored.marks = std::make_shared<const ObjectMarks>(std::move(marks));
  return stored;
}

ObjectStore::ObjectStore(const ObjectStore& other) { *this = other; }

// The indexes point into the map: those of a copy are made anew.
ObjectStore& ObjectStore::operator=(const ObjectStore& other) {
  if (this == &other) return *this;
  objects_ = other.objects_;
  watermark_ = other.watermark_;
  deleted_uids_ = other.deleted_uids_;
  list_ = other.list_;
  ended_ = other.ended_;
  by_owner_.clear();
  by_label_.clear();
  for (const Node& node : objects_) AddToIndexes(node);
  return *this;
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
  const auto found = objects_.find({object.header.ns, object.header.name});
  if (found == objects_.end()) return false;
  StoredObject& stored = found->second;
  if (stored.resource_version != object.header.resource_version ||
      stored.uid != object.header.uid) {
    return false;
  }
  if (compare_bytes && !(stored == ToStored(object))) return false;
  stored.seen = InList();
  return true;
}

void ObjectStore::Merge(Snapshot* snapshot, size_t limit, StoreChanges* changes) {
  for (size_t i = 0; i < limit && !snapshot->empty(); ++i) {
    MergeOne(snapshot->extract(snapshot->begin()), changes);
  }
}

// What events have shown meanwhile counts where it is newer, or where only that can be known.
void ObjectStore::MergeOne(Snapshot::node_type item, StoreChanges* changes) {
  item.mapped().seen = InList();
  const auto found = objects_.find(item.key());
  if (found == objects_.end()) {
    const auto added = objects_.insert(std::move(item)).position;
    AddToIndexes(*added);
    changes->push_back({ChangeType::kAdded, added->first, std::nullopt, added->second, false});
    return;
  }
  StoredObject& stored = found->second;
  const auto order = kube::CompareVersions(item.mapped().resource_version, stored.resource_version);
  const bool older = order.has_value() ? *order < 0 : stored.seen == InList();
  stored.seen = InList();
  if (older || stored == item.mapped()) return;
  Insert(item.key(), std::move(item.mapped()), changes);
}

std::optional<ObjectKey> ObjectStore::Sweep(const ObjectKey& from, size_t limit,
                                            const std::string& version, StoreChanges* changes) {
  auto next = objects_.lower_bound(from);
  for (size_t i = 0; i < limit && next != objects_.end(); ++i) {
    const auto here = next++;
    const bool shown_since =
        here->second.seen == 2 * list_ && Older(version, here->second.resource_version);
    if (here->second.seen != InList() && !shown_since) Erase(here->first, changes);
  }
  if (next == objects_.end()) return std::nullopt;
  return next->first;
}

void ObjectStore::Upsert(const kube::DecodedObject& object, StoreChanges* changes) {
  const ObjectKey key{object.header.ns, object.header.name};
  const auto found = objects_.find(key);
  if (object.json == nullptr) {
    if (found != objects_.end()) Erase(key, changes);
    changes->push_back({ChangeType::kForeign, key, std::nullopt, std::nullopt, false});
    return;
  }
  StoredObject stored = ToStored(object);
  if (found != objects_.end() && found->second.uid == stored.uid) {
    if (Older(stored.resource_version, found->second.resource_version)) return;
    found->second.seen = std::max(found->second.seen, SinceList());
    if (found->second == stored) return;
  }
  stored.seen = found == objects_.end() ? SinceList() : std::max(found->second.seen, SinceList());
  Insert(key, std::move(stored), changes);
}

void ObjectStore::Remove(const kube::ObjectHeader& header, StoreChanges* changes) {
  const ObjectKey key{header.ns, header.name};
  const auto found = objects_.find(key);
  if (found != objects_.end() && found->second.uid == header.uid) return Erase(key, changes);
  if (found == objects_.end()) {
    changes->push_back({ChangeType::kForeign, key, std::nullopt, std::nullopt, true});
  }
}

void ObjectStore::Advance(const std::string& version) {
  if (!version.empty() && !Older(version, watermark_)) watermark_ = version;
}

const StoredObject* ObjectStore::Find(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

bool ObjectStore::ByOwner::operator()(const Node* a, const Node* b) const {
  return std::tie(a->second.owner_uid, a->first) < std::tie(b->second.owner_uid, b->first);
}

std::vector<ObjectKey> ObjectStore::OwnedBy(const Uid& uid) const {
  std::vector<ObjectKey> keys;
  for (auto it = by_owner_.lower_bound(uid); it != by_owner_.end(); ++it) {
    if ((*it)->second.owner_uid != uid) break;
    keys.push_back((*it)->first);
  }
  return keys;
}

std::vector<ObjectKey> ObjectStore::Labelled(const std::string& ns,
                                             const std::string& label) const {
  std::vector<ObjectKey> keys;
  const auto found = by_label_.find(LabelKey(ns, label));
  if (found == by_label_.end()) return keys;
  for (const Node* node : found->second) keys.push_back(node->first);
  return keys;
}

bool ObjectStore::SawDeletion(const Uid& uid) const {
  return std::find(deleted_uids_.begin(), deleted_uids_.end(), uid) != deleted_uids_.end();
}

void ObjectStore::Insert(const ObjectKey& key, StoredObject object, StoreChanges* changes) {
  auto found = objects_.find(key);
  if (found != objects_.end() && found->second.uid != object.uid) {
    Erase(key, changes);
    found = objects_.end();
  }
  if (found == objects_.end()) {
    found = objects_.emplace(key, std::move(object)).first;
    AddToIndexes(*found);
    changes->push_back({ChangeType::kAdded, key, std::nullopt, found->second, false});
    return;
  }
  const bool same = SameIndexes(found->second, object);
  if (!same) TakeFromIndexes(*found);
  changes->push_back({ChangeType::kModified, key, std::move(found->second), object, false});
  found->second = std::move(object);
  if (!same) AddToIndexes(*found);
}

void ObjectStore::Erase(const ObjectKey& key, StoreChanges* changes) {
  const auto found = objects_.find(key);
  TakeFromIndexes(*found);
  deleted_uids_.push_back(found->second.uid);
  if (deleted_uids_.size() > kRememberedDeletions) deleted_uids_.pop_front();
  changes->push_back({ChangeType::kDeleted, key, std::move(found->second), std::nullopt, true});
  objects_.erase(found);
}

void ObjectStore::AddToIndexes(const Node& node) {
  const auto& [key, object] = node;
  if (!object.owner_uid.empty()) by_owner_.insert(&node);
  if (!object.parent_label().empty()) {
    AddTo(&by_label_, LabelKey(key.ns, object.parent_label()), node);
  }
}

void ObjectStore::TakeFromIndexes(const Node& node) {
  const auto& [key, object] = node;
  if (!object.owner_uid.empty()) by_owner_.erase(&node);
  if (!object.parent_label().empty()) {
    TakeFrom(&by_label_, LabelKey(key.ns, object.parent_label()), node);
  }
}

}  // namespace xebec::watcher
