// SPDX-License-Identifier: Apache-2.0
#include "applier/engine/admission/denied_target.h"

#include <algorithm>
#include <string>
#include <variant>

#include "absl/strings/str_cat.h"
#include "common/declare/forbidden.h"

namespace xebec::applier {
namespace {

bool IsFinalizerOfParent(const Operation& operation, const Envelope& envelope) {
  const bool finalizer = std::holds_alternative<AddFinalizer>(operation.action) ||
                         std::holds_alternative<RemoveFinalizer>(operation.action);
  return finalizer && operation.target == envelope.parent.ref;
}

std::optional<Refusal> CheckForbidden(const ObjectRef& target) {
  const std::string why = WhyForbidden(target.type.group);
  if (why.empty()) return std::nullopt;
  return Refusal{"KindForbidden", absl::StrCat(Describe(target), " ", why)};
}

std::optional<Refusal> RefuseSecret(const ObjectRef& target) {
  if (!IsSecrets(target.type.group, target.type.plural)) return std::nullopt;
  return Refusal{"KindForbidden",
                 absl::StrCat(Describe(target),
                              ": no plan may change or delete a Secret; Xebec only creates Secrets "
                              "with random values")};
}

/// The namespace that an operation on the target changes: its own, or the one that it is.
const std::string& NamespaceOf(const ObjectRef& target) {
  const bool is_namespace = target.type.group.empty() && target.type.plural == "namespaces";
  return is_namespace ? target.name : target.ns;
}

}  // namespace

std::optional<Refusal> CheckDenied(const Operation& operation, const Envelope& envelope,
                                   const Policy& policy) {
  const ObjectRef& target = operation.target;
  const std::vector<std::string>& denied = policy.deny_namespaces;
  const std::string& ns = NamespaceOf(target);
  if (std::find(denied.begin(), denied.end(), ns) != denied.end()) {
    return Refusal{"NamespaceDenied",
                   absl::StrCat(Describe(target),
                                ": the applier's configuration (key "
                                "denyNamespaces) denies every write in namespace ",
                                ns)};
  }
  const bool own_operator =
      target.type.group == kOperatorGroup && IsFinalizerOfParent(operation, envelope);
  return own_operator ? std::nullopt : CheckForbidden(target);
}

std::optional<Refusal> CheckSecret(const Operation& operation) {
  if (std::holds_alternative<EnsureSecret>(operation.action)) return std::nullopt;
  return RefuseSecret(operation.target);
}

std::optional<Refusal> CheckDeniedStatus(const ObjectRef& parent) {
  if (auto r = RefuseSecret(parent)) return r;
  return parent.type.group == kOperatorGroup ? std::nullopt : CheckForbidden(parent);
}

}  // namespace xebec::applier
