// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "applier/engine/admission/policy.h"
#include "common/model/envelope.h"
#include "common/model/plan.h"
#include "common/model/resource.h"

/// Writes that the applier refuses whatever its allow-list contains.
namespace xebec::applier {

/// Refuses operations in the namespaces of Policy::deny_namespaces and on these namespaces
/// themselves, and operations on resources that no operator may write (WhyForbidden). A plan may
/// change its own finalizer on an Operator that is its parent.
std::optional<Refusal> CheckDenied(const Operation& operation, const Envelope& envelope,
                                   const Policy& policy);

/// Refuses every operation on a Secret except its creation with random values (EnsureSecret).
std::optional<Refusal> CheckSecret(const Operation& operation);

/// Refuses a status of a parent that no operator may write. The status of an Operator, and of a
/// parent in a denied namespace, may be written: a status creates nothing.
std::optional<Refusal> CheckDeniedStatus(const ObjectRef& parent);

}  // namespace xebec::applier
