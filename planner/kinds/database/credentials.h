// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"

namespace xebec::planner {

/// On a Database: the uid of the Secret that condition CredentialsLost names; accepts it and ends
/// the condition.
inline constexpr std::string_view kAcceptCredentialsAnnotation = "xebec.dev/accept-credentials";

/// Sees to the generated password. The Secret is never read: what is known of it comes from the
/// outcomes of asking for it (created, or existed) and is recorded in status.credentials
/// {secretName, state, uid}.
///
/// Asks for the Secret whenever `complete` (the StatefulSet exists and is fully ready) is false.
/// Created again although the status knew one: state Lost, condition CredentialsLost, one Warning;
/// Pods are left alone, as they still know the old password.
void PlanCredentials(const View& view, bool complete, DesiredState* state);

}  // namespace xebec::planner
