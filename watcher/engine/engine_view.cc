// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/engine_view.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/reconcile/observe.h"

namespace xebec::watcher {

KeyView EngineView::View(KeyId key) const {
  const KeyContext context = state_.ContextOf(key);
  const WorkQueue& queue = state_.queues.controllers()[context.record.controller].queue;
  return ViewOf({context, key, state_.runs.Find(key), queue, state_.credits,
                 state_.HookAllows(context.record.controller)});
}

std::vector<KeyView> EngineView::Find(const KindFilter& kind, const ObjectKey& name) const {
  std::vector<KeyView> views;
  for (ControllerId id = 0; id < state_.queues.controllers().size(); ++id) {
    if (!kind(state_.cache.controllers()[id].kind.parent)) continue;
    const std::optional<KeyId> key = state_.queues.keys().Find(id, name);
    if (key && Shows(*key)) views.push_back(View(*key));
  }
  return views;
}

// Every watcher has the parents that declare controllers. One of them shows each.
bool EngineView::Shows(KeyId key) const {
  const KeyRecord& record = state_.queues.keys().at(key);
  if (!state_.cache.controllers()[record.controller].kind.declares || !state_.held) return true;
  return state_.held->Contains(record.Bucket(state_.leadership.buckets()));
}

std::vector<KeyId> EngineView::PageOf(const Siblings& controllers, const std::string& ns,
                                      const ListPlace& after, size_t limit) const {
  const ObjectKey begin{after.ns, after.name};
  std::vector<std::tuple<ObjectKey, std::string, KeyId>> found;
  const auto add = [&](const std::string& controller, KeyId key) {
    if (Shows(key)) found.emplace_back(state_.queues.keys().at(key).name, controller, key);
  };
  for (const auto& [name, id] : controllers) {
    const std::optional<KeyId> same = state_.queues.keys().Find(id, begin);
    if (same && name > after.controller) add(name, *same);
    const size_t most =
        state_.cache.controllers()[id].kind.declares ? state_.queues.keys().size() : limit;
    for (const KeyId key : state_.queues.keys().Page(id, ns, begin, most)) add(name, key);
  }
  std::sort(found.begin(), found.end());
  std::vector<KeyId> keys;
  keys.reserve(found.size());
  for (const auto& each : found) keys.push_back(std::get<KeyId>(each));
  return keys;
}

KeyPage EngineView::List(const KindFilter& kind, const std::string& ns, const std::string& token,
                         size_t limit) const {
  std::map<std::string, Siblings> resources;
  for (ControllerId id = 0; id < state_.queues.controllers().size(); ++id) {
    const CachedController& controller = state_.cache.controllers()[id];
    const ResourceType& type = controller.kind.parent;
    if (controller.active && kind(type))
      resources[ResourceName(type)].emplace(controller.kind.controller, id);
  }
  const ListPlace after = PlaceOf(token);
  KeyPage page;
  for (auto it = resources.lower_bound(after.resource); it != resources.end(); ++it) {
    const auto& [resource, controllers] = *it;
    const ListPlace begin = resource == after.resource ? after : ListPlace();
    for (const KeyId key : PageOf(controllers, ns, begin, limit - page.keys.size() + 1)) {
      if (page.keys.size() == limit) {
        const KeyView& last = page.keys.back();
        page.next =
            TokenOf({ResourceName(last.ref.type), last.ref.ns, last.ref.name, last.controller});
        return page;
      }
      page.keys.push_back(View(key));
    }
  }
  return page;
}

std::optional<Observation> EngineView::Observe(const ObjectRef& ref, const Instant& now,
                                               const std::string& controller) const {
  for (ControllerId id = 0; id < state_.queues.controllers().size(); ++id) {
    const CachedController& cached = state_.cache.controllers()[id];
    const ResourceType& type = cached.kind.parent;
    const bool named = controller.empty() || cached.kind.controller == controller;
    if (!cached.active || !named || type.group != ref.type.group ||
        type.plural != ref.type.plural) {
      continue;
    }
    const std::optional<KeyId> key = state_.queues.keys().Find(id, {ref.ns, ref.name});
    if (!key) continue;
    const KeyContext context = state_.ContextOf(*key);
    if (context.parent() == nullptr) return std::nullopt;
    Observation observation = watcher::Observe(context, *context.parent(), {}, nullptr);
    observation.now = now.wall;
    return observation;
  }
  return std::nullopt;
}

MembersView EngineView::Members(const Instant& now) const {
  MembersView view = state_.leadership.View(now);
  for (MemberView& member : view.members) {
    if (member.self) member.address = state_.options.address;
  }
  return view;
}

std::vector<std::string> EngineView::Unsynced() const {
  if (state_.leadership.wanted() == nullptr) {
    const std::string& failure = state_.leadership.read_failure();
    const char* why = failure.empty() ? "" : ": ";
    return {absl::StrCat("the Leases have not been read yet", why, failure)};
  }
  return state_.cache.Unsynced();
}

UnlistedBuckets EngineView::Unlisted(const KindFilter& kind) const {
  const BucketSet assigned = state_.leadership.Assigned();
  if (!state_.held) return {assigned, Unsynced().front()};
  return FindUnlisted(state_.cache, assigned, kind);
}

EngineFigures EngineView::Figures(const Instant& now) const {
  EngineFigures figures;
  size_t declared = 0;
  for (ControllerId id = 0; id < state_.queues.controllers().size(); ++id) {
    const CachedController& controller = state_.cache.controllers()[id];
    if (!controller.version.empty() && (!controller.active || ++declared > kMostDeclaredFigures)) {
      continue;
    }
    figures.controllers.push_back(FiguresOf(id, now.monotonic));
  }
  figures.resources = state_.cache.watches().Figures(now.monotonic);
  figures.leadership = state_.leadership.Figures(now.monotonic);
  figures.planner_credits = state_.credits.planner;
  figures.applier_credits = state_.credits.applier;
  figures.hooks = state_.options.hooks;
  figures.hook_credits = state_.credits.hooks;
  figures.plans_waiting = state_.runs.Count(RunState::kAwaitingApplier);
  figures.planner_revision = state_.cache.revision();
  return figures;
}

ControllerFigures EngineView::FiguresOf(ControllerId id, absl::Duration now) const {
  static constexpr const char* kPriorityNames[] = {"background", "controller", "user"};
  const ControllerKeys& mine = state_.queues.controllers()[id];
  ControllerFigures figures = mine.figures;
  figures.controller = state_.cache.controllers()[id].kind.controller;
  figures.missing_subresources = state_.cache.controllers()[id].missing_subresources;
  const auto depth = mine.queue.Depth();
  for (size_t i = 0; i < kPriorities; ++i) figures.queue_depth[kPriorityNames[i]] = depth[i];
  figures.queue_adds = mine.queue.adds();
  figures.queue_retries = mine.queue.retries();
  figures.most_at_once = state_.credits.applier;
  figures.keys = state_.queues.keys().CountOf(id);
  const RunCounts& runs = state_.runs.CountsOf(id);
  figures.active = runs.started.size();
  figures.waiting_for_cache = runs.by_state[static_cast<size_t>(RunState::kWaitingForCache)];
  figures.unfinished = static_cast<int64_t>(figures.active) * now - runs.sum_started;
  if (figures.active > 0) figures.longest_running = now - runs.started.begin()->first;
  if (!state_.cache.controllers()[id].version.empty()) AddHook(id, now, &figures);
  return figures;
}

void EngineView::AddHook(ControllerId id, absl::Duration now, ControllerFigures* figures) const {
  const HookPace& pace = state_.declared.hooks().pace(id);
  const Declared* declared = state_.declared.declarations().Find(figures->controller);
  figures->declared = true;
  figures->hook_available =
      declared == nullptr || !declared->hook.state() || declared->hook.state()->available;
  figures->hook_open = pace.open(now);
  figures->hook_limit = pace.limit();
  figures->hook_asked = state_.runs.CountsOf(id).by_state[static_cast<size_t>(RunState::kAsking)];
  if (state_.HookAllows(id)) return;
  for (const auto& [priority, depth] : figures->queue_depth) figures->hook_waiting += depth;
}

}  // namespace xebec::watcher
