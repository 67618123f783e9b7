// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/watches/watch_pool.h"

#include <algorithm>
#include <utility>

#include "watcher/engine/backoff.h"

namespace xebec::watcher {
namespace {

// True if the label may be that of a parent of one of these types that `keeps` keeps. As long as
// the parents are not `known`, it may. The label of a parent with a long name is not its name.
template <typename Known, typename Keeps>
bool NamesParent(const WatchPool& pool, const std::set<ResourceType>& types, const std::string& ns,
                 const std::string& label, const Known& known, const Keeps& keeps) {
  constexpr size_t kLongLabel = 48;
  if (types.empty() || label.size() >= kLongLabel) return true;
  return std::any_of(types.begin(), types.end(), [&](const ResourceType& type) {
    const WatchId* parents = pool.Find(type, ns);
    if (parents == nullptr) return false;
    if (type.cluster_scoped || !known(*parents)) return true;
    const StoredObject* parent = pool.store(*parents).Find({ns, label});
    return parent != nullptr && keeps(*parents, *parent);
  });
}

// A list also brings objects that are missing.
std::string VersionIn(const SeenVersions& seen, const WatchPool& watches, WatchId id) {
  const auto stated = seen.find(StatementKey(watches.reflector(id).spec()));
  return stated == seen.end() || watches.MayLackObjects(id) ? "" : stated->second;
}

}  // namespace

WatchPool::WatchPool(const Options& options, const std::string& identity)
    : policy_{.backoff = {options.list_backoff_min, options.list_backoff_max},
              .watch_timeout = options.watch_timeout,
              .discovery_interval = options.discovery_interval,
              .list_page = options.list_page,
              .seed = Seed(identity, 0)} {}

void WatchPool::Watch(const ResourceSpec& spec, CacheContext& context) {
  const auto fresh = static_cast<WatchId>(watches_.size());
  const WatchId id = ids_.try_emplace({spec.type, spec.ns}, fresh).first->second;
  if (id == fresh) watches_.push_back(Entry{Reflector(spec, policy_)});
  watches_[id].active = true;
  by_type_[spec.type].Add(spec.ns, id);
  Touch(id, context, [&](Reflector& r, ReflectorContext& c) {
    r.Respecify(spec, c);
    r.Start(c);
  });
}

void WatchPool::Drop(WatchId id, CacheContext& context) {
  Entry& entry = watches_[id];
  Touch(id, context, [](Reflector& r, ReflectorContext& c) { r.Clear(c); });
  entry.active = false;
  const ResourceSpec& spec = entry.reflector.spec();
  WatchSet& set = by_type_[spec.type];
  set.Remove(spec.ns);
  if (set.all().empty()) by_type_.erase(spec.type);
}

Touched WatchPool::Touch(WatchId id, CacheContext& context, Handler handler) {
  const bool knew = KnowsParents(id);
  Touched touched = TouchOne(id, context, handler);
  NoticeParents(touched, knew, context);
  ReviewLeftOut(id, context.now);
  return touched;
}

// One input of one watch: the reflector takes it.
Touched WatchPool::TouchOne(WatchId id, CacheContext& context, Handler handler) {
  Touched touched{.watch = id,
                  .first = !Listed(id),
                  .held = reflector(id).spec().projection.keep,
                  .changes = {}};
  const auto holds = [this, id](const std::string& ns, const std::string& label) {
    return MayHold(id, ns, label);
  };
  ReflectorContext inner{.now = context.now,
                         .last_stream = &last_stream_,
                         .changes = &touched.changes,
                         .out = context.out,
                         .holds = holds,
                         .from = context.from};
  handler(watches_[id].reflector, inner);
  Register(id);
  touched.listed = inner.listed;
  return touched;
}

void WatchPool::SetLabelParents(WatchId id, std::set<ResourceType> parents) {
  Entry& entry = watches_[id];
  for (const ResourceType& type : entry.label_parents) by_label_parent_[type].erase(id);
  for (const ResourceType& type : parents) by_label_parent_[type].insert(id);
  entry.label_parents = std::move(parents);
}

// While more is being listed than is held, parents of other buckets may come. A kind that is not
// served has no others than those that the cache has.
bool WatchPool::KnowsParents(WatchId parents) const {
  const Entry& entry = watches_[parents];
  const bool complete =
      entry.reflector.unserved() || entry.reflector.availability() == Availability::kReady;
  return entry.active && complete && !entry.reflector.cache().scope().active();
}

bool WatchPool::MayHold(WatchId id, const std::string& ns, const std::string& label) const {
  return NamesParent(
      *this, watches_[id].label_parents, ns, label,
      [this](WatchId parents) { return KnowsParents(parents); },
      [this](WatchId parents, const StoredObject& parent) {
        return Keeps(reflector(parents).spec().projection.keep, parent);
      });
}

bool WatchPool::NamesParentIn(const BucketSet& buckets, WatchId watch, const std::string& ns,
                              const std::string& label) const {
  return NamesParent(
      *this, watches_[watch].label_parents, ns, label,
      [this](WatchId parents) { return KnowsParents(parents); },
      [&buckets](WatchId, const StoredObject& parent) {
        return buckets.ContainsUid(parent.uid.str());
      });
}

// A parent that comes beside a list is new. If its objects came before it, only a list shows them;
// one list serves all parents that come within the pause.
void WatchPool::NoticeParents(const Touched& touched, bool knew, CacheContext& context) {
  const auto found = by_label_parent_.find(reflector(touched.watch).spec().type);
  if (found == by_label_parent_.end()) return;
  const bool known = !knew && KnowsParents(touched.watch);
  for (const WatchId id : found->second) {
    if (known) TouchOne(id, context, [](Reflector& r, ReflectorContext& c) { r.Prune(c); });
    if (known) ReviewLeftOut(id, context.now);
    const auto missed = [&](const StoreChange& change) {
      return change.type == ChangeType::kAdded && Keeps(touched.held, *change.after) &&
             reflector(id).cache().HasLeftOut(change.key);
    };
    if (touched.first || std::none_of(touched.changes.begin(), touched.changes.end(), missed)) {
      continue;
    }
    ListSoon(id, context.now);
  }
}

void WatchPool::ListSoon(WatchId id, absl::Duration now) {
  constexpr absl::Duration kPause = absl::Seconds(5);
  Entry& entry = watches_[id];
  entry.list_due = std::min(entry.list_due, now + kPause);
  Register(id);
}

// nullopt if the parents are not known yet.
std::optional<bool> WatchPool::Misses(WatchId id, const HandedLabels& handed) const {
  for (const ObjectKey& label : handed.labels) {
    for (const ResourceType& type : watches_[id].label_parents) {
      const WatchId* parents = Find(type, label.ns);
      if (parents == nullptr) continue;
      if (!KnowsParents(*parents)) return std::nullopt;
      const StoredObject* parent = store(*parents).Find(label);
      if (parent != nullptr && !handed.held.buckets->ContainsUid(parent->uid.str())) return true;
    }
  }
  return false;
}

// Other watchers have handed objects over, and had left out others because they did not know their
// parents yet. If one of these parents is here, its objects are missing.
void WatchPool::ReviewLeftOut(WatchId id, absl::Duration now) {
  while (!watches_[id].left_out.empty()) {
    const std::optional<bool> misses = Misses(id, watches_[id].left_out.back());
    if (!misses) return;  // comes back once the parents are known
    watches_[id].left_out.pop_back();
    if (*misses) ListSoon(id, now);
  }
}

std::vector<Touched> WatchPool::OnStream(StreamId stream, CacheContext& context, Handler handler) {
  std::vector<Touched> touched;
  const auto found = streams_.find(stream);
  if (found != streams_.end()) touched.push_back(Touch(found->second, context, handler));
  return touched;
}

// Keeps the indexes of streams and deadlines those of the watch.
void WatchPool::Register(WatchId id) {
  Entry& entry = watches_[id];
  std::vector<StreamId> streams = entry.reflector.streams().Streams();
  if (streams != entry.streams) {
    for (const StreamId old : entry.streams) streams_.erase(old);
    for (const StreamId stream : streams) streams_[stream] = id;
    entry.streams = std::move(streams);
  }
  const absl::Duration deadline = std::min(entry.reflector.NextDeadline(), entry.list_due);
  if (deadline == entry.deadline) return;
  if (entry.deadline != absl::InfiniteDuration()) deadlines_.erase({entry.deadline, id});
  if (deadline != absl::InfiniteDuration()) deadlines_.insert({deadline, id});
  entry.deadline = deadline;
}

// The answer to one watch of a resource is the answer to all that have asked.
std::vector<Touched> WatchPool::On(const Discovered& input, CacheContext& context) {
  std::vector<Touched> touched;
  for (const auto& [ns, watch] : Of(input.type).all()) {
    if (!watches_[watch].reflector.discovering()) continue;
    touched.push_back(Touch(watch, context,
                            [&](Reflector& r, ReflectorContext& c) { r.OnDiscovered(input, c); }));
  }
  return touched;
}

std::vector<Touched> WatchPool::On(const DiscoveryFailed& input, CacheContext& context) {
  std::vector<Touched> touched;
  for (const auto& [ns, watch] : Of(input.type).all()) {
    touched.push_back(Touch(watch, context, [&](Reflector& r, ReflectorContext& c) {
      r.OnDiscoveryFailed(input.failure, c);
    }));
  }
  return touched;
}

std::vector<Touched> WatchPool::On(const ListArrived& input, CacheContext& context) {
  const auto watch = streams_.find(input.stream);
  if (!input.left_out.empty() && watch != streams_.end()) {
    Entry& entry = watches_[watch->second];
    entry.left_out.push_back({entry.reflector.spec().projection.keep, input.left_out});
  }
  return OnStream(input.stream, context,
                  [&](Reflector& r, ReflectorContext& c) { r.OnList(input, c); });
}

std::vector<Touched> WatchPool::On(const ListFailed& input, CacheContext& context) {
  return OnStream(input.stream, context,
                  [&](Reflector& r, ReflectorContext& c) { r.OnListFailed(input, c); });
}

std::vector<Touched> WatchPool::On(EventsArrived input, CacheContext& context) {
  return OnStream(input.stream, context,
                  [&](Reflector& r, ReflectorContext& c) { r.OnEvents(std::move(input), c); });
}

std::vector<Touched> WatchPool::On(const WatchEnded& input, CacheContext& context) {
  return OnStream(input.stream, context,
                  [&](Reflector& r, ReflectorContext& c) { r.OnWatchEnded(input, c); });
}

std::vector<Touched> WatchPool::On(const WatchMalformed& input, CacheContext& context) {
  return OnStream(input.stream, context,
                  [&](Reflector& r, ReflectorContext& c) { r.OnMalformed(input, c); });
}

std::vector<Touched> WatchPool::OnTick(CacheContext& context) {
  // Each watch once: one that is due again at once gets its turn with the next Tick.
  std::vector<WatchId> due;
  for (const auto& [deadline, watch] : deadlines_) {
    if (deadline > context.now) break;
    due.push_back(watch);
  }
  std::vector<Touched> touched;
  touched.reserve(due.size());
  for (const WatchId watch : due) {
    absl::Duration& list_due = watches_[watch].list_due;
    const bool lists = list_due <= context.now;
    if (lists) list_due = absl::InfiniteDuration();
    touched.push_back(Touch(watch, context, [lists](Reflector& r, ReflectorContext& c) {
      if (lists) r.Relist("late_parent", c);
      if (r.NextDeadline() <= c.now) r.OnTick(c);
    }));
  }
  return touched;
}

absl::Duration WatchPool::NextDeadline() const {
  return deadlines_.empty() ? absl::InfiniteDuration() : deadlines_.begin()->first;
}

std::vector<Touched> WatchPool::RequireFresh(const FreshnessNeeded& needed, CacheContext& context) {
  std::vector<Touched> touched;
  for (WatchId id = 0; id < watches_.size(); ++id) {
    if (!watches_[id].active) continue;
    FreshnessRequired required{needed.since, std::nullopt, &needed.buckets};
    if (needed.stated != nullptr) required.version = VersionIn(*needed.stated, *this, id);
    Touched one =
        Touch(id, context, [&](Reflector& r, ReflectorContext& c) { r.RequireFresh(required, c); });
    if (reflector(id).availability() == Availability::kReady) touched.push_back(std::move(one));
  }
  return touched;
}

void WatchPool::Doubt(WatchId id, CacheContext& context) {
  constexpr absl::Duration kMaxPause = absl::Minutes(10);
  Entry& entry = watches_[id];
  if (context.now >= entry.next_doubt + kMaxPause) entry.doubt_pause = absl::Minutes(1);
  entry.next_doubt = context.now + entry.doubt_pause;
  entry.doubt_pause = std::min(2 * entry.doubt_pause, kMaxPause);
  Touch(id, context, [](Reflector& r, ReflectorContext& c) { r.Relist("lost_write", c); });
}

bool WatchPool::MayDoubt(WatchId watch, absl::Duration now) const {
  return now >= watches_[watch].next_doubt;
}

std::vector<ObjectKey> WatchPool::LeftOut(WatchId watch) const {
  const std::set<ResourceType>& types = watches_[watch].label_parents;
  std::vector<ObjectKey> labels;
  for (const ObjectKey& label : reflector(watch).cache().left_out().all()) {
    const bool stored = std::any_of(types.begin(), types.end(), [&](const ResourceType& type) {
      const WatchId* parents = Find(type, label.ns);
      return parents != nullptr && store(*parents).Find(label) != nullptr;
    });
    if (!stored) labels.push_back(label);
  }
  return labels;
}

bool WatchPool::Usable(WatchId watch) const {
  const Entry& entry = watches_[watch];
  return entry.active && entry.reflector.availability() == Availability::kReady;
}

bool WatchPool::Readable(const std::vector<WatchId>& watches) const {
  return std::all_of(watches.begin(), watches.end(), [this](WatchId id) {
    return reflector(id).availability() != Availability::kUnavailable;
  });
}

const WatchSet& WatchPool::Of(const ResourceType& type) const {
  static const WatchSet none;
  const auto found = by_type_.find(type);
  return found == by_type_.end() ? none : found->second;
}

std::string WatchPool::NameOf(WatchId watch, const ObjectKey& object) const {
  return Describe(ObjectRef{reflector(watch).spec().type, object.ns, object.name});
}

std::vector<std::string> WatchPool::Unsynced() const {
  std::vector<std::string> lines;
  for (const Entry& entry : watches_) {
    const bool pending = entry.reflector.availability() == Availability::kPending;
    if (entry.active && pending) lines.push_back(entry.reflector.Explain());
  }
  return lines;
}

std::vector<ResourceFigures> WatchPool::Figures(absl::Duration now) const {
  std::vector<ResourceFigures> figures;
  for (const Entry& entry : watches_) {
    if (entry.active) figures.push_back(entry.reflector.Figures(now));
  }
  return figures;
}

}  // namespace xebec::watcher
