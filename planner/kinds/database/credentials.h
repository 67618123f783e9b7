// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "planner/core/kind.h"
#include "planner/kinds/database/database_spec.h"

namespace xebec::planner {

/// Annotation of a Database: the uid of the Secret in the condition CredentialsLost. It accepts
/// this Secret and ends the condition.
inline constexpr std::string_view kAcceptCredentialsAnnotation = "xebec.dev/accept-credentials";

/// Ensures the Secret with the generated password. Xebec never reads the Secret: it records the
/// outcomes of the ensure operation (created or existed) in status.credentials
/// {secretName, state, uid}.
///
/// The Secret is ensured in every plan while Pods may start that need it (`needed`). If it is
/// created although the status already has one, or although a volume claim is
/// older than the Database, the state is Lost, with the condition CredentialsLost and one Warning
/// event. Pods are not restarted, because the data still have the old password. A creation whose
/// answer was lost is not detected: the next outcome is Existed, without a uid.
///
/// With spec.passwordSecretName no Secret is generated, and the state is External.
void PlanCredentials(const View& view, const DatabaseSpec& spec, bool needed, DesiredState* state);

}  // namespace xebec::planner
