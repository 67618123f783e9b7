// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Database (stable.imaginedata.com and stable.imaginedata.co, v1): a stateful service with a life
/// cycle.
///
/// spec:   name, port (5432), storage-size (1Gi), image (required), replicas (1), mountPath
/// (/var/lib/postgresql/data),
///         portVariable (PGPORT), databaseVariable (POSTGRES_DB), passwordVariable
///         (POSTGRES_PASSWORD), env, resources, init {image, command, skip}, deletionPolicy
///         (Retain).
/// status: phase, replicas, readyReplicas, selector (a string, for the scale subresource),
/// endpoint, credentials, init,
///         Ready, Progressing, Initialized, InitUnknown, CredentialsLost, StorageResized.
///
/// Makes a headless Service and a StatefulSet `<name>`, a ConfigMap `<name>-config`, a Secret
/// `<name>-credentials` (which outlives it, as its claims do) and a Job `<name>-init-<digest of the
/// uid>`. The parts: database_objects.h, credentials.h, init_run.h, claims.h.
std::vector<Kind> DatabaseKinds();

}  // namespace xebec::planner
