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

/// Objects from live reads. They replace the cached objects in the next observation.
struct LiveObjects {
  std::optional<StoredObject> parent;
  std::map<ResourceType, std::vector<ObjectBytes>> children;  ///< Complete lists.
  /// Single objects of kinds without a list; nullopt means that the object does not exist.
  std::map<ResourceType, std::map<ObjectKey, std::optional<StoredObject>>> single;
  std::optional<ObjectGroup> events;  ///< What the planner requested.

  /// Returns true if nothing replaces cached objects.
  bool empty() const { return children.empty() && single.empty() && !parent.has_value(); }
};
/// Compares content.
bool operator==(const LiveObjects& a, const LiveObjects& b);

/// Takes what complete `reads` of all purposes but kInDoubt have shown: Events, or the key's
/// children from lists and, if everything was read, the parent and single objects instead of all
/// earlier ones. Adds the uids of children to `shown`, and makes `gate` wait for what was found.
/// Returns false, and takes nothing, if everything was read and the parent does not exist or has
/// another uid.
bool TakeLive(const KeyContext& key, const LiveReads& reads, LiveObjects* live,
              std::set<std::string>* shown, CacheGate* gate);

/// Returns true if `child`, named `name`, belongs to the key by its controller reference or by the
/// rule's parent label.
bool OwnedByRule(const ChildRule& rule, const KeyRecord& record, const ObjectKey& name,
                 const StoredObject& child);

/// Returns the objects to read live when the caches lag behind the key's own writes: the parent,
/// and the objects that `gate` waits for; if these are many, lists of all children instead.
std::vector<ObjectRef> LaggingObjects(const KeyContext& key, const CacheGate& gate);

/// Returns the reads that the planner needs before it can continue; nullopt if it needs none.
std::optional<LiveReads> RequestedReads(const Plan& plan, const KeyContext& key);

/// Returns the lists that contain all children of the key: of the kinds in `only` or, if it is
/// null, of every child kind that can be read. Each is an ObjectRef without a name.
std::vector<ObjectRef> ListsOf(const KeyContext& key, const std::vector<ResourceType>* only);

}  // namespace xebec::watcher
