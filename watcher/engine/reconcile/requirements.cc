// SPDX-License-Identifier: Apache-2.0
#include "watcher/engine/reconcile/requirements.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace xebec::watcher {
namespace {

// A requirement for the object as the cache has it now; nullopt when its kind is not watched.
std::optional<Requirement> For(const KeyContext& key, const ObjectRef& ref) {
  const WatchId* watch = key.cache.watches().Find(ref.type, ref.ns);
  if (watch == nullptr) return std::nullopt;
  Requirement requirement;
  requirement.watch = *watch;
  requirement.lists = key.cache.watches().reflector(*watch).cache().lists().begun;
  requirement.object = {ref.ns, ref.name};
  requirement.of_parent = ref == key.ref();
  const StoredObject* stored = key.cache.store(*watch).Find(requirement.object);
  if (stored != nullptr) requirement.baseline = stored->resource_version;
  return requirement;
}

// A version that the target of a deletion is known to have had: the planner's, or that of the live
// read it planned from.
std::string KnownVersion(const CacheGate& gate, const Operation& operation) {
  for (const Requirement& each : gate.requirements()) {
    if (each.uid == operation.precondition.uid && !each.version.empty()) return each.version;
  }
  return operation.observed_version;
}

// `operation` is null for the status.
void RequireWrite(const KeyContext& key, const Operation* operation, const Outcome& outcome,
                  bool covers, CacheGate* gate) {
  if (outcome.certainty != Certainty::kDone) return;
  std::optional<Requirement> requirement = For(key, outcome.target);
  if (!requirement) return;
  if (operation != nullptr && std::holds_alternative<Delete>(operation->action)) {
    requirement->uid = operation->precondition.uid;
    requirement->baseline = KnownVersion(*gate, *operation);
    requirement->deleted_version = outcome.resource_version;
    requirement->of_parent = false;
    if (!requirement->uid.empty()) gate->Require(std::move(*requirement));
    return;
  }
  if (outcome.resource_version.empty()) return;
  requirement->uid = outcome.uid;
  requirement->version = outcome.resource_version;
  requirement->covered = covers && outcome.as_desired;
  const auto* apply = operation == nullptr ? nullptr : std::get_if<Apply>(&operation->action);
  if (apply != nullptr) requirement->desired = apply->object;
  gate->Require(std::move(*requirement));
}

}  // namespace

void RequireWrites(const KeyContext& key, const Plan& plan, const std::vector<Outcome>& outcomes,
                   CacheGate* gate) {
  size_t i = 0;
  for (const Stage& stage : plan.stages) {
    for (const Operation& operation : stage.operations) {
      RequireWrite(key, &operation, outcomes[i++], plan.covers_writes, gate);
    }
  }
  if (plan.status.has_value()) RequireWrite(key, nullptr, outcomes[i], false, gate);
}

void RequireInDoubt(const KeyContext& key, const LiveReads& reads, CacheGate* gate) {
  for (const LiveRead& read : reads.reads()) {
    std::optional<Requirement> requirement = For(key, read.ref);
    if (!requirement) continue;
    if (!read.found.empty()) {
      requirement->uid = read.found.front().second.uid;
      requirement->version = read.found.front().second.resource_version;
    } else {
      const StoredObject* stored = key.cache.store(requirement->watch).Find(requirement->object);
      if (stored == nullptr || requirement->of_parent) continue;
      requirement->uid = stored->uid;
    }
    gate->Require(std::move(*requirement));
  }
}

std::vector<ObjectRef> WatchedTargets(const KeyContext& key, const std::vector<Outcome>& outcomes) {
  std::vector<ObjectRef> targets;
  for (const Outcome& outcome : outcomes) {
    const ObjectRef& target = outcome.target;
    const bool known = std::find(targets.begin(), targets.end(), target) != targets.end();
    if (!known && key.cache.watches().Find(target.type, target.ns) != nullptr)
      targets.push_back(target);
  }
  return targets;
}

void RequireShown(const KeyContext& key, const ObjectRef& ref, const StoredObject& object,
                  CacheGate* gate) {
  std::optional<Requirement> requirement = For(key, ref);
  if (!requirement) return;
  requirement->uid = object.uid;
  requirement->version = object.resource_version;
  requirement->listed = !requirement->of_parent;
  gate->Require(std::move(*requirement));
}

}  // namespace xebec::watcher
