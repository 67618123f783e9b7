// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "common/base/json.h"
#include "common/kube/api_request.h"
#include "common/model/plan.h"

/// Operations as HTTP requests. Everything here is a pure function of its arguments. What the API
/// server does with these requests is in docs/outcomes.md.
namespace xebec::applier {

/// A resourceVersion that no object can have: an apply that carries it creates or conflicts, and
/// changes nothing that exists.
inline constexpr std::string_view kCreateOnly = "1";

/// Which object an apply may touch.
struct Expect {
  std::string uid;               ///< Empty: not asked.
  std::string resource_version;  ///< Empty: not asked. kCreateOnly: no object.
};

/// What a precondition asks of an apply.
Expect ExpectOf(const Precondition& precondition);

/// Forced server-side apply of `body` by `manager`. `subresource` is "" or "status".
kube::ApiRequest ApplyRequest(const ObjectRef& target, std::string_view manager, Json body,
                              const Expect& expect, const std::string& subresource = "");

/// Merge patch of the status alone, bound to a resourceVersion: for CRDs of other operators whose
/// schema does not declare every field of ours, which an apply would be refused for. What is not
/// declared is dropped by the server.
kube::ApiRequest MergeStatusRequest(const ObjectRef& parent, std::string_view manager,
                                    const Json& body, const Expect& expect);

/// DELETE with uid (and resourceVersion) preconditions and an explicit propagation policy; never a
/// grace period.
kube::ApiRequest DeleteRequest(const ObjectRef& target, const Precondition& precondition,
                               Propagation propagation);

/// Adds a finalizer through apply, by a field manager of its own: others' finalizers stay.
kube::ApiRequest AddFinalizerRequest(const ObjectRef& parent, std::string_view manager,
                                     const std::string& finalizer, const Expect& expect);

/// Removes the finalizer at `index` of metadata.finalizers through a JSON patch that tests uid,
/// resourceVersion and the value at the index. This also removes a finalizer that another writer
/// owns together with us (a restored backup).
kube::ApiRequest RemoveFinalizerRequest(const ObjectRef& parent, std::string_view manager,
                                        const std::string& finalizer, size_t index,
                                        const Expect& expect);

/// POST of a Secret with generated values: needs no right but `create`.
kube::ApiRequest CreateSecretRequest(const ObjectRef& target, std::string_view manager,
                                     const EnsureSecret& secret, std::string_view random);

/// GET of one object.
kube::ApiRequest GetRequest(const ObjectRef& target);

/// 32 characters of [a-zA-Z0-9], each equally likely, drawn from `random` (a secret of at least 16
/// bytes) and `label`; different labels give independent values.
std::string GeneratePassword(std::string_view random, std::string_view label);

}  // namespace xebec::applier
