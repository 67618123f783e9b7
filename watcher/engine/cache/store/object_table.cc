// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/store/object_table.h"

#include <tuple>
#include <utility>

namespace xebec::watcher {
namespace {

const std::string& Empty() {
  static const std::string* const kEmpty = new std::string;
  return *kEmpty;
}

using Marks = std::shared_ptr<const ObjectMarks>;

bool SameMarks(const Marks& a, const Marks& b) {
  return a == b || (a != nullptr && b != nullptr && *a == *b);
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
         SameMarks(a.marks, b.marks) && a.json == b.json;
}

StoredObject ToStoredHeader(const kube::ObjectHeader& header) {
  StoredObject stored{.uid = header.uid,
                      .owner_uid = OwnerOf(header),
                      .resource_version = header.resource_version,
                      .generation = header.generation,
                      .seen = 0,
                      .deleting = header.deleting,
                      .marks = nullptr,
                      .json = {}};
  if (!header.parent_label.empty() || !header.paused.empty() || !header.reconcile_at.empty()) {
    stored.marks = std::make_shared<const ObjectMarks>(
        ObjectMarks{header.parent_label, header.paused, header.reconcile_at});
  }
  return stored;
}

StoredObject ToStored(const kube::DecodedObject& object) {
  StoredObject stored = ToStoredHeader(object.header);
  stored.json = PackedJson(*object.json);
  return stored;
}

std::optional<Slot> ObjectTable::Find(const ObjectKey& key) const {
  return by_name_.Find(HashOf(key), [&](Slot slot) {
    const Node& node = LoadNode(slot);
    return node.name == key.name && namespaces_.at(node.ns).name == key.ns;
  });
}

const StoredObject* ObjectTable::Find(Slot slot, const Uid& uid) const {
  if (!Has(slot)) return nullptr;
  const StoredObject& object = Load(slot);
  return object.uid == uid ? &object : nullptr;
}

const ObjectTable::Node& ObjectTable::LoadNode(Slot slot) const {
  nodes_.Prefetch(slot);
  const Node& node = nodes_.at(slot);
  __builtin_prefetch(node.object.json.packed().view().data());
  return node;
}

Slot ObjectTable::Add(const ObjectKey& key, StoredObject object) {
  const Slot slot = nodes_.Add({std::move(object), key.name, TakeNamespace(key.ns)});
  by_name_.Add(HashOf(key), slot);
  return slot;
}

void ObjectTable::Set(const ObjectKey& key, StoredObject object) {
  if (const std::optional<Slot> slot = Find(key)) {
    at(*slot) = std::move(object);
  } else {
    Add(key, std::move(object));
  }
}

StoredObject ObjectTable::Remove(Slot slot) {
  by_name_.Remove(SlotIndex::HashOf(NamespaceOf(slot), NameOf(slot)), slot);
  Node node = nodes_.Remove(slot);
  LeaveNamespace(node.ns);
  return std::move(node.object);
}

// The old memory is freed at the end: else the allocator would give that of one object to the next.
void ObjectTable::Renew(const std::vector<Slot>& slots) {
  std::vector<std::pair<std::string, PackedJson>> old;
  old.reserve(slots.size());
  for (const Slot slot : slots) {
    Node& node = nodes_.at(slot);
    std::string name(node.name.data(), node.name.size());
    old.emplace_back(std::exchange(node.name, std::move(name)),
                     std::exchange(node.object.json, node.object.json.Clone()));
  }
}

Slot ObjectTable::TakeNamespace(const std::string& name) {
  const size_t hash = SlotIndex::HashOf(name);
  std::optional<Slot> slot =
      namespaces_by_name_.Find(hash, [&](Slot each) { return namespaces_.at(each).name == name; });
  if (!slot) {
    slot = namespaces_.Add({name});
    namespaces_by_name_.Add(hash, *slot);
  }
  ++namespaces_.at(*slot).objects;
  return *slot;
}

void ObjectTable::LeaveNamespace(Slot slot) {
  if (--namespaces_.at(slot).objects > 0) return;
  namespaces_by_name_.Remove(SlotIndex::HashOf(namespaces_.at(slot).name), slot);
  namespaces_.Remove(slot);
}

bool ObjectTable::operator==(const ObjectTable& other) const {
  if (size() != other.size()) return false;
  for (Slot slot = 0; slot < end(); ++slot) {
    if (!Has(slot)) continue;
    const std::optional<Slot> same = other.Find(KeyOf(slot));
    if (!same || !(at(slot) == other.at(*same))) return false;
  }
  return true;
}

}  // namespace xebec::watcher
