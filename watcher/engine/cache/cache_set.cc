// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/cache/cache_set.h"

#include <algorithm>
#include <utility>

namespace xebec::watcher {

CacheSet::CacheSet(const Options& options, const std::string& identity)
    : options_(options), identity_(identity) {}

// One input of one watch: the reflector takes it, and what follows from it is collected.
void CacheSet::Touch(WatchId id, CacheContext& context, Handler handler) {
  Reflector& reflector = watches_[id].reflector;
  const bool first = reflector.listed_since() == -absl::InfiniteDuration();
  StoreChanges changes;
  ReflectorContext inner{
      .now = context.now, .last_stream = &last_stream_, .changes = &changes, .out = context.out};
  handler(reflector, inner);
  Register(id);
  for (const StoreChange& change : changes) TakeChange(id, first, change);
  if (inner.listed) changes_.emplace_back(Relisted{id});
  changes_.emplace_back(Progressed{id});
  NoticeAvailability(id);
  NoticeStatus(id);
}

void CacheSet::OnStream(StreamId stream, CacheContext& context, Handler handler) {
  const auto found = streams_.find(stream);
  if (found != streams_.end()) Touch(found->second, context, handler);
}

// Keeps the indexes of streams and deadlines those of the watch.
void CacheSet::Register(WatchId id) {
  Watch& watch = watches_[id];
  std::set<StreamId> streams = watch.reflector.Streams();
  if (streams != watch.streams) {
    for (const StreamId old : watch.streams) streams_.erase(old);
    for (const StreamId stream : streams) streams_[stream] = id;
    watch.streams = std::move(streams);
  }
  const absl::Duration deadline = watch.reflector.NextDeadline();
  if (deadline == watch.deadline) return;
  if (watch.deadline != absl::InfiniteDuration()) deadlines_.erase({watch.deadline, id});
  if (deadline != absl::InfiniteDuration()) deadlines_.insert({deadline, id});
  watch.deadline = deadline;
}

// Readiness is kept rather than computed: it is asked for at every step.
void CacheSet::NoticeStatus(WatchId id) {
  Watch& watch = watches_[id];
  const Availability availability = watch.reflector.availability();
  const bool ready = IsReady(watch);
  if (ready == watch.ready && availability == watch.availability) return;
  watch.ready = ready;
  watch.availability = availability;
  check_move_ = true;
  for (const Role& role : watch.roles) {
    ready_[role.controller] = IsReady(controllers_[role.controller]);
  }
}

bool CacheSet::IsReady(const Watch& watch) const {
  return watch.active && watch.reflector.availability() == Availability::kReady &&
         watch.reflector.fresh_since() >= fresh_since_;
}

// A namespace that cannot be read does not stop the others.
bool CacheSet::Usable(const WatchSet& set) const {
  return std::all_of(set.all().begin(), set.all().end(), [this](const auto& each) {
    const Watch& watch = watches_[each.second];
    return watch.ready || watch.reflector.availability() == Availability::kUnavailable;
  });
}

bool CacheSet::IsReady(const CachedController& controller) const {
  const auto& parents = controller.parent.all();
  const bool any = std::any_of(parents.begin(), parents.end(),
                               [this](const auto& each) { return watches_[each.second].ready; });
  const auto usable = [this](const WatchSet& set) { return Usable(set); };
  return controller.active && any && usable(controller.parent) &&
         std::all_of(controller.children.begin(), controller.children.end(), usable) &&
         std::all_of(controller.related.begin(), controller.related.end(), usable);
}

// The answer to one watch of a resource is the answer to all that have asked.
void CacheSet::On(const Discovered& input, CacheContext& context) {
  for (const auto& [ns, watch] : WatchesOf(input.type).all()) {
    if (!watches_[watch].reflector.discovering()) continue;
    Touch(watch, context, [&](Reflector& r, ReflectorContext& c) { r.OnDiscovered(input, c); });
    if (input.served) CheckSubresources(watch, context);
  }
}

void CacheSet::On(const DiscoveryFailed& input, CacheContext& context) {
  for (const auto& [ns, watch] : WatchesOf(input.type).all()) {
    Touch(watch, context,
          [&](Reflector& r, ReflectorContext& c) { r.OnDiscoveryFailed(input.failure, c); });
  }
}

void CacheSet::On(const ListArrived& input, CacheContext& context) {
  OnStream(input.stream, context, [&](Reflector& r, ReflectorContext& c) { r.OnList(input, c); });
}

void CacheSet::On(const ListFailed& input, CacheContext& context) {
  OnStream(input.stream, context,
           [&](Reflector& r, ReflectorContext& c) { r.OnListFailed(input, c); });
}

void CacheSet::On(EventsArrived input, CacheContext& context) {
  OnStream(input.stream, context,
           [&](Reflector& r, ReflectorContext& c) { r.OnEvents(std::move(input), c); });
}

void CacheSet::On(const WatchEnded& input, CacheContext& context) {
  OnStream(input.stream, context,
           [&](Reflector& r, ReflectorContext& c) { r.OnWatchEnded(input, c); });
}

void CacheSet::On(const WatchMalformed& input, CacheContext& context) {
  OnStream(input.stream, context,
           [&](Reflector& r, ReflectorContext& c) { r.OnCorrupt(input, c); });
}

void CacheSet::OnTick(CacheContext& context) {
  // Each watch once: one that is due again at once gets its turn with the next Tick.
  std::vector<WatchId> due;
  for (const auto& [deadline, watch] : deadlines_) {
    if (deadline > context.now) break;
    due.push_back(watch);
  }
  for (const WatchId watch : due) {
    Touch(watch, context, [](Reflector& r, ReflectorContext& c) { r.OnTick(c); });
  }
  MaybeMoveOver(context);
}

absl::Duration CacheSet::NextDeadline() const {
  return deadlines_.empty() ? move_by_ : std::min(move_by_, deadlines_.begin()->first);
}

void CacheSet::RequireFresh(absl::Duration since, CacheContext& context) {
  if (since <= fresh_since_) return;
  fresh_since_ = since;
  for (WatchId id = 0; id < watches_.size(); ++id) {
    Watch& watch = watches_[id];
    if (!watch.active) continue;
    StoreChanges none;
    ReflectorContext inner{
        .now = context.now, .last_stream = &last_stream_, .changes = &none, .out = context.out};
    watch.reflector.RequireFresh(since, inner);
    Register(id);
    watch.ready = IsReady(watch);
  }
  for (ControllerId id = 0; id < controllers_.size(); ++id) ready_[id] = IsReady(controllers_[id]);
}

bool CacheSet::MayDoubt(WatchId watch, absl::Duration now) const {
  return now >= watches_[watch].next_doubt;
}

void CacheSet::Doubt(WatchId id, CacheContext& context) {
  constexpr absl::Duration kMaxPause = absl::Minutes(10);
  Watch& watch = watches_[id];
  if (context.now >= watch.next_doubt + kMaxPause) watch.doubt_pause = absl::Minutes(1);
  watch.next_doubt = context.now + watch.doubt_pause;
  watch.doubt_pause = std::min(2 * watch.doubt_pause, kMaxPause);
  StoreChanges none;
  ReflectorContext inner{
      .now = context.now, .last_stream = &last_stream_, .changes = &none, .out = context.out};
  watch.reflector.Relist("lost_write", inner);
  Register(id);
}

// Without a planner of the current revision nothing is planned: the candidate waits no longer.
void CacheSet::OnForeignPlan(const std::string& revision, CacheContext& context) {
  if (revisions_.OnForeignPlan(revision, context.now)) return UpdateWatches(context);
  const PlannerDescription* candidate = revisions_.candidate();
  const bool next = candidate != nullptr && candidate->revision == revision;
  if (next && revisions_.Deserted(context.now)) MoveOver(context);
}

std::string CacheSet::revision() const {
  return revisions_.current() == nullptr ? "" : revisions_.current()->revision;
}

const WatchSet& CacheSet::WatchesOf(const ResourceType& type) const {
  static const WatchSet none;
  const auto found = watch_sets_.find(type);
  return found == watch_sets_.end() ? none : found->second;
}

const WatchId* CacheSet::Find(const ResourceType& type, const std::string& ns) const {
  return WatchesOf(type).Find(ns);
}

std::string CacheSet::NameOf(WatchId watch, const ObjectKey& object) const {
  return Describe(ObjectRef{reflector(watch).spec().type, object.ns, object.name});
}

WatchId CacheSet::ParentWatch(ControllerId controller, const std::string& ns) const {
  return *controllers_[controller].parent.Find(ns);
}

const StoredObject* CacheSet::Parent(ControllerId controller, const ObjectKey& name) const {
  if (!controllers_[controller].active) return nullptr;
  return store(ParentWatch(controller, name.ns)).Find(name);
}

bool CacheSet::Readable(const std::vector<WatchId>& watches) const {
  return std::all_of(watches.begin(), watches.end(), [this](WatchId id) {
    return watches_[id].reflector.availability() != Availability::kUnavailable;
  });
}

std::vector<std::string> CacheSet::Unsynced() const {
  if (revisions_.current() == nullptr) return {"no planner has said yet what it plans"};
  std::vector<std::string> lines;
  for (const Watch& watch : watches_) {
    const bool pending = watch.reflector.availability() == Availability::kPending;
    if (watch.active && pending) lines.push_back(watch.reflector.Explain());
  }
  return lines;
}

std::vector<ResourceFigures> CacheSet::Figures(absl::Duration now) const {
  std::vector<ResourceFigures> figures;
  for (const Watch& watch : watches_) {
    if (watch.active) figures.push_back(watch.reflector.Figures(now));
  }
  return figures;
}

}  // namespace xebec::watcher
