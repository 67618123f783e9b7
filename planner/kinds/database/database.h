// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "planner/core/kind.h"

namespace xebec::planner {

/// Database (stable.imaginedata.com and stable.imaginedata.co, v1): a StatefulSet with credentials
/// and an initial configuration. docs/crds.md lists the fields of spec and status.
///
/// Creates a headless Service and a StatefulSet `<name>`, a ConfigMap `<name>-config`, a Secret
/// `<name>-credentials` (which, like its claims, outlives the Database) and a Job
/// `<name>-init-<digest of the uid>`. See database_objects.h, credentials.h, init_run.h, claims.h.
std::vector<Kind> DatabaseKinds();

}  // namespace xebec::planner
