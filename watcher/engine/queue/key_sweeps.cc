// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/queue/key_sweeps.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {
namespace {

bool SameKeys(const KeysOfController& a, const KeysOfController& b) {
  return a.controller == b.controller && a.ns == b.ns && a.buckets == b.buckets &&
         a.priority == b.priority && a.failed_hook == b.failed_hook;
}

}  // namespace

void KeySweeps::Add(KeysOfController keys) {
  const bool covered = std::any_of(sweeps_.begin(), sweeps_.end(), [&](const Sweep& sweep) {
    const auto* what = std::get_if<KeysOfController>(&sweep.what);
    return what != nullptr && !sweep.begun && SameKeys(*what, keys);
  });
  if (!covered) sweeps_.push_back({.what = std::move(keys)});
}

void KeySweeps::Add(ParentsOfController parents) { sweeps_.push_back({.what = parents}); }

std::vector<KeyChange> KeySweeps::Next(size_t limit, uint32_t buckets, const CacheSet& cache,
                                       KeyTable* keys) {
  Turn turn{limit, buckets, cache, *keys};
  while (turn.left > 0 && !sweeps_.empty()) {
    Sweep& first = sweeps_.front();
    first.begun = true;
    const bool over =
        std::visit([&](const auto& what) { return Advance(&first, what, &turn); }, first.what);
    if (over) sweeps_.pop_front();
    --turn.left;  // sweeps of few keys cost something too
  }
  return std::move(turn.changes);
}

// Empty at the end.
std::vector<KeyId> KeySweeps::NextKeys(Sweep* sweep, ControllerId controller, const std::string& ns,
                                       Turn* turn) {
  std::vector<KeyId> keys = turn->keys.Page(controller, ns, sweep->after, turn->left);
  turn->left -= keys.size() - (keys.empty() ? 0 : 1);
  if (!keys.empty()) sweep->after = turn->keys.at(keys.back()).name;
  return keys;
}

bool KeySweeps::Advance(Sweep* sweep, const KeysOfController& what, Turn* turn) {
  const std::vector<KeyId> keys = NextKeys(sweep, what.controller, what.ns, turn);
  for (const KeyId key : keys) {
    if (what.buckets && !what.buckets->Contains(turn->keys.at(key).Bucket(turn->buckets))) continue;
    if (what.failed_hook && turn->keys.at(key).hook_failures == 0) continue;
    turn->changes.push_back({.key = key, .reason = what.reason, .priority = what.priority});
  }
  return keys.empty();
}

bool KeySweeps::Advance(Sweep* sweep, const ParentsOfController& what, Turn* turn) {
  if (!sweep->of_store) sweep->of_store = LookForGone(sweep, what, turn);
  return sweep->of_store && LookForNew(sweep, what, turn);
}

// A controller whose parents are of another scope than before watches no namespace of its old keys.
bool KeySweeps::LookForGone(Sweep* sweep, const ParentsOfController& what, Turn* turn) {
  const CachedController& its = turn->cache.controllers()[what.controller];
  const std::vector<KeyId> keys = NextKeys(sweep, what.controller, "", turn);
  for (const KeyId key : keys) {
    const ObjectKey& name = turn->keys.at(key).name;
    const WatchId* watch = its.active ? its.parent.Find(name.ns) : nullptr;
    if (watch != nullptr && !turn->cache.watches().Listed(*watch)) continue;
    if (turn->cache.Parent(what.controller, name) != nullptr) continue;
    turn->changes.push_back({.key = key, .gone = true});
  }
  return keys.empty();
}

bool KeySweeps::LookForNew(Sweep* sweep, const ParentsOfController& what, Turn* turn) {
  const CachedController& its = turn->cache.controllers()[what.controller];
  const std::vector<WatchId> watches = its.active ? its.parent.Seeing("") : std::vector<WatchId>{};
  for (; sweep->watch < watches.size(); ++sweep->watch, sweep->next = 0) {
    if (!turn->cache.watches().Listed(watches[sweep->watch])) continue;
    const ObjectTable& parents = turn->cache.store(watches[sweep->watch]).objects();
    for (; sweep->next < parents.end(); ++sweep->next, --turn->left) {
      if (turn->left == 1) return false;
      if (!parents.Has(sweep->next)) continue;
      const ObjectKey name = parents.KeyOf(sweep->next);
      const Uid& uid = parents.at(sweep->next).uid;
      const std::optional<KeyId> known = turn->keys.Find(what.controller, name);
      if (known && turn->keys.at(*known).uid == uid) continue;
      turn->changes.push_back({.key = turn->keys.Add(what.controller, name, uid),
                               .reason = "controller registered",
                               .priority = Priority::kBackground,
                               .new_incarnation = known.has_value()});
    }
  }
  return true;
}

}  // namespace xebec::watcher
