// SPDX-License-Identifier: Apache-2.0
// EngineCore: what people see.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "watcher/engine/engine_core.h"

namespace xebec::watcher {
namespace {

std::vector<const WatchSet*> SetsOf(const CachedController& controller) {
  std::vector<const WatchSet*> sets = {&controller.parent};
  for (const WatchSet& set : controller.children) sets.push_back(&set);
  return sets;
}

}  // namespace

KeyState EngineCore::StateOf(KeyId key) const {
  const auto found = passes.find(key);
  if (found == passes.end()) {
    const WorkQueue& queue = ControllerOfKey(key).queue;
    if (queue.Ready(key)) return KeyState::kQueued;
    return queue.DueAt(key) == absl::InfiniteDuration() ? KeyState::kRest : KeyState::kDelayed;
  }
  const auto& state = found->second.state;
  if (std::holds_alternative<Planning>(state)) return KeyState::kPlanning;
  if (std::holds_alternative<Reading>(state)) return KeyState::kReading;
  if (std::holds_alternative<Gated>(state)) return KeyState::kGated;
  return KeyState::kApplying;
}

KeyView EngineCore::View(KeyId key) const {
  const KeyRecord& record = keys.at(key);
  const WorkQueue& queue = ControllerOfKey(key).queue;
  KeyView view;
  view.ref = RefOf(key);
  view.uid = record.uid;
  view.state = StateOf(key);
  view.reasons = queue.Reasons(key);
  const auto pass = passes.find(key);
  if (view.reasons.empty()) {
    view.reasons = pass != passes.end() ? pass->second.envelope.reasons : record.reasons;
  }
  view.failures = queue.Failures(key);
  const absl::Duration due = pass != passes.end() ? pass->second.timer : queue.DueAt(key);
  if (due != absl::InfiniteDuration()) view.next = now.wall + (due - now.monotonic);
  view.explanation = Explain(key);
  view.waiting_for = WaitingFor(key);
  view.last_outcomes = record.outcomes.All();
  return view;
}

std::string EngineCore::Explain(KeyId key) const {
  const KeyRecord& record = keys.at(key);
  const std::string last =
      record.ended.empty() ? "" : absl::StrCat(" Last pass: ", record.ended, ".");
  switch (StateOf(key)) {
    case KeyState::kRest:
      return absl::StrCat("Nothing to do until something changes.", last);
    case KeyState::kQueued:
      return absl::StrCat("Waits for its turn.", last);
    case KeyState::kDelayed:
      return absl::StrCat("Is looked at again later.", last);
    case KeyState::kPlanning:
      return "A planner has been asked for a plan.";
    case KeyState::kApplying:
      return std::holds_alternative<AwaitingFate>(passes.at(key).state)
                 ? "What became of a write is unknown; waits until it can have no effect any more."
                 : "Its plan is at an applier or waits for one.";
    case KeyState::kGated:
      return "Waits until the cache shows its own writes.";
    case KeyState::kReading:
      return "Waits for live reads of the API server.";
  }
  return "";
}

std::vector<std::string> EngineCore::WaitingFor(KeyId key) const {
  std::vector<std::string> lines;
  const CachedController& controller = CachedOf(key);
  if (const auto pass = passes.find(key); pass != passes.end()) {
    for (const Requirement& each : pass->second.requirements) {
      lines.push_back(absl::StrCat(cache.NameOf(each.watch, each.object),
                                   each.version.empty() ? " to go, uid " : " at ",
                                   each.version.empty() ? each.uid : each.version));
    }
  }
  for (const ObjectRef& ref : keys.at(key).wanted)
    lines.push_back(absl::StrCat("the name of ", Describe(ref)));
  const std::string hindrance = leadership.Hindrance(BucketOfKey(key), now.monotonic);
  if (!hindrance.empty()) lines.push_back(hindrance);
  if (StateOf(key) != KeyState::kQueued) return lines;
  for (const WatchSet* set : SetsOf(controller)) {
    for (const WatchId id : set->Seeing(keys.at(key).name.ns)) {
      if (!cache.Ready(id)) lines.push_back(cache.reflector(id).Explain());
    }
  }
  if (capacity.planner == 0) lines.emplace_back("no planner is connected");
  if (capacity.applier == 0) lines.emplace_back("no applier is connected");
  return lines;
}

EngineFigures EngineCore::Figures(const Instant& instant) const {
  static constexpr const char* kPriorityNames[] = {"background", "own", "fresh"};
  EngineFigures figures;
  for (ControllerId id = 0; id < controllers.size(); ++id) {
    const Controller& controller = controllers[id];
    ControllerFigures each = controller.figures;
    each.controller = cache.controllers()[id].kind.controller;
    each.missing_subresources = cache.controllers()[id].missing_subresources;
    const auto depth = controller.queue.Depth();
    for (size_t i = 0; i < kPriorities; ++i) each.queue_depth[kPriorityNames[i]] = depth[i];
    each.delayed = controller.queue.delayed();
    each.queue_adds = controller.queue.adds();
    each.queue_retries = controller.queue.retries();
    each.most_at_once = capacity.applier;
    figures.controllers.push_back(std::move(each));
  }
  for (const KeyId key : keys.All()) ++figures.controllers[keys.at(key).controller].keys;
  for (const auto& [key, pass] : passes) {
    ControllerFigures& each = figures.controllers[keys.at(key).controller];
    const absl::Duration running = instant.monotonic - pass.started;
    ++each.active;
    each.gated += std::holds_alternative<Gated>(pass.state) ? 1 : 0;
    each.unfinished += running;
    each.longest_running = std::max(each.longest_running, running);
  }
  figures.resources = cache.Figures(instant.monotonic);
  for (uint32_t bucket = 0; bucket < leadership.buckets(); ++bucket) {
    figures.buckets.push_back(
        {bucket, leadership.Leads(bucket, now.monotonic), leadership.Epoch(bucket)});
  }
  figures.synced = Synced();
  figures.planner_slots = capacity.planner;
  figures.planner_used = planning;
  figures.applier_slots = capacity.applier;
  figures.applier_used = applying;
  figures.plans_waiting = static_cast<uint32_t>(waiting.size());
  figures.planner_revision = cache.revision();
  figures.revision_moves = cache.moves();
  return figures;
}

}  // namespace xebec::watcher
