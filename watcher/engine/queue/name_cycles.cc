// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/name_cycles.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace xebec::watcher {
namespace {

constexpr size_t kMostParents = 1000;

// The plan that says so was made for the parent as it is now.
bool Leaves(const KeyRecord& record, const ObjectRef& ref, const CacheSet& cache) {
  const StoredObject* parent = cache.Parent(record.controller, record.name);
  return parent != nullptr && !parent->deleting &&
         parent->generation == record.leaving_generation &&
         std::find(record.leaving.begin(), record.leaving.end(), ref) != record.leaving.end();
}

// The parent with the uid, of whatever controller.
std::optional<KeyId> FindParent(const KeyTable& keys, const CacheSet& cache, const Uid& uid) {
  if (uid.empty()) return std::nullopt;
  for (ControllerId id = 0; id < cache.controllers().size(); ++id) {
    if (const std::optional<KeyId> key = keys.FindUid(id, uid)) return key;
  }
  return std::nullopt;
}

// The parents that have names that `key` wants, and leave them.
std::vector<std::pair<KeyId, ObjectRef>> LeavingHolders(const KeyTable& keys, const CacheSet& cache,
                                                        KeyId key) {
  std::vector<std::pair<KeyId, ObjectRef>> holders;
  const KeyRecord& record = keys.at(key);
  for (const ObjectRef& ref : record.wanted) {
    const std::optional<KeyId> holder = FindParent(keys, cache, record.outcomes.HolderOf(ref));
    if (!holder || *holder == key || !Leaves(keys.at(*holder), ref, cache)) continue;
    holders.emplace_back(*holder, ref);
  }
  return holders;
}

// The parent with the lowest uid on the way back from `last`.
KeyId LowestUid(const KeyTable& keys, const std::map<KeyId, KeyId>& waiting, KeyId last,
                KeyId start) {
  KeyId lowest = start;
  for (KeyId key = last; key != start; key = waiting.at(key)) {
    if (keys.at(key).uid < keys.at(lowest).uid) lowest = key;
  }
  return lowest;
}

}  // namespace

std::optional<NameCycle> FindNameCycle(const KeyTable& keys, const CacheSet& cache, KeyId start) {
  if (keys.at(start).wanted.empty()) return std::nullopt;
  std::map<KeyId, KeyId> waiting;  // for a holder: who was found to wait for it
  std::deque<KeyId> line = {start};
  while (!line.empty() && waiting.size() < kMostParents) {
    const KeyId key = line.front();
    line.pop_front();
    for (auto& [holder, ref] : LeavingHolders(keys, cache, key)) {
      if (holder == start) return NameCycle{LowestUid(keys, waiting, key, start), std::move(ref)};
      if (waiting.try_emplace(holder, key).second) line.push_back(holder);
    }
  }
  return std::nullopt;
}

}  // namespace xebec::watcher
