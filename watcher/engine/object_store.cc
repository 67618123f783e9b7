// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/object_store.h"

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

const std::vector<ObjectKey>& NoKeys() {
  static const std::vector<ObjectKey>* const kNone = new std::vector<ObjectKey>;
  return *kNone;
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

template <typename Index>
void AddTo(Index* index, const std::string& at, const ObjectKey& key) {
  auto& keys = (*index)[at];
  const auto place = std::lower_bound(keys.begin(), keys.end(), key);
  if (place == keys.end() || *place != key) keys.insert(place, key);
}

template <typename Index>
void TakeFrom(Index* index, const std::string& at, const ObjectKey& key) {
  const auto found = index->find(at);
  if (found == index->end()) return;
  auto& keys = found->second;
  const auto place = std::lower_bound(keys.begin(), keys.end(), key);
  if (place != keys.end() && *place == key) keys.erase(place);
  if (keys.empty()) index->erase(found);
}

template <typename Index>
const std::vector<ObjectKey>& LookUp(const Index& index, const std::string& at) {
  const auto found = index.find(at);
  return found == index.end() ? NoKeys() : found->second;
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
                      .resource_version = header.resource_version,
                      .owner_uid = header.controller.uid,
                      .generation = header.generation,
                      .deleting = header.deleting,
                      .marks = nullptr,
                      .json = object.json};
  if (marks != ObjectMarks{}) stored.marks = std::make_shared<const ObjectMarks>(std::move(marks));
  return stored;
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
    if (found->second == stored) return;
  }
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

void ObjectStore::Replace(Snapshot snapshot, const std::string& version, ReplaceMode mode,
                          StoreChanges* changes) {
  if (!mode.refresh) Reuse(&snapshot);
  std::vector<ObjectKey> gone;
  for (const auto& [key, object] : objects_) {
    if (!mode.keep_missing && !snapshot.contains(key)) gone.push_back(key);
  }
  for (const ObjectKey& key : gone) Erase(key, changes);
  for (auto& [key, object] : snapshot) {
    const auto found = objects_.find(key);
    if (found != objects_.end() && found->second == object) continue;
    Insert(key, std::move(object), changes);
  }
  Advance(version);
}

void ObjectStore::Reuse(Snapshot* snapshot) const {
  for (auto& [key, object] : *snapshot) {
    const StoredObject* stored = Find(key);
    const bool same = stored != nullptr && stored->uid == object.uid &&
                      stored->resource_version == object.resource_version;
    if (same) object = *stored;  // shares the bytes: a repeated list costs no memory
  }
}

void ObjectStore::Advance(const std::string& version) {
  if (!version.empty() && !Older(version, watermark_)) watermark_ = version;
}

const StoredObject* ObjectStore::Find(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : &found->second;
}

const std::vector<ObjectKey>& ObjectStore::OwnedBy(const std::string& uid) const {
  return LookUp(by_owner_, uid);
}

const std::vector<ObjectKey>& ObjectStore::Labelled(const std::string& ns,
                                                    const std::string& label) const {
  return LookUp(by_label_, LabelKey(ns, label));
}

bool ObjectStore::SawDeletion(const std::string& uid) const {
  return std::find(deleted_uids_.begin(), deleted_uids_.end(), uid) != deleted_uids_.end();
}

void ObjectStore::Insert(const ObjectKey& key, StoredObject object, StoreChanges* changes) {
  auto found = objects_.find(key);
  if (found != objects_.end() && found->second.uid != object.uid) {
    Erase(key, changes);
    found = objects_.end();
  }
  if (found == objects_.end()) {
    IndexObject(key, object);
    changes->push_back({ChangeType::kAdded, key, std::nullopt, object, false});
    objects_.emplace(key, std::move(object));
    return;
  }
  UnindexObject(key, found->second);
  IndexObject(key, object);
  changes->push_back({ChangeType::kModified, key, std::move(found->second), object, false});
  found->second = std::move(object);
}

void ObjectStore::Erase(const ObjectKey& key, StoreChanges* changes) {
  const auto found = objects_.find(key);
  UnindexObject(key, found->second);
  deleted_uids_.push_back(found->second.uid);
  if (deleted_uids_.size() > kRememberedDeletions) deleted_uids_.pop_front();
  changes->push_back({ChangeType::kDeleted, key, std::move(found->second), std::nullopt, true});
  objects_.erase(found);
}

void ObjectStore::IndexObject(const ObjectKey& key, const StoredObject& object) {
  if (!object.owner_uid.empty()) AddTo(&by_owner_, object.owner_uid, key);
  if (!object.parent_label().empty())
    AddTo(&by_label_, LabelKey(key.ns, object.parent_label()), key);
}

void ObjectStore::UnindexObject(const ObjectKey& key, const StoredObject& object) {
  if (!object.owner_uid.empty()) TakeFrom(&by_owner_, object.owner_uid, key);
  if (!object.parent_label().empty()) {
    TakeFrom(&by_label_, LabelKey(key.ns, object.parent_label()), key);
  }
}

}  // namespace xebec::watcher
