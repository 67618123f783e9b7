// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/model/assignment.h"
#include "watcher/engine/cache/reflector/reflector.h"
#include "watcher/engine/cache/watches/watch_set.h"
#include "watcher/engine/figures.h"
#include "watcher/engine/io.h"
#include "watcher/engine/options.h"

namespace xebec::watcher {

/// The time of an input, and where its outputs go.
struct CacheContext {
  absl::Duration now;  ///< Monotonic.
  Outputs* out;
  /// host:port of the watcher that holds all buckets that are gained; empty for none, or several.
  std::string from = {};
};

/// The changes that one input made to one watch.
struct Touched {
  WatchId watch = 0;
  bool first = false;       ///< No list was complete before.
  kube::BucketFilter held;  ///< What the cache held before.
  bool listed = false;      ///< The store has taken a complete list.
  StoreChanges changes;
};

/// One reflector for each resource that is watched, in one namespace or in all. The pool routes
/// inputs and timers to the reflectors. It does not know what the resources are used for. A WatchId
/// is never used again; a watch that is not needed any more is inactive. The cost of an input does
/// not depend on the number of watches. A value.
class WatchPool {
 public:
  WatchPool(const Options& options, const std::string& identity);

  /// Starts to watch the resource, or changes how it is watched.
  void Watch(const ResourceSpec& spec, CacheContext& context);
  /// Says to which parents the objects with a parent label belong, among those whose filter has
  /// BucketFilter::labels. As soon as the parents of a namespace are known, only the objects of
  /// those that are held are kept; until then all.
  void SetLabelParents(WatchId id, std::set<ResourceType> parents);
  /// Stops to watch the resource and drops its objects; many of them in steps (OnTick).
  void Drop(WatchId id, CacheContext& context);

  std::vector<Touched> On(const Discovered& input, CacheContext& context);
  std::vector<Touched> On(const DiscoveryFailed& input, CacheContext& context);
  std::vector<Touched> On(const ListArrived& input, CacheContext& context);
  std::vector<Touched> On(const ListFailed& input, CacheContext& context);
  std::vector<Touched> On(EventsArrived input, CacheContext& context);
  std::vector<Touched> On(const WatchEnded& input, CacheContext& context);
  std::vector<Touched> On(const WatchMalformed& input, CacheContext& context);
  /// Runs the timers that are due.
  std::vector<Touched> OnTick(CacheContext& context);
  /// When OnTick is due; InfiniteDuration when nothing waits for a time.
  absl::Duration NextDeadline() const;

  /// The reflectors bring their caches up to date: FreshnessBarrier::fresh_since becomes at least
  /// `needed.since`. With a statement, it is seen_since.
  std::vector<Touched> RequireFresh(const FreshnessNeeded& needed, CacheContext& context);
  /// Lists a resource again because its cache lacks an own write. The watch goes on meanwhile.
  void Doubt(WatchId id, CacheContext& context);
  /// Returns false for some time after each Doubt. The time grows.
  bool MayDoubt(WatchId watch, absl::Duration now) const;

  size_t size() const { return watches_.size(); }
  bool Active(WatchId watch) const { return watches_[watch].active; }
  /// Returns true if the cache may lack objects of parents that came late: a list is due, or it is
  /// not known yet whether it is.
  bool MayLackObjects(WatchId watch) const {
    const Entry& entry = watches_[watch];
    return entry.list_due != absl::InfiniteDuration() || !entry.left_out.empty();
  }
  /// Returns true if an object with this parent label may belong to a parent in the buckets.
  bool NamesParentIn(const BucketSet& buckets, WatchId watch, const std::string& ns,
                     const std::string& label) const;
  /// Returns the parent labels of objects that were lately not kept, of parents that are not
  /// stored.
  std::vector<ObjectKey> LeftOut(WatchId watch) const;
  /// Returns true if the watch is active and its cache holds all objects of Reflector::spec().
  bool Usable(WatchId watch) const;
  /// Returns true if each of the watches can be read, as far as it is known.
  bool Readable(const std::vector<WatchId>& watches) const;
  /// Returns true if the cache has had a complete list.
  bool Listed(WatchId watch) const {
    return reflector(watch).cache().lists().taken_since != -absl::InfiniteDuration();
  }
  const Reflector& reflector(WatchId watch) const { return watches_[watch].reflector; }
  const ObjectStore& store(WatchId watch) const { return watches_[watch].reflector.store(); }
  /// Returns the active watches of a resource.
  const WatchSet& Of(const ResourceType& type) const;
  /// Returns the active watch of that type and namespace, or null.
  const WatchId* Find(const ResourceType& type, const std::string& ns) const {
    return Of(type).Find(ns);
  }
  /// Returns the object's name for users: "pods team-a/web".
  std::string NameOf(WatchId watch, const ObjectKey& object) const;
  /// Explains to users which resources are not listed yet and why.
  std::vector<std::string> Unsynced() const;
  std::vector<ResourceFigures> Figures(absl::Duration now) const;

  bool operator==(const WatchPool&) const = default;

 private:
  /// What another watcher has left out when it handed objects over, until it is reviewed.
  struct HandedLabels {
    kube::BucketFilter held;  // without what was handed over
    std::vector<ObjectKey> labels;
    bool operator==(const HandedLabels&) const = default;
  };
  struct Entry {
    Reflector reflector;
    bool active = true;
    std::set<ResourceType> label_parents = {};
    std::vector<StreamId> streams = {};
    absl::Duration deadline = absl::InfiniteDuration();
    absl::Duration list_due = absl::InfiniteDuration();  // for parents that came late
    std::vector<HandedLabels> left_out = {};
    absl::Duration next_doubt = -absl::InfiniteDuration();
    absl::Duration doubt_pause = absl::Minutes(1);
    bool operator==(const Entry&) const = default;
  };
  using Handler = absl::FunctionRef<void(Reflector&, ReflectorContext&)>;

  Touched Touch(WatchId id, CacheContext& context, Handler handler);
  Touched TouchOne(WatchId id, CacheContext& context, Handler handler);
  bool KnowsParents(WatchId parents) const;
  std::optional<bool> Misses(WatchId id, const HandedLabels& handed) const;
  bool MayHold(WatchId id, const std::string& ns, const std::string& label) const;
  void NoticeParents(const Touched& touched, bool knew, CacheContext& context);
  void ListSoon(WatchId id, absl::Duration now);
  void ReviewLeftOut(WatchId id, absl::Duration now);
  std::vector<Touched> OnStream(StreamId stream, CacheContext& context, Handler handler);
  void Register(WatchId id);

  ReflectorPolicy policy_;
  std::vector<Entry> watches_;
  std::map<std::pair<ResourceType, std::string>, WatchId> ids_;  // of all
  std::map<ResourceType, WatchSet> by_type_;                     // the active ones
  std::map<ResourceType, std::set<WatchId>> by_label_parent_;
  std::map<StreamId, WatchId> streams_;
  std::set<std::pair<absl::Duration, WatchId>> deadlines_;
  StreamId last_stream_ = 0;
};

}  // namespace xebec::watcher
