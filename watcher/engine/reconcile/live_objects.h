// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "watcher/engine/reconcile/cache_gate.h"
#include "watcher/engine/reconcile/key_context.h"
#include "watcher/engine/reconcile/live_reads.h"

namespace xebec::watcher {

/// Objects that were read live: they replace the cached ones in the next observation.
struct LiveObjects {
  std::optional<StoredObject> parent;
  std::map<ResourceType, std::vector<ObjectBytes>> children;  ///< Complete, of lists.
  /// Single objects of kinds without a list; nullopt: the object does not exist.
  std::map<ResourceType, std::map<ObjectKey, std::optional<StoredObject>>> single;

  bool empty() const { return children.empty() && single.empty() && !parent.has_value(); }
};
/// Compares content.
bool operator==(const LiveObjects& a, const LiveObjects& b);

/// Takes the parent from `reads`, and makes `gate` wait for it. False when it is gone or has
/// another uid.
bool TakeLiveParent(const KeyContext& key, const LiveReads& reads, LiveObjects* live,
                    CacheGate* gate);
/// Takes the other single objects from `reads`, and forgets earlier lists. What exists of them is
/// added to `shown` if it is the key's child, and `gate` waits for it.
void TakeLiveObjects(const KeyContext& key, const LiveReads& reads, LiveObjects* live,
                     std::set<std::string>* shown, CacheGate* gate);
/// Takes the key's children from the lists in `reads`, adds their uids to `shown`, and makes `gate`
/// wait for them.
void TakeLiveLists(const KeyContext& key, const LiveReads& reads, LiveObjects* live,
                   std::set<std::string>* shown, CacheGate* gate);

/// True when `child`, named `name`, belongs to the key by its controller reference or by the rule's
/// parent label.
bool OwnedByRule(const ChildRule& rule, const KeyRecord& record, const ObjectKey& name,
                 const StoredObject& child);

/// What to read live when the caches lag behind the key's own writes: the parent, and the objects
/// that `gate` waits for, or all children by lists where that is many objects.
std::vector<ObjectRef> LaggingObjects(const KeyContext& key, const CacheGate& gate);

/// The lists that show all children of the key: of the kinds in `only`, or, when that is null, of
/// every child kind that can be read. Each is an ObjectRef without a name.
std::vector<ObjectRef> ListsOf(const KeyContext& key, const std::vector<ResourceType>* only);

}  // namespace xebec::watcher
