// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// On a Database: the uid of the Secret that condition CredentialsLost names. It accepts this
/// Secret and ends the condition.
inline constexpr std::string_view kAcceptCredentialsAnnotation = "xebec.dev/accept-credentials";

/// Ensures the Secret with the generated password. The Secret is never read: the outcomes of
/// ensuring it (created, or existed) are recorded in status.credentials {secretName, state, uid}.
///
/// The Secret is ensured whenever `complete` (the StatefulSet exists and is fully ready) is false.
/// If it is created although the status knows one, or although a volume claim is older than the
/// Database: state Lost, condition CredentialsLost, one Warning. Pods are not restarted, because
/// the data still have the old password.
///
/// With spec.passwordSecretName nothing is generated, and the state is External.
void PlanCredentials(const View& view, const DatabaseSpec& spec, bool complete,
                     DesiredState* state);

}  // namespace xebec::planner
