// SPDX-License-Identifier: Apache-2.0
// Engine: what clients are shown.
#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine.h"
#include "watcher/engine/reconcile/observe.h"

namespace xebec::watcher {

KeyView Engine::View(KeyId key) const {
  const KeyContext context = ContextOf(key);
  const WorkQueue& queue = controllers_[context.record.controller].queue;
  return ViewOf({context, key, runs_.Find(key), queue, credits_});
}

std::vector<KeyView> Engine::Find(const KindFilter& kind, const ObjectKey& name) const {
  std::vector<KeyView> views;
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    if (!kind(cache_.controllers()[id].kind.parent)) continue;
    const std::optional<KeyId> key = keys_.Find(id, name);
    if (key && Shows(*key)) views.push_back(View(*key));
  }
  return views;
}

// Every watcher has the parents that declare controllers. One of them shows each.
bool Engine::Shows(KeyId key) const {
  const KeyRecord& record = keys_.at(key);
  if (!cache_.controllers()[record.controller].kind.declares || !held_) return true;
  return held_->Contains(record.Bucket(leadership_.buckets()));
}

std::vector<KeyId> Engine::PageOf(const Siblings& controllers, const std::string& ns,
                                  const ListPlace& after, size_t limit) const {
  const ObjectKey begin{after.ns, after.name};
  std::vector<std::tuple<ObjectKey, std::string, KeyId>> found;
  const auto add = [&](const std::string& controller, KeyId key) {
    if (Shows(key)) found.emplace_back(keys_.at(key).name, controller, key);
  };
  for (const auto& [name, id] : controllers) {
    const std::optional<KeyId> same = keys_.Find(id, begin);
    if (same && name > after.controller) add(name, *same);
    const size_t most = cache_.controllers()[id].kind.declares ? keys_.size() : limit;
    for (const KeyId key : keys_.Page(id, ns, begin, most)) add(name, key);
  }
  std::sort(found.begin(), found.end());
  std::vector<KeyId> keys;
  keys.reserve(found.size());
  for (const auto& each : found) keys.push_back(std::get<KeyId>(each));
  return keys;
}

KeyPage Engine::List(const KindFilter& kind, const std::string& ns, const std::string& token,
                     size_t limit) const {
  std::map<std::string, Siblings> resources;
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    const CachedController& controller = cache_.controllers()[id];
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

std::optional<Observation> Engine::Observe(const ObjectRef& ref, const Instant& now,
                                           const std::string& controller) const {
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    const CachedController& cached = cache_.controllers()[id];
    const ResourceType& type = cached.kind.parent;
    const bool named = controller.empty() || cached.kind.controller == controller;
    if (!cached.active || !named || type.group != ref.type.group ||
        type.plural != ref.type.plural) {
      continue;
    }
    const std::optional<KeyId> key = keys_.Find(id, {ref.ns, ref.name});
    if (!key) continue;
    const KeyContext context = ContextOf(*key);
    if (context.parent() == nullptr) return std::nullopt;
    Observation observation = watcher::Observe(context, *context.parent(), {}, nullptr);
    observation.now = now.wall;
    return observation;
  }
  return std::nullopt;
}

MembersView Engine::Members(const Instant& now) const {
  MembersView view = leadership_.View(now);
  for (MemberView& member : view.members) {
    if (member.self) member.address = options_.address;
  }
  return view;
}

std::vector<std::string> Engine::Unsynced() const {
  if (leadership_.wanted() == nullptr) {
    const std::string& failure = leadership_.read_failure();
    const char* why = failure.empty() ? "" : ": ";
    return {absl::StrCat("the Leases have not been read yet", why, failure)};
  }
  return cache_.Unsynced();
}

EngineFigures Engine::Figures(const Instant& now) const {
  EngineFigures figures;
  size_t declared = 0;
  for (ControllerId id = 0; id < controllers_.size(); ++id) {
    const CachedController& controller = cache_.controllers()[id];
    if (!controller.version.empty() && (!controller.active || ++declared > kMostDeclaredFigures)) {
      continue;
    }
    figures.controllers.push_back(FiguresOf(id, now.monotonic));
  }
  figures.resources = cache_.watches().Figures(now.monotonic);
  figures.leadership = leadership_.Figures(now.monotonic);
  figures.synced = Synced();
  figures.planner_credits = credits_.planner;
  figures.planner_used = runs_.Count(RunState::kPlanning);
  figures.applier_credits = credits_.applier;
  figures.applier_used = runs_.Count(RunState::kApplying);
  figures.hooks = options_.hooks;
  figures.hook_credits = credits_.hooks;
  figures.plans_waiting = runs_.Count(RunState::kAwaitingApplier);
  figures.planner_revision = cache_.revision();
  figures.revision_moves = cache_.moves();
  return figures;
}

ControllerFigures Engine::FiguresOf(ControllerId id, absl::Duration now) const {
  static constexpr const char* kPriorityNames[] = {"background", "controller", "user"};
  const ControllerKeys& mine = controllers_[id];
  ControllerFigures figures = mine.figures;
  figures.controller = cache_.controllers()[id].kind.controller;
  figures.missing_subresources = cache_.controllers()[id].missing_subresources;
  const auto depth = mine.queue.Depth();
  for (size_t i = 0; i < kPriorities; ++i) figures.queue_depth[kPriorityNames[i]] = depth[i];
  figures.delayed = mine.queue.delayed();
  figures.queue_adds = mine.queue.adds();
  figures.queue_retries = mine.queue.retries();
  figures.most_at_once = credits_.applier;
  figures.keys = keys_.CountOf(id);
  const RunCounts& runs = runs_.CountsOf(id);
  figures.active = runs.started.size();
  figures.waiting_for_cache = runs.by_state[static_cast<size_t>(RunState::kWaitingForCache)];
  figures.unfinished = static_cast<int64_t>(figures.active) * now - runs.sum_started;
  if (figures.active > 0) figures.longest_running = now - runs.started.begin()->first;
  if (!cache_.controllers()[id].version.empty()) AddHook(id, now, &figures);
  return figures;
}

void Engine::AddHook(ControllerId id, absl::Duration now, ControllerFigures* figures) const {
  const ControllerKeys& mine = controllers_[id];
  const Declared* declared = declarations_.Find(figures->controller);
  figures->declared = true;
  figures->hook_available =
      declared == nullptr || !declared->hook.state() || declared->hook.state()->available;
  figures->hook_open = mine.hooks.open(now);
  figures->hook_limit = mine.hooks.limit();
  figures->hook_asked = runs_.CountsOf(id).by_state[static_cast<size_t>(RunState::kAsking)];
  if (HookAllows(id)) return;
  for (const auto& [priority, depth] : figures->queue_depth) figures->hook_waiting += depth;
}

}  // namespace xebec::watcher
