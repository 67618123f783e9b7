// SPDX-License-Identifier: Apache-2.0
// The Engine: controllers that users declare, and their hooks.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "watcher/engine/engine.h"

namespace xebec::watcher {
namespace {

constexpr absl::Duration kCountInterval = absl::Seconds(5);
constexpr absl::Duration kCountSoon = absl::Milliseconds(100);
constexpr absl::Duration kReleaseInterval = absl::Milliseconds(500);
// A bucket that moves is in the shares of one of two watchers after their next renewals.
constexpr absl::Duration kSharesKnown = absl::Seconds(6);

// Adds what another watcher has told. Returns false if it does not run the same declaration yet.
bool AddShare(const DeclaredShares& other, const std::string& name, DeclaredShare* sum) {
  const auto found = other.find(name);
  if (found == other.end()) return false;
  sum->parents += found->second.parents;
  sum->problems += found->second.problems;
  sum->holding |= found->second.holding;
  return found->second.version == sum->version;
}

// The resources that a controller needs and that cannot be read, with the reasons.
std::map<ResourceType, std::string> UnreadableOf(const CacheSet& cache,
                                                 std::optional<ControllerId> id) {
  std::map<ResourceType, std::string> unreadable;
  if (!id) return unreadable;
  const CachedController& controller = cache.controllers()[*id];
  std::vector<const WatchSet*> sets = {&controller.parent};
  for (const WatchSet& each : controller.children) sets.push_back(&each);
  for (const WatchSet& each : controller.related) sets.push_back(&each);
  for (const WatchSet* set : sets) {
    for (const auto& [ns, watch] : set->all()) {
      const Reflector& reflector = cache.watches().reflector(watch);
      if (!reflector.Problem().empty()) unreadable[reflector.spec().type] = reflector.Problem();
    }
  }
  return unreadable;
}

}  // namespace

void Engine::RunDeclarations() {
  if (!options_.hooks) return;
  const absl::Duration now = now_.monotonic;
  if (declarations_.Due(now)) ReadDeclarations();
  declarations_.OnTick(now, credits_.hooks, &sequences_.last_message, &out_);
  if (std::optional<std::vector<DeclaredKind>> kinds = declarations_.TakeKinds()) {
    CacheContext context = ForCache();
    cache_.Declare(std::move(*kinds), context);
    AddControllers();
  }
  for (const std::string& name : declarations_.TakeNewPrograms()) {
    const std::optional<ControllerId> id = FindController(name);
    if (id) sweeps_.Add({*id, "", std::nullopt, "hook revision", Priority::kBackground});
  }
  for (const std::string& name : declarations_.TakeAvailable()) {
    const std::optional<ControllerId> id = FindController(name);
    if (!id) continue;
    controllers_[*id].hooks.OnAvailable(now);
    sweeps_.Add({*id, "", std::nullopt, "hook available", Priority::kController, true});
  }
  TellDeclaring();
}

// Before the first list is complete, declarations that are not known yet would be dropped.
void Engine::ReadDeclarations() {
  const std::optional<ControllerId> id = cache_.declaring();
  if (!id || !cache_.Ready(cache_.ParentWatch(*id, ""))) {
    return declarations_.Touch(now_.monotonic);
  }
  std::vector<ObjectBytes> objects;
  for (const StoredObject* object : cache_.store(cache_.ParentWatch(*id, "")).InNamespace("")) {
    objects.push_back(object->json);
  }
  declarations_.Read(objects, now_.monotonic, cache_.controllers()[*id].kind.finalizer);
  review_at_ = now_.monotonic;
}

std::optional<ControllerId> Engine::FindController(std::string_view name) const {
  for (ControllerId id = 0; id < cache_.controllers().size(); ++id) {
    const CachedController& controller = cache_.controllers()[id];
    if (controller.active && controller.kind.controller == name) return id;
  }
  return std::nullopt;
}

// Reviews what the Operators show about their parents, in the buckets of all watchers.
void Engine::ReviewParents() {
  bool leaving = false, uncounted = false;
  DeclaredShares own;
  for (const auto& [name, declared] : declarations_.all()) {
    own[name] = OwnShare(declared);
    leaving |= declared.declaration.deleting;
  }
  leadership_.Tell(own);
  const auto others = leadership_.OtherShares(now_.monotonic);
  for (auto& [name, share] : own) {
    bool all_know = leadership_.AllAssigned(now_.monotonic);
    for (const std::optional<DeclaredShares>& other : others) {
      all_know &= other && AddShare(*other, name, &share);
    }
    declarations_.SetUnreadable(name, UnreadableOf(cache_, FindController(name)));
    if (Counts(*declarations_.Find(name))) {
      declarations_.SetParents(name, {share.parents, share.problems, FailureOf(name)});
    } else {
      uncounted = true;
    }
    const bool deleting = declarations_.Find(name)->declaration.deleting;
    const bool free = deleting && all_know && !share.holding;
    declarations_.SetFree(name, free, others.empty() ? absl::ZeroDuration() : kSharesKnown,
                          now_.monotonic);
  }
  const absl::Duration interval =
      leaving ? kReleaseInterval : (uncounted ? kCountSoon : kCountInterval);
  review_at_ = now_.monotonic + interval;
}

// All parents of the declaration are known, or cannot be read. Its children do not matter.
bool Engine::Counts(const Declared& declared) const {
  if (!declarations_.ResourcesKnown(declared) || !sweeps_.empty()) return false;
  const std::optional<ControllerId> id = FindController(declared.declaration.name);
  if (!id) return true;
  const auto& watches = cache_.controllers()[*id].parent.all();
  return std::all_of(watches.begin(), watches.end(), [this](const auto& each) {
    return cache_.Ready(each.second) ||
           cache_.watches().reflector(each.second).availability() == Availability::kUnavailable;
  });
}

DeclaredShare Engine::OwnShare(const Declared& declared) const {
  DeclaredShare share;
  share.version = VersionOf(declared.declaration);
  share.holding = declared.declaration.deleting && MayHold(declared);
  const std::optional<ControllerId> id = FindController(declared.declaration.name);
  if (!id) return share;
  share.parents = keys_.CountOf(*id);
  share.problems = keys_.ProblemsOf(*id);
  return share;
}

std::string Engine::FailureOf(const std::string& name) const {
  const std::optional<ControllerId> id = FindController(name);
  if (!id) return "";
  const ControllerKeys& mine = controllers_[*id];
  const std::string& example = mine.failing.text();
  // A declaration that is being deleted needs no decision of the hook.
  if (!mine.hooks.failing() || declarations_.Find(name)->declaration.deleting) return example;
  return absl::StrCat("Xebec pauses the calls of the hook because they fail",
                      example.empty() ? "" : "; ", example);
}

// A finalizer that is not seen may still be there, before all parents of this watcher are cached.
bool Engine::MayHold(const Declared& declared) const {
  const Declaration& declaration = declared.declaration;
  if (!declared.kind) return declarations_.MayHaveParents(declaration);
  const std::optional<ControllerId> id = FindController(declaration.name);
  if (!id) return cache_.RefusalOf(declaration.name).empty();
  return !KnowsParents(*id) || HoldsParents(*id, FinalizerOf(declaration));
}

bool Engine::KnowsParents(ControllerId id) const {
  const auto& watches = cache_.controllers()[id].parent.all();
  const bool none = std::all_of(watches.begin(), watches.end(), [this](const auto& each) {
    return cache_.watches().reflector(each.second).unserved();
  });
  if (none) return true;
  const std::vector<uint32_t> assigned = leadership_.Assigned().ToVector();
  return std::all_of(assigned.begin(), assigned.end(), [&](uint32_t bucket) {
    return leadership_.Leads(bucket, now_.monotonic) &&
           cache_.Ready(id, bucket, leadership_.term(bucket).fresh_since);
  });
}

bool Engine::HoldsParents(ControllerId id, const std::string& finalizer) const {
  if (!runs_.CountsOf(id).started.empty()) return true;
  for (const auto& [ns, watch] : cache_.controllers()[id].parent.all()) {
    for (const StoredObject* parent : cache_.store(watch).InNamespace(ns)) {
      if (absl::StrContains(*parent->json, "\"" + finalizer + "\"")) return true;
    }
  }
  return false;
}

// The objects that declare controllers are planned again when something is new about these.
void Engine::TellDeclaring() {
  const std::optional<ControllerId> declaring = cache_.declaring();
  if (!declaring) return;
  if (!declarations_.all().empty() && now_.monotonic >= review_at_) ReviewParents();
  for (const KeyId key : std::set<KeyId>(uninformed_)) {
    if (declarations_.Awaits(keys_.at(key).name.name, now_.monotonic)) continue;
    uninformed_.erase(key);
    Queue(key, Priority::kController, "its controller is known");
  }
  for (const std::string& name : declarations_.TakeNews()) {
    const std::optional<KeyId> key = keys_.Find(*declaring, {"", name});
    if (key) Queue(*key, Priority::kController, "its controller changed");
  }
}

// An object that declares a controller, was planned before, and is planned when more is known.
bool Engine::AwaitsFacts(KeyId key) const {
  const KeyRecord& record = keys_.at(key);
  if (!options_.hooks || cache_.declaring() != record.controller) return false;
  if (!declarations_.Awaits(record.name.name, now_.monotonic)) return false;
  const StoredObject* object = cache_.Parent(record.controller, record.name);
  if (object == nullptr) return false;
  const absl::StatusOr<Json> json = ParseJson(*object->json);
  return json.ok() && FindInt(*json, {"status", "observedGeneration"}) == object->generation;
}

// A declaration that goes away asks no hook any more.
bool Engine::HookAllows(ControllerId id) const {
  const CachedController& controller = cache_.controllers()[id];
  if (controller.version.empty()) return true;
  const Declared* declared = declarations_.Find(controller.kind.controller);
  if (declared == nullptr) return false;
  if (declared->declaration.deleting) return true;
  if (credits_.hooks == 0) return false;
  const auto& by_state = runs_.CountsOf(id).by_state;
  const uint64_t calls = by_state[static_cast<size_t>(RunState::kPlanning)] +
                         by_state[static_cast<size_t>(RunState::kAsking)];
  return controllers_[id].hooks.Allows(calls, now_.monotonic);
}

absl::Duration Engine::NextHookChange() const {
  absl::Duration next = absl::InfiniteDuration();
  for (const ControllerKeys& each : controllers_) {
    next = std::min(next, each.hooks.NextChange(now_.monotonic));
  }
  if (options_.hooks && cache_.declaring() && !declarations_.all().empty()) {
    next = std::min(next, review_at_);
  }
  return next;
}

}  // namespace xebec::watcher
