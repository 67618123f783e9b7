// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "applier/engine/admission/policy.h"
#include "common/base/json.h"
#include "common/model/envelope.h"
#include "common/model/resource.h"

namespace xebec::applier {

/// Refuses names that no object can have, or that would change the path of a URL ("../x",
/// "a/status").
std::optional<Refusal> CheckTarget(const ObjectRef& target);

/// Refuses a body whose apiVersion, kind, name or namespace differs from the target's.
std::optional<Refusal> CheckBodyIsTargets(const Json& body, const ObjectRef& target);

/// Refuses a body with a controller reference to anything but `parent`.
std::optional<Refusal> CheckOwner(const Json& body, const ParentIdentity& parent);

/// Refuses finalizers that belong to Kubernetes or that have no domain.
std::optional<Refusal> CheckFinalizer(const std::string& finalizer);

}  // namespace xebec::applier
