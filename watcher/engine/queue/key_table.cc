// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/key_table.h"

#include <algorithm>
#include <utility>

#include "common/model/names.h"

namespace xebec::watcher {
namespace {

size_t NameHash(ControllerId controller, const ObjectKey& name) {
  return SlotIndex::HashOf(controller, name.ns, name.name);
}

}  // namespace

KeyTable::Name KeyTable::LabelName(const KeyRecord& record) const {
  return {record.controller, {record.name.ns, LabelValue(record.name.name)}};
}

KeyId KeyTable::Add(ControllerId controller, const ObjectKey& name, const Uid& uid) {
  KeyRecord fresh;
  fresh.controller = controller;
  fresh.name = name;
  fresh.uid = uid;
  const std::optional<KeyId> known = Find(controller, name);
  if (known && at(*known).uid == uid) return *known;
  if (!known) {
    const KeyId key = records_.Add(std::move(fresh));
    Index(key);
    return key;
  }
  Unindex(*known);
  at(*known) = std::move(fresh);
  Index(*known);
  return *known;
}

void KeyTable::Remove(KeyId key) {
  if (!Has(key)) return;
  Unindex(key);
  records_.Remove(key);
}

void KeyTable::SetProblem(KeyId key, bool problem) {
  KeyRecord& record = at(key);
  if (record.problem == problem) return;
  record.problem = problem;
  problems_[record.controller] += problem ? 1 : -1;
}

void KeyTable::Index(KeyId key) {
  const KeyRecord& record = at(key);
  by_name_.Add(NameHash(record.controller, record.name), key);
  by_uid_.Add(SlotIndex::HashOf(record.uid), key);
  in_order_.Add(key, Precedes(record.controller, record.name.ns, record.name.name));
  ++counts_[record.controller];
  Name label = LabelName(record);
  if (label.second != record.name) by_long_label_[std::move(label)] = key;
}

void KeyTable::Unindex(KeyId key) {
  const KeyRecord& record = at(key);
  by_name_.Remove(NameHash(record.controller, record.name), key);
  by_uid_.Remove(SlotIndex::HashOf(record.uid), key);
  in_order_.Remove(Precedes(record.controller, record.name.ns, record.name.name));
  --counts_[record.controller];
  if (record.problem) --problems_[record.controller];
  const auto label = by_long_label_.find(LabelName(record));
  if (label != by_long_label_.end() && label->second == key) by_long_label_.erase(label);
}

std::optional<KeyId> KeyTable::Find(ControllerId controller, const ObjectKey& name) const {
  return by_name_.Find(NameHash(controller, name), [&](KeyId key) {
    records_.Prefetch(key);
    return at(key).name == name && at(key).controller == controller;
  });
}

std::optional<KeyId> KeyTable::FindUid(ControllerId controller, const Uid& uid) const {
  return by_uid_.Find(SlotIndex::HashOf(uid), [&](KeyId key) {
    records_.Prefetch(key);
    __builtin_prefetch(at(key).name.name.data());  // what callers usually read next
    return at(key).uid == uid && at(key).controller == controller;
  });
}

std::optional<KeyId> KeyTable::FindLabel(ControllerId controller, const std::string& ns,
                                         const std::string& label) const {
  const std::optional<KeyId> exact = Find(controller, {ns, label});
  if (exact) return exact;
  const auto found = by_long_label_.find({controller, {ns, label}});
  return found == by_long_label_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<KeyId> KeyTable::Page(ControllerId controller, const std::string& ns,
                                  const ObjectKey& after, size_t limit) const {
  ObjectKey first = std::max(after, ObjectKey{ns, ""});
  first.name.push_back('\0');  // the least name above
  return Names(controller, ns, first, limit);
}

std::vector<KeyId> KeyTable::Names(ControllerId controller, const std::string& ns,
                                   const ObjectKey& first, size_t limit) const {
  const std::string none, above = ns + '\0';
  const auto end =
      ns.empty() ? Precedes(controller + 1, none, none) : Precedes(controller, above, none);
  return in_order_.Range(Precedes(controller, first.ns, first.name), end, limit);
}

}  // namespace xebec::watcher
