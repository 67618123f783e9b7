// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/policy.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "absl/strings/str_cat.h"
#include "applier/engine/admission/denied_target.h"
#include "applier/engine/admission/target_check.h"
#include "common/base/json.h"
#include "common/base/strings.h"
#include "common/model/assignment.h"
#include "common/model/bucket.h"
#include "common/model/report.h"
#include "common/model/well_known.h"

namespace xebec::applier {
namespace {

constexpr size_t kMaxFieldManager = 100;  // The API allows 128; ours gets a suffix for finalizers.

bool Covers(const AllowRule& rule, const ObjectRef& target) {
  if (rule.resource != "*" && rule.resource != ResourceName(target.type)) return false;
  return rule.namespaces.empty() || std::find(rule.namespaces.begin(), rule.namespaces.end(),
                                              target.ns) != rule.namespaces.end();
}

std::optional<Refusal> CheckAllowed(const ObjectRef& target, const Policy& policy) {
  if (policy.allow.empty()) return std::nullopt;
  const auto covers = [&](const AllowRule& rule) { return Covers(rule, target); };
  if (std::any_of(policy.allow.begin(), policy.allow.end(), covers)) return std::nullopt;
  const bool kind_known = std::any_of(policy.allow.begin(), policy.allow.end(), [&](const auto& r) {
    return r.resource == ResourceName(target.type);
  });
  return Refusal{
      kind_known ? "NamespaceNotAllowed" : "KindNotAllowed",
      absl::StrCat("the applier's allow-list has no rule for ", ResourceName(target.type),
                   target.ns.empty() ? "" : absl::StrCat(" in namespace ", target.ns),
                   "; add one to its configuration (key allow) if this is wanted")};
}

// A user who can create a parent in one namespace must not change another namespace through it.
std::optional<Refusal> CheckNamespace(const ObjectRef& target, const ObjectRef& parent) {
  if (parent.ns.empty() || target.ns == parent.ns) return std::nullopt;
  return Refusal{"NamespaceNotAllowed",
                 absl::StrCat(Describe(target), " is not in its parent's namespace, ", parent.ns,
                              ": a parent has its children beside it")};
}

std::optional<Refusal> CheckBody(const absl::StatusOr<Json>& body, const ObjectRef& target,
                                 const Envelope& envelope) {
  if (!body.ok()) {
    const bool large = body.status().code() == absl::StatusCode::kResourceExhausted;
    return Refusal{large ? "ObjectTooLarge" : "MalformedBody",
                   absl::StrCat(Describe(target), ": ", body.status().message())};
  }
  if (auto r = CheckBodyIsTargets(*body, target)) return r;
  return CheckOwner(*body, envelope.parent);
}

bool IsParent(const ObjectRef& ref, const Envelope& envelope) { return ref == envelope.parent.ref; }

struct ActionCheck {
  const Operation& op;
  const absl::StatusOr<Json>& body;
  const Envelope& envelope;

  std::optional<Refusal> operator()(const Apply&) const {
    if (op.precondition.absent == !op.precondition.uid.empty()) {
      return Refusal{"NoPrecondition",
                     absl::StrCat(Describe(op.target),
                                  ": an apply needs either the precondition absent "
                                  "or the uid of the object that is meant")};
    }
    return CheckBody(body, op.target, envelope);
  }
  std::optional<Refusal> operator()(const Delete&) const {
    if (IsParent(op.target, envelope)) {
      return Refusal{"ParentDeletion",
                     absl::StrCat("a plan may not delete its own parent, ", Describe(op.target))};
    }
    if (!op.precondition.absent && !op.precondition.uid.empty()) return std::nullopt;
    return Refusal{"NoPrecondition",
                   absl::StrCat(Describe(op.target), ": a deletion needs the object's uid")};
  }
  std::optional<Refusal> operator()(const AddFinalizer& add) const {
    return CheckFinalizerOp(add.finalizer);
  }
  std::optional<Refusal> operator()(const RemoveFinalizer& remove) const {
    return CheckFinalizerOp(remove.finalizer);
  }
  std::optional<Refusal> operator()(const EnsureSecret& secret) const {
    if (ResourceName(op.target.type) != "secrets" || op.target.type.version != "v1") {
      return Refusal{"MalformedTarget",
                     absl::StrCat(Describe(op.target), ": only a Secret can be ensured")};
    }
    if (!secret.generated_keys.empty()) return std::nullopt;
    return Refusal{"MalformedBody", absl::StrCat(Describe(op.target), ": no key to generate")};
  }

  std::optional<Refusal> CheckFinalizerOp(const std::string& finalizer) const {
    if (!IsParent(op.target, envelope)) {
      return Refusal{
          "FinalizerNotOurs",
          absl::StrCat("finalizers are written on the parent alone, not on ", Describe(op.target))};
    }
    return CheckFinalizer(finalizer);
  }
};

std::optional<Refusal> CheckEnvelope(const Envelope& envelope) {
  const ParentIdentity& parent = envelope.parent;
  if (parent.uid.empty()) {
    return Refusal{"NoUid",
                   "the plan names no uid of its parent: it was made from a manifest and can be "
                   "read, not applied; plan the object as the API server has it"};
  }
  if (auto r = CheckTarget(parent.ref)) return r;
  if (parent.resource_version.empty()) {
    return Refusal{"NoVersion", absl::StrCat(Describe(parent.ref),
                                             ": the plan names no "
                                             "resourceVersion of its parent")};
  }
  if (envelope.controller.empty() || envelope.controller.size() > kMaxFieldManager) {
    return Refusal{"NoController", absl::StrCat("the controller's name must have 1 to ",
                                                kMaxFieldManager, " characters")};
  }
  if (envelope.epoch > kMaxEpoch) {
    return Refusal{"MalformedEpoch", absl::StrCat("epoch ", envelope.epoch, " is more than ",
                                                  kMaxEpoch, ", the highest one")};
  }
  const uint32_t count = envelope.bucket_count == 0 ? kMaxBuckets : envelope.bucket_count;
  if (count > kMaxBuckets || envelope.bucket >= count) {
    return Refusal{"MalformedBucket",
                   absl::StrCat("bucket ", envelope.bucket, " of ", envelope.bucket_count,
                                " does not exist: there are 1 to ", kMaxBuckets, " buckets")};
  }
  return std::nullopt;
}

}  // namespace

size_t CountDeletions(const Plan& plan) {
  size_t count = 0;
  for (const Stage& stage : plan.stages) {
    for (const Operation& op : stage.operations) count += std::holds_alternative<Delete>(op.action);
  }
  return count;
}

std::optional<Refusal> Admit(const Plan& plan, const Policy& policy) {
  if (auto r = CheckEnvelope(plan.envelope)) return r;
  if (const size_t count = CountOperations(plan); count > policy.max_operations) {
    return Refusal{"TooManyOperations", absl::StrCat("the plan has ", count,
                                                     " operations; the applier's limit "
                                                     "(maxOperations) is ",
                                                     policy.max_operations)};
  }
  std::set<std::string> ids;
  for (const Stage& stage : plan.stages) {
    for (const Operation& op : stage.operations) {
      if (!op.id.empty() && op.id != kStatusOperation && ids.insert(op.id).second) continue;
      return Refusal{"MalformedPlan", absl::StrCat("operation id \"", Ellipsize(op.id, 200),
                                                   "\" is empty, reserved or used twice")};
    }
  }
  return std::nullopt;
}

absl::StatusOr<Json> ParseBody(const ObjectBytes& object, const Policy& policy) {
  if (object == nullptr) return absl::InvalidArgumentError("the plan has no object for it");
  if (object->size() > policy.max_object_bytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat("it has ", object->size(), " bytes; the applier's limit (maxObjectBytes) is ",
                     policy.max_object_bytes));
  }
  auto json = ParseJson(*object, JsonLimits{.max_bytes = policy.max_object_bytes});
  if (json.ok() && !json->is_object()) {
    return absl::InvalidArgumentError("its body is no JSON object");
  }
  return json;
}

std::optional<Refusal> AdmitOperation(const Operation& operation, const absl::StatusOr<Json>& body,
                                      const Envelope& envelope, const Policy& policy) {
  if (auto r = CheckTarget(operation.target)) return r;
  if (auto r = CheckNamespace(operation.target, envelope.parent.ref)) return r;
  if (auto r = CheckDenied(operation, envelope, policy)) return r;
  if (auto r = CheckAllowed(operation.target, policy)) return r;
  if (auto r = CheckSecret(operation)) return r;
  return std::visit(ActionCheck{operation, body, envelope}, operation.action);
}

std::optional<Refusal> AdmitStatus(const absl::StatusOr<Json>& body, const Envelope& envelope,
                                   const Policy& policy) {
  if (auto r = CheckDeniedStatus(envelope.parent.ref)) return r;
  if (auto r = CheckAllowed(envelope.parent.ref, policy)) return r;
  return CheckBody(body, envelope.parent.ref, envelope);
}

std::optional<Refusal> AdmitDeletions(const Plan& plan, const Policy& policy) {
  const size_t count = CountDeletions(plan);
  if (count <= policy.max_deletions) return std::nullopt;
  return Refusal{
      std::string(kDeletionDeferred),
      absl::StrCat("the plan deletes ", count,
                   " objects; the applier's limit (the lower one of maxDeletions and "
                   "maxProcessDeletions) is ",
                   policy.max_deletions, "; raise it in its configuration to let them go")};
}

}  // namespace xebec::applier
