// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/key_view.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace xebec::watcher {
namespace {

KeyState StateOf(const KeySources& of) {
  if (of.run == nullptr) {
    if (of.queue.Ready(of.key)) return KeyState::kQueued;
    return of.queue.DueAt(of.key) == absl::InfiniteDuration() ? KeyState::kIdle
                                                              : KeyState::kDelayed;
  }
  switch (of.run->status().state) {
    case RunState::kPlanning:
    case RunState::kAsking:
      return KeyState::kPlanning;
    case RunState::kReading:
      return KeyState::kReading;
    case RunState::kWaitingForCache:
      return KeyState::kWaitingForCache;
    default:
      return KeyState::kApplying;
  }
}

std::string Explain(const KeySources& of, KeyState state) {
  const std::string& ended = of.context.record.ended;
  const std::string last = ended.empty() ? "" : absl::StrCat(" Last reconcile: ", ended, ".");
  switch (state) {
    case KeyState::kIdle:
      return absl::StrCat("Nothing to do until something changes.", last);
    case KeyState::kQueued:
      return absl::StrCat("Waits for its turn.", last);
    case KeyState::kDelayed:
      return absl::StrCat("Waits until its next reconcile.", last);
    case KeyState::kPlanning:
      return of.run->status().state == RunState::kAsking ? "Waits for the answer of its hook."
                                                         : "A planner has been asked for a plan.";
    case KeyState::kApplying:
      return of.run->status().in_doubt ? "The outcome of a write is unknown; waits until the write "
                                         "cannot happen any more."
                                       : "Its plan is at an applier or waits for one.";
    case KeyState::kWaitingForCache:
      return "Waits until the cache shows its own writes.";
    case KeyState::kReading:
      return "Waits for live reads of the API server.";
  }
  return "";
}

std::vector<const WatchSet*> SetsOf(const CachedController& controller) {
  std::vector<const WatchSet*> sets = {&controller.parent};
  for (const WatchSet& set : controller.children) sets.push_back(&set);
  return sets;
}

std::vector<std::string> WaitingFor(const KeySources& of, KeyState state) {
  std::vector<std::string> lines;
  const KeyContext& context = of.context;
  if (of.run != nullptr) {
    for (const Requirement& each : of.run->gate().requirements()) {
      const bool deletion = each.version.empty();
      lines.push_back(absl::StrCat(context.cache.watches().NameOf(each.watch, each.object),
                                   deletion ? " to go, uid " : " at ",
                                   deletion ? each.uid : each.version));
    }
  }
  for (const ObjectRef& ref : context.record.wanted) {
    lines.push_back(absl::StrCat("the name of ", Describe(ref)));
  }
  const std::string hindrance =
      context.leadership.Hindrance(context.bucket(), context.now.monotonic);
  if (!hindrance.empty()) lines.push_back(hindrance);
  if (state != KeyState::kQueued) return lines;
  for (const WatchSet* set : SetsOf(context.controller())) {
    for (const WatchId id : set->Seeing(context.record.name.ns)) {
      if (!context.cache.Ready(id))
        lines.push_back(context.cache.watches().reflector(id).Explain());
    }
  }
  if (of.credits.planner == 0) lines.emplace_back("no planner is connected");
  if (of.credits.applier == 0) lines.emplace_back("no applier is connected");
  if (!of.hook_allows) {
    lines.emplace_back(of.credits.hooks == 0 ? "no gateway is connected"
                                             : "its hook, which gets no further call now");
  }
  return lines;
}

}  // namespace

std::string TokenOf(const ListPlace& place) {
  return absl::StrCat(place.resource, "/", place.ns, "/", place.name, "/", place.controller);
}

ListPlace PlaceOf(const std::string& token) {
  const std::vector<std::string> parts = absl::StrSplit(token, '/');
  if (parts.size() != 4) return {};
  return {parts[0], parts[1], parts[2], parts[3]};
}

KeyView ViewOf(const KeySources& of) {
  const KeyContext& context = of.context;
  KeyView view;
  view.ref = context.ref();
  view.controller = context.controller().kind.controller;
  view.uid = context.record.uid;
  view.state = StateOf(of);
  view.reasons = of.queue.Reasons(of.key);
  if (view.reasons.empty()) {
    view.reasons = of.run != nullptr ? of.run->envelope().reasons : context.record.reasons;
  }
  view.failures = of.queue.Failures(of.key);
  const absl::Duration due = of.run != nullptr ? of.run->status().timer : of.queue.DueAt(of.key);
  if (due != absl::InfiniteDuration()) {
    view.next = context.now.wall + (due - context.now.monotonic);
  }
  view.explanation = Explain(of, view.state);
  view.waiting_for = WaitingFor(of, view.state);
  view.last_outcomes = context.outcomes();
  return view;
}

}  // namespace xebec::watcher
