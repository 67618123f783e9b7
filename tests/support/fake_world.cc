// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_world.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/model/fields.h"
#include "common/model/names.h"
#include "common/model/well_known.h"
#include "tests/support/apply_merge.h"

namespace xebec::testing {
namespace {

bool Succeeded(OutcomeCode code) {
  return code == OutcomeCode::kCreated || code == OutcomeCode::kChanged ||
         code == OutcomeCode::kUnchanged || code == OutcomeCode::kDeleted ||
         code == OutcomeCode::kAbsent || code == OutcomeCode::kExisted;
}

std::string OwnerUid(const Json& object) {
  const Json* owners = Find(object, {"metadata", "ownerReferences"});
  if (owners == nullptr) return "";
  for (const Json& owner : *owners) {
    if (FindBool(owner, {"controller"}).value_or(false)) return FindString(owner, {"uid"});
  }
  return "";
}

bool Belongs(const Json& object, const ChildRule& rule, const ObjectRef& parent,
             const std::string& uid) {
  if (rule.parent_label.empty()) return OwnerUid(object) == uid;
  return FindString(object, {"metadata", "labels", rule.parent_label}) == LabelValue(parent.name);
}

bool IsDeleting(const Json& object) {
  return Find(object, {"metadata", "deletionTimestamp"}) != nullptr;
}

std::string Time(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

// What a change of the generation is about.
Json SpecPart(Json object) {
  if (!object.is_object()) return object;
  object.erase("metadata");
  object.erase("status");
  return object;
}

Json AppliedCondition(const Plan& plan, const std::vector<Outcome>& outcomes) {
  Json condition = {
      {"type", "Applied"}, {"status", "True"}, {"reason", "Applied"}, {"message", ""}};
  if (plan.status->blocked.has_value()) {
    condition["status"] = plan.status->blocked->status;
    condition["reason"] = plan.status->blocked->reason;
    condition["message"] = plan.status->blocked->message;
  }
  for (const Outcome& outcome : outcomes) {
    if (Succeeded(outcome.code)) continue;
    condition["status"] = "False";
    condition["reason"] = std::string(Name(outcome.code));
    condition["message"] = outcome.message;
    break;
  }
  return condition;
}

bool AppliedChanges(const StatusIntent& status, const Json& applied) {
  return !status.observed_applied.has_value() ||
         status.observed_applied->status != applied["status"] ||
         status.observed_applied->reason != applied["reason"];
}

}  // namespace

ObjectRef FakeWorld::Put(const ResourceType& type, Json object) {
  object["apiVersion"] = ApiVersion(type);
  object["kind"] = type.kind;
  Json& metadata = object["metadata"];
  if (!type.cluster_scoped && !metadata.contains("namespace")) metadata["namespace"] = "default";
  const ObjectRef ref{type, FindString(object, {"metadata", "namespace"}),
                      FindString(object, {"metadata", "name"})};
  Store(ref, std::move(object));
  return ref;
}

const Json* FakeWorld::Get(const ObjectRef& ref) const {
  const auto at = objects_.find(ref);
  return at == objects_.end() ? nullptr : &at->second;
}

std::vector<ObjectRef> FakeWorld::List(std::string_view kind) const {
  std::vector<ObjectRef> refs;
  for (const auto& [ref, object] : objects_) {
    if (ref.type.kind == kind) refs.push_back(ref);
  }
  return refs;
}

void FakeWorld::Edit(const ObjectRef& ref, const std::function<void(Json&)>& change) {
  const Json* present = Get(ref);
  if (present == nullptr) return;
  Json object = *present;
  change(object);
  Store(ref, std::move(object));
}

void FakeWorld::Delete(const ObjectRef& ref) {
  const auto at = objects_.find(ref);
  if (at == objects_.end()) return;
  const Json* finalizers = Find(at->second, {"metadata", "finalizers"});
  if (linger || (finalizers != nullptr && !finalizers->empty())) {
    Edit(ref, [&](Json& object) {
      if (!IsDeleting(object)) object["metadata"]["deletionTimestamp"] = Time(now);
    });
    return;
  }
  objects_.erase(at);
  CollectGarbage();
}

void FakeWorld::Finish(const ObjectRef& ref) {
  objects_.erase(ref);
  CollectGarbage();
}

Observation FakeWorld::Observe(const ObjectRef& parent, const KindDescription& kind,
                               bool live) const {
  Observation out;
  const Json* object = Get(parent);
  if (object == nullptr) return out;
  const std::string uid = FindString(*object, {"metadata", "uid"});
  out.envelope.parent = {parent, uid, FindString(*object, {"metadata", "resourceVersion"}),
                         FindInt(*object, {"metadata", "generation"}).value_or(0)};
  out.envelope.controller = kind.controller;
  out.now = now;
  out.parent = MakeObjectBytes(DumpJson(*object));
  for (const ChildRule& rule : kind.children) {
    ObjectGroup group{rule.type, {}, live};
    for (const auto& [ref, child] : objects_) {
      if (ref.type != rule.type || (!parent.ns.empty() && ref.ns != parent.ns)) continue;
      if (!Belongs(child, rule, parent, uid)) continue;
      group.objects.push_back(MakeObjectBytes(DumpJson(ProjectFields(child, rule.fields))));
    }
    out.children.push_back(std::move(group));
  }
  const auto retained = retained_.find(uid);
  if (retained == retained_.end()) return out;
  for (const auto& [id, outcome] : retained->second) out.last_outcomes.push_back(outcome);
  return out;
}

Report FakeWorld::Carry(const Plan& plan) {
  Report report;
  report.envelope = plan.envelope;
  bool failed = false;
  for (const Stage& stage : plan.stages) {
    const bool skip = failed;
    for (const Operation& operation : stage.operations) {
      Outcome outcome;
      outcome.code = OutcomeCode::kNotStarted;
      if (!skip) {
        outcome = CarryOne(operation, plan.envelope.controller, plan.envelope.parent.uid);
        writes.push_back(operation.id);
        Publish(operation.events, outcome.code);
      }
      outcome.operation = operation.id;
      outcome.target = operation.target;
      outcome.memo = operation.memo;  // as the watcher adds it
      outcome.certainty = Succeeded(outcome.code) ? Certainty::kDone : Certainty::kRejected;
      failed |= !Succeeded(outcome.code);
      report.outcomes.push_back(std::move(outcome));
    }
  }
  if (plan.status.has_value()) CarryStatus(plan, report.outcomes);
  Retain(plan.envelope.parent.uid, report.outcomes);
  return report;
}

Outcome FakeWorld::CarryOne(const Operation& operation, const std::string& manager,
                            const std::string& parent_uid) {
  Outcome out;
  if (const auto at = refusals.find(operation.id); at != refusals.end()) {
    out.code = at->second;
    out.message = absl::StrCat(refusal_text, ": ", operation.id);
  } else if (std::holds_alternative<Apply>(operation.action)) {
    CarryApply(operation, manager, parent_uid, &out);
  } else if (std::holds_alternative<xebec::Delete>(operation.action)) {
    CarryDelete(operation, &out);
  } else if (const auto* secret = std::get_if<EnsureSecret>(&operation.action)) {
    out.code = Get(operation.target) == nullptr ? OutcomeCode::kCreated : OutcomeCode::kExisted;
    if (out.code == OutcomeCode::kCreated) {
      Put(operation.target.type, {{"metadata",
                                   {{"name", operation.target.name},
                                    {"namespace", operation.target.ns},
                                    {"labels", secret->labels}}}});
      out.uid = FindString(*Get(operation.target), {"metadata", "uid"});
    }
  } else {
    CarryFinalizer(operation, &out);
  }
  return out;
}

bool FakeWorld::Holds(const Precondition& precondition, const ObjectRef& ref) const {
  const Json* live = Get(ref);
  if (live == nullptr) return false;
  if (!precondition.uid.empty() && FindString(*live, {"metadata", "uid"}) != precondition.uid) {
    return false;
  }
  return precondition.resource_version.empty() ||
         FindString(*live, {"metadata", "resourceVersion"}) == precondition.resource_version;
}

void FakeWorld::CarryApply(const Operation& operation, const std::string& manager,
                           const std::string& parent_uid, Outcome* out) {
  const Json desired = *ParseJson(*std::get<Apply>(operation.action).object);
  out->digest = FindString(desired, {"metadata", "annotations", kDigestAnnotation});
  const Json* live = Get(operation.target);
  if (operation.precondition.absent && live != nullptr) {
    const bool ours = OwnerUid(*live) == parent_uid;
    out->code = !ours               ? OutcomeCode::kNameConflict
                : IsDeleting(*live) ? OutcomeCode::kTerminating
                                    : OutcomeCode::kUnexpected;
    out->message = absl::StrCat(Describe(operation.target), " is held by another object");
    if (out->code != OutcomeCode::kUnexpected) return;
  } else if (!operation.precondition.absent && !Holds(operation.precondition, operation.target)) {
    out->code = OutcomeCode::kStale;
    return;
  }
  const bool existed = live != nullptr;
  const std::string uid = existed ? FindString(*live, {"metadata", "uid"}) : "";
  Json merged = ApplyMerge(existed ? *live : Json::object(), applied_[{uid, manager}], desired);
  if (webhook) webhook(operation.target, merged);
  const bool changed = Store(operation.target, std::move(merged));
  const Json& stored = objects_[operation.target];
  out->uid = FindString(stored, {"metadata", "uid"});
  out->resource_version = FindString(stored, {"metadata", "resourceVersion"});
  out->as_desired = Covers(stored, desired);
  const bool stamped =
      FindString(stored, {"metadata", "annotations", kDigestAnnotation}) == out->digest;
  if (!out->as_desired || !stamped) out->result_digest = FieldsDigest(stored, desired);
  applied_[{out->uid, manager}] = desired;
  out->code = !existed  ? OutcomeCode::kCreated
              : changed ? OutcomeCode::kChanged
                        : OutcomeCode::kUnchanged;
}

void FakeWorld::CarryDelete(const Operation& operation, Outcome* out) {
  out->code = OutcomeCode::kAbsent;
  if (Get(operation.target) == nullptr) return;
  out->code = OutcomeCode::kStale;
  if (operation.precondition.uid.empty() || !Holds(operation.precondition, operation.target))
    return;
  Delete(operation.target);
  out->terminating = Get(operation.target) != nullptr;
  out->code = OutcomeCode::kDeleted;
}

void FakeWorld::CarryFinalizer(const Operation& operation, Outcome* out) {
  out->code = OutcomeCode::kStale;
  if (!Holds(operation.precondition, operation.target)) return;
  out->code = OutcomeCode::kChanged;
  const auto* add = std::get_if<AddFinalizer>(&operation.action);
  const auto* remove = std::get_if<RemoveFinalizer>(&operation.action);
  Edit(operation.target, [&](Json& parent) {
    Json& list = parent["metadata"]["finalizers"];
    if (!list.is_array()) list = Json::array();
    const auto at = std::find(list.begin(), list.end(), add ? add->finalizer : remove->finalizer);
    if (add != nullptr && at == list.end()) list.push_back(add->finalizer);
    if (remove != nullptr && at != list.end()) list.erase(at);
  });
  const Json& parent = *Get(operation.target);
  if (IsDeleting(parent) && parent["metadata"]["finalizers"].empty()) Finish(operation.target);
}

void FakeWorld::CarryStatus(const Plan& plan, const std::vector<Outcome>& outcomes) {
  const ObjectRef& ref = plan.envelope.parent.ref;
  const Json applied = AppliedCondition(plan, outcomes);
  if (!plan.status->changed && !AppliedChanges(*plan.status, applied)) return;
  const Json* live = Get(ref);
  if (live == nullptr) return;
  Json status = (*ParseJson(*plan.status->object))["status"];
  Json merged = *live;
  if (plan.status->amendments) {
    Json amendments = *ParseJson(*plan.status->amendments);
    for (const Json& other : amendments["conditions"]) status["conditions"].push_back(other);
    amendments.erase("conditions");
    merged["status"].merge_patch(amendments);
  }
  status["conditions"].push_back(applied);
  merged["status"].merge_patch(status);
  Store(ref, std::move(merged));
  writes.push_back(std::string(kStatusOperation));
  Publish(plan.status->events, OutcomeCode::kChanged);
}

void FakeWorld::Publish(const std::vector<EventFact>& facts, OutcomeCode code) {
  for (const EventFact& fact : facts) {
    const bool created = code == OutcomeCode::kCreated, changed = code == OutcomeCode::kChanged;
    const bool deleted = code == OutcomeCode::kDeleted;
    const bool earned = fact.condition == EventCondition::kAnyChange ? created || changed || deleted
                        : fact.condition == EventCondition::kCreated ? created
                        : fact.condition == EventCondition::kChanged ? changed
                                                                     : deleted;
    if (!earned) continue;
    events.push_back(
        absl::StrCat(fact.warning ? "Warning " : "Normal ", fact.reason, " ", fact.note));
  }
}

bool FakeWorld::Store(const ObjectRef& ref, Json object) {
  const Json* present = Get(ref);
  Json& metadata = object["metadata"];
  if (present != nullptr && object == *present) return false;
  if (!metadata.contains("uid")) metadata["uid"] = absl::StrCat("uid-", next_uid_++);
  const int64_t generation = FindInt(object, {"metadata", "generation"}).value_or(0);
  if (generation == 0) metadata["generation"] = 1;
  if (present != nullptr && SpecPart(*present) != SpecPart(object)) {
    metadata["generation"] = generation + 1;
  }
  metadata["resourceVersion"] = absl::StrCat(next_version_++);
  objects_[ref] = std::move(object);
  return true;
}

void FakeWorld::CollectGarbage() {
  for (bool again = true; again;) {
    again = false;
    std::vector<std::string> uids = {""};
    for (const auto& [ref, object] : objects_)
      uids.push_back(FindString(object, {"metadata", "uid"}));
    for (const auto& [ref, object] : objects_) {
      if (std::find(uids.begin(), uids.end(), OwnerUid(object)) != uids.end()) continue;
      objects_.erase(ref);
      again = true;
      break;
    }
  }
}

void FakeWorld::Retain(const std::string& parent_uid, const std::vector<Outcome>& outcomes) {
  for (Outcome outcome : outcomes) {
    if (outcome.code == OutcomeCode::kNotStarted) continue;
    Outcome& last = retained_[parent_uid][outcome.operation];
    const bool again = last.code == outcome.code && last.digest == outcome.digest;
    outcome.repeats = again ? last.repeats + 1 : 1;
    outcome.at = now;
    last = std::move(outcome);
  }
}

}  // namespace xebec::testing
