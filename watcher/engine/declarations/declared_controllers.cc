// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/declarations/declared_controllers.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/base/overloaded.h"

namespace xebec::watcher {
namespace {

// A parent is planned once more after this time if its hook runs several programs.
constexpr absl::Duration kRolloutPause = absl::Seconds(10);

}  // namespace

void DeclaredControllers::On(const Changed& change, absl::Duration now) {
  std::visit(
      Overloaded{
          [&](const DeclarationsChanged&) { declarations_.Touch(now); },
          [&](const BucketsReady&) { declarations_.OnReadable(now); },
          [&](const ResourceInDoubt& doubt) { declarations_.Doubt(doubt.type, now); },
          [&](const ParentAdded& added) { review_.OnParent(added.controller, added.name); },
          [&](const ParentChanged& changed) { review_.OnParent(changed.controller, changed.name); },
          [&](const ParentWritten& written) { review_.OnParent(written.controller, written.name); },
          [&](const ControllerMatched& matched) { review_.OnOtherParents(matched.controller); },
          [](const auto&) {}},
      change);
}

std::optional<absl::Duration> DeclaredControllers::OnReply(ControllerId id, std::string_view name,
                                                           const HookReply& reply,
                                                           absl::Duration begun,
                                                           absl::Duration now) {
  hooks_.OnReply(id, reply, begun, now);
  return IsOfOtherProgram(name, reply) ? std::optional(now + kRolloutPause) : std::nullopt;
}

bool DeclaredControllers::IsOfOtherProgram(std::string_view controller,
                                           const HookReply& reply) const {
  const Declared* declared = declarations_.Find(controller);
  if (declared == nullptr || declared->told_revision.empty() || reply.revision.empty())
    return false;
  return std::holds_alternative<std::string>(reply.result) &&
         reply.revision != declared->told_revision;
}

void DeclaredControllers::OnFailure(ControllerId controller, KeyId key, const ObjectKey& name,
                                    const std::string& failure) {
  hooks_.OnFailure(controller, key,
                   absl::StrCat(name.ns, name.ns.empty() ? "" : "/", name.name, ": ", failure));
}

void DeclaredControllers::Forget(ControllerId controller, KeyId key) {
  hooks_.OnSuccess(controller, key);
  uninformed_.erase(key);
}

std::optional<std::vector<DeclaredKind>> DeclaredControllers::OnTick(
    const CacheSet& cache, absl::Duration now, uint32_t credits, uint64_t* sequence, Outputs* out) {
  if (declarations_.Due(now)) Read(cache, now);
  declarations_.OnTick(now, credits, sequence, out);
  return declarations_.TakeKinds();
}

// Before the first list is complete, declarations that are not known yet would be dropped.
void DeclaredControllers::Read(const CacheSet& cache, absl::Duration now) {
  const std::optional<ControllerId> id = cache.declaring();
  if (!id || !cache.Ready(cache.ParentWatch(*id, ""))) return declarations_.Postpone();
  std::vector<ObjectBytes> objects;
  for (const StoredObject* object : cache.store(cache.ParentWatch(*id, "")).InNamespace("")) {
    objects.push_back(object->json.Unpack());
  }
  declarations_.Read(objects, now, cache.controllers()[*id].kind.finalizer);
  review_.Hasten(now);
}

DeclaredEffects DeclaredControllers::Review(const ReviewContext& context) {
  DeclaredEffects effects;
  for (const std::string& name : declarations_.TakeNewPrograms()) {
    const std::optional<ControllerId> id = FindController(context.cache, name);
    if (!id) continue;
    effects.sweeps.push_back({*id, "", std::nullopt, "hook revision", Priority::kBackground});
  }
  for (const std::string& name : declarations_.TakeAvailable()) {
    const std::optional<ControllerId> id = FindController(context.cache, name);
    if (!id) continue;
    hooks_.OnAvailable(*id, context.now);
    effects.sweeps.push_back(
        {*id, "", std::nullopt, "hook available", Priority::kController, true});
  }
  const std::optional<ControllerId> declaring = context.cache.declaring();
  if (declaring) ReviewDeclaring(*declaring, context, &effects);
  return effects;
}

// The objects that declare controllers are planned again when something is new about these.
void DeclaredControllers::ReviewDeclaring(ControllerId declaring, const ReviewContext& context,
                                          DeclaredEffects* effects) {
  if (!declarations_.all().empty() && context.now >= review_.due()) {
    ReviewContext its = context;
    its.keys_complete &= effects->sweeps.empty();
    effects->shares = review_.Run(its, hooks_, &declarations_);
  }
  for (const KeyId key : std::set<KeyId>(uninformed_)) {
    if (declarations_.Awaits(context.keys.at(key).name.name, context.now)) continue;
    uninformed_.erase(key);
    effects->changes.push_back({.key = key, .reason = "its controller is known"});
  }
  for (const std::string& name : declarations_.TakeNews()) {
    const std::optional<KeyId> key = context.keys.Find(declaring, {"", name});
    if (key) effects->changes.push_back({.key = *key, .reason = "its controller changed"});
  }
}

absl::Duration DeclaredControllers::NextDeadline(const CacheSet& cache, absl::Duration now) const {
  const bool reviews = cache.declaring() && !declarations_.all().empty();
  return std::min({declarations_.NextDeadline(), hooks_.NextChange(now),
                   reviews ? review_.due() : absl::InfiniteDuration()});
}

bool DeclaredControllers::MayStart(const CachedController& controller, ControllerId id,
                                   uint64_t calls, uint32_t credits, absl::Duration now) const {
  if (controller.version.empty()) return true;
  const Declared* declared = declarations_.Find(controller.kind.controller);
  if (declared == nullptr) return false;
  if (declared->declaration.deleting) return true;
  return credits > 0 && hooks_.pace(id).Allows(calls, now);
}

bool DeclaredControllers::AwaitsFacts(const KeyRecord& record, const CacheSet& cache,
                                      absl::Duration now) const {
  if (cache.declaring() != record.controller) return false;
  if (!declarations_.Awaits(record.name.name, now)) return false;
  const StoredObject* object = cache.Parent(record.controller, record.name);
  if (object == nullptr) return false;
  const absl::StatusOr<Json> json = ParseJson(*object->json.Unpack());
  return json.ok() && FindInt(*json, {"status", "observedGeneration"}) == object->generation;
}

}  // namespace xebec::watcher
