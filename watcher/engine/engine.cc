// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/engine.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "watcher/engine/engine_core.h"

namespace xebec::watcher {

Engine::Engine(Options options, std::string identity)
    : core_(std::make_unique<EngineCore>(std::move(options), std::move(identity))) {}
Engine::Engine(const Engine& other) : core_(std::make_unique<EngineCore>(*other.core_)) {}
Engine::Engine(Engine&& other) noexcept = default;
Engine& Engine::operator=(const Engine& other) {
  core_ = std::make_unique<EngineCore>(*other.core_);
  return *this;
}
Engine& Engine::operator=(Engine&& other) noexcept = default;
Engine::~Engine() = default;

Outputs Engine::Step(const Instant& now, Input input) { return core_->Step(now, std::move(input)); }
absl::Duration Engine::NextDeadline() const { return core_->NextDeadline(); }
bool Engine::Synced() const { return core_->Synced(); }
std::vector<std::string> Engine::Unsynced() const { return core_->Unsynced(); }
bool Engine::Leads(uint32_t bucket) const {
  return core_->leadership.Leads(bucket, core_->now.monotonic);
}
EngineFigures Engine::Figures(const Instant& now) const { return core_->Figures(now); }
bool Engine::operator==(const Engine& other) const { return *core_ == *other.core_; }

std::vector<KeyView> Engine::Keys(const std::function<bool(const ObjectRef&)>& wanted) const {
  std::vector<KeyView> views;
  for (const KeyId key : core_->keys.All()) {
    if (!wanted || wanted(core_->RefOf(key))) views.push_back(core_->View(key));
  }
  std::sort(views.begin(), views.end(),
            [](const KeyView& a, const KeyView& b) { return a.ref < b.ref; });
  return views;
}

std::optional<Observation> Engine::Observe(const ObjectRef& ref, const Instant& now) const {
  for (ControllerId id = 0; id < core_->controllers.size(); ++id) {
    const CachedController& controller = core_->cache.controllers()[id];
    const ResourceType& type = controller.kind.parent;
    if (!controller.active || type.group != ref.type.group || type.plural != ref.type.plural)
      continue;
    const KeyId* key = core_->keys.Find(id, {ref.ns, ref.name});
    const StoredObject* parent = key == nullptr ? nullptr : core_->ParentOf(*key);
    if (parent == nullptr) return std::nullopt;
    Observation observation = core_->Observe(*key, nullptr, *parent, nullptr);
    observation.now = now.wall;
    return observation;
  }
  return std::nullopt;
}

EngineCore::EngineCore(Options engine_options, std::string watcher_identity)
    : options(std::move(engine_options)),
      identity(std::move(watcher_identity)),
      cache(options, identity),
      leadership(options, identity) {}

Outputs EngineCore::Step(const Instant& instant, Input input) {
  now = instant;
  std::visit([this](auto& each) { On(std::move(each)); }, input);
  RunTimers();
  return std::exchange(out, {});
}

absl::Duration EngineCore::NextDeadline() const {
  absl::Duration next = leadership.NextDeadline();
  next = std::min(next, cache.NextDeadline());
  for (const Controller& controller : controllers) {
    next = std::min(next, controller.queue.NextDeadline());
  }
  if (!timers.empty()) next = std::min(next, timers.begin()->first);
  return next;
}

bool EngineCore::operator==(const EngineCore& other) const {
  const auto fields = [](const EngineCore& c) {
    return std::tie(c.options, c.identity, c.now, c.cache, c.cache_waits, c.controllers, c.keys,
                    c.wanted, c.passes, c.in_flight, c.reads, c.timers, c.waiting, c.leadership,
                    c.shelved, c.planning, c.applying, c.last_sequence, c.last_stream, c.last_read,
                    c.stopping, c.drained, c.capacity.planner, c.capacity.applier);
  };
  return fields(*this) == fields(other);
}

}  // namespace xebec::watcher
