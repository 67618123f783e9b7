// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"
#include "common/kube/api_request.h"
#include "common/model/plan.h"

/// Builds the HTTP requests of operations. All functions are pure. docs/outcomes.md describes how
/// the API server answers these requests.
namespace xebec::applier {

/// The object that an apply may write.
struct Expect {
  std::string uid;               ///< Empty means any.
  std::string resource_version;  ///< Empty means any.
};

/// POST of `body` by `manager`: creates the object or fails with AlreadyExists. Unknown fields are
/// an error, as they are for an apply. The body is written, not copied: only its metadata changes.
kube::ApiRequest CreateRequest(const ObjectRef& target, std::string_view manager, const Json& body);

/// Forced server-side apply of `body` by `manager`. The body is written, not copied: only its
/// metadata changes.
kube::ApiRequest ApplyRequest(const ObjectRef& target, std::string_view manager, const Json& body,
                              const Expect& expect);

/// JSON patch of `fields`, JSON pointers of scalars in `body`, by `manager`. It fails with 422
/// unless the object has the controller reference of `body`, at the same place of its
/// ownerReferences, and the parents of the fields. Returns nullopt if one of them is no pointer to
/// a scalar of `body`, or if there is none.
std::optional<kube::ApiRequest> FieldPatchRequest(const ObjectRef& target, std::string_view manager,
                                                  const Json& body,
                                                  const std::vector<std::string>& fields,
                                                  const Expect& expect);

/// JSON patch. It has its own tests as preconditions.
kube::ApiRequest JsonPatchRequest(const ObjectRef& target, std::string_view manager,
                                  const Json& patch);

/// PUT of the first status of a parent, with its uid and resourceVersion as preconditions. The API
/// server takes only the status from the body.
kube::ApiRequest FirstStatusRequest(const ObjectRef& parent, std::string_view manager, Json status,
                                    const Expect& expect);

/// Merge patch of the status with a resourceVersion precondition. A status member of `body` that is
/// null disappears. The API server drops fields that the schema of the CRD does not declare.
kube::ApiRequest StatusRequest(const ObjectRef& parent, std::string_view manager, const Json& body,
                               const Expect& expect);

/// Replaces the status `observed` by `wanted` with a JSON patch that tests the uid and `observed`.
/// It does not depend on other parts of the parent, which users change at any time.
kube::ApiRequest ReplaceStatusRequest(const ObjectRef& parent, std::string_view manager,
                                      const std::string& uid, const Json& observed,
                                      const Json& wanted);

/// DELETE with a uid (and resourceVersion) precondition and an explicit propagation policy, without
/// a grace period.
kube::ApiRequest DeleteRequest(const ObjectRef& target, const Precondition& precondition,
                               Propagation propagation);

/// Adds a finalizer with server-side apply by a separate field manager, so that the finalizers of
/// other controllers stay.
kube::ApiRequest AddFinalizerRequest(const ObjectRef& parent, std::string_view manager,
                                     const std::string& finalizer, const Expect& expect);

/// Removes the finalizer at `index` of metadata.finalizers with a JSON patch that tests the uid,
/// the resourceVersion and the value at the index. This also removes a finalizer that another field
/// manager co-owns, for example after a restored backup.
kube::ApiRequest RemoveFinalizerRequest(const ObjectRef& parent, std::string_view manager,
                                        const std::string& finalizer, size_t index,
                                        const Expect& expect);

/// POST of a Secret with generated values. It needs only the right to create Secrets.
kube::ApiRequest CreateSecretRequest(const ObjectRef& target, std::string_view manager,
                                     const EnsureSecret& secret, std::string_view random);

/// GET of one object.
kube::ApiRequest GetRequest(const ObjectRef& target);

/// Returns 32 characters of [a-zA-Z0-9], each equally likely, derived from `random` (a secret of at
/// least 16 bytes) and `label`. Different labels have independent values.
std::string GeneratePassword(std::string_view random, std::string_view label);

}  // namespace xebec::applier
