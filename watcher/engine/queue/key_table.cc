// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/key_table.h"

#include <algorithm>
#include <utility>

#include "common/model/names.h"

namespace xebec::watcher {
namespace {

template <typename Map, typename Key>
const KeyId* LookUp(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

KeyTable::Name KeyTable::LabelName(const KeyRecord& record) const {
  return {record.controller, {record.name.ns, LabelValue(record.name.name)}};
}

KeyId KeyTable::Add(ControllerId controller, const ObjectKey& name, const std::string& uid) {
  if (const KeyId* known = Find(controller, name)) {
    KeyRecord& record = at(*known);
    if (record.uid == uid) return *known;
    by_uid_.erase(record.uid);
    KeyRecord fresh;
    fresh.controller = controller;
    fresh.name = name;
    fresh.uid = uid;
    record = std::move(fresh);
    by_uid_[uid] = *known;
    return *known;
  }
  KeyId key = next_;
  if (free_.empty()) {
    ++next_;
  } else {
    key = free_.back();
    free_.pop_back();
  }
  ++counts_[controller];
  KeyRecord& record = records_[key];
  record.controller = controller;
  record.name = name;
  record.uid = uid;
  by_name_[{controller, name}] = key;
  by_uid_[uid] = key;
  if (const Name label = LabelName(record); label.second != name) by_long_label_[label] = key;
  return key;
}

void KeyTable::Remove(KeyId key) {
  const auto found = records_.find(key);
  if (found == records_.end()) return;
  const KeyRecord& record = found->second;
  if (const KeyId* owner = FindUid(record.uid); owner != nullptr && *owner == key) {
    by_uid_.erase(record.uid);
  }
  const auto label = by_long_label_.find(LabelName(record));
  if (label != by_long_label_.end() && label->second == key) by_long_label_.erase(label);
  by_name_.erase({record.controller, record.name});
  --counts_[record.controller];
  records_.erase(found);
  free_.push_back(key);
}

const KeyId* KeyTable::Find(ControllerId controller, const ObjectKey& name) const {
  return LookUp(by_name_, Name{controller, name});
}

const KeyId* KeyTable::FindUid(const std::string& uid) const { return LookUp(by_uid_, uid); }

const KeyId* KeyTable::FindLabel(ControllerId controller, const std::string& ns,
                                 const std::string& label) const {
  const Name name{controller, {ns, label}};
  const KeyId* exact = LookUp(by_name_, name);
  return exact != nullptr ? exact : LookUp(by_long_label_, name);
}

std::vector<KeyId> KeyTable::InNamespace(ControllerId controller, const std::string& ns) const {
  std::vector<KeyId> keys;
  for (auto it = by_name_.lower_bound({controller, {ns, ""}}); it != by_name_.end(); ++it) {
    if (it->first.first != controller || (!ns.empty() && it->first.second.ns != ns)) break;
    keys.push_back(it->second);
  }
  return keys;
}

std::vector<KeyId> KeyTable::Page(ControllerId controller, const std::string& ns,
                                  const ObjectKey& after, size_t limit) const {
  std::vector<KeyId> keys;
  const ObjectKey start = std::max(after, ObjectKey{ns, ""});
  for (auto it = by_name_.upper_bound({controller, start}); it != by_name_.end(); ++it) {
    const auto& [its, name] = it->first;
    if (its != controller || (!ns.empty() && name.ns != ns) || keys.size() == limit) break;
    keys.push_back(it->second);
  }
  return keys;
}

std::vector<KeyId> KeyTable::All() const {
  std::vector<KeyId> keys;
  keys.reserve(by_name_.size());
  for (const auto& [name, key] : by_name_) keys.push_back(key);
  return keys;
}

}  // namespace xebec::watcher
